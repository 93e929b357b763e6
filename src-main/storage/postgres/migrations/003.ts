/**
 * - `config_head.fenced` is a version of the configuration: what was decided by an older one is refused. It becomes a
 *   version that some node has not confirmed, before the change is answered.
 * - `config_head.fences_next` is set once a node that may come back is not among those any more that a change asks: the
 *   next change then becomes `fenced` in any case.
 */
export const sql = `
ALTER TABLE config_head ADD COLUMN fenced bigint NOT NULL DEFAULT 0, ADD COLUMN fences_next boolean NOT NULL DEFAULT false;
`
