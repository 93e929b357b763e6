/** Matches a link of a `Link` header: its URL, and its parameters up to a comma. */
const link = /<([^<>]*)>((?:[^<",]|"[^"]*")*)/g
const isAbsolute = /^[a-z][a-z0-9+.-]*:/i
const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i

/**
 * Returns the URLs of `Link` headers by their relations in lower case, such as `next`: see RFC 8288. Of several with the
 * same relation, the first counts. Relative URLs are left out.
 */
export function linksOf(header: string | readonly string[] = []): Readonly<Record<string, string>> {
  const found = new Map<string, string>()
  for (const [, url = '', parameters = ''] of [header].flat().join().matchAll(link)) {
    if (!isAbsolute.test(url)) continue
    const [, quoted, plain = ''] = relation.exec(parameters) ?? []
    for (const name of (quoted ?? plain).toLowerCase().split(/\s+/))
      if (name !== '' && !found.has(name)) found.set(name, url)
  }
  return Object.fromEntries(found)
}
