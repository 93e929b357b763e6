/**
 * Rewrites the variables of stored workflows that read a field of an event whose name begins with `$`, such as
 * `{{$env.a}}`: such names are the service's now. Nodes of the version before read `{{event.$env.a}}` as the same field.
 */
export const sql = String.raw`
UPDATE config_part AS p SET version = h.version + 1, doc_version = h.version + 1,
  doc = regexp_replace(p.doc, '(\{\{(?:\s|\\t)*)\$', '\1event.$', 'g')
  FROM config_head AS h WHERE p.kind = 'workflows' AND p.doc ~ '\{\{(?:\s|\\t)*\$';
UPDATE config_head AS h SET version = version + 1
  WHERE EXISTS (SELECT FROM config_part AS p WHERE p.version > h.version);
`
