/**
 * Returns a part of an event's JSON as words: `order_id ORD-20418 · total 149.00`.
 *
 * @param excerpt may begin and end anywhere in the JSON.
 * @param eventName is left out: the row shows it already.
 */
export function excerptLabel(excerpt: string, eventName: string): string {
  const words = excerpt
    .replace(/\\u([0-9a-f]{4})/gi, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[bfnrt]/g, ' ')
    .replace(/\\(.)/g, '$1')
    .replace(/"\s*:/g, ' ')
    .replace(/,\s*(?=["{[])/g, ' · ')
    .replace(/[{}[\]"]/g, ' ')
    .split('·')
    .map(piece =>
      piece
        .trim()
        .replace(/\s+/g, ' ')
        .replace(/^data(?: |$)/, ''),
    )
    .filter(piece => piece !== '' && piece !== `event ${eventName}`)
    .join(' · ')
  const start = excerpt.trimStart().startsWith('{') ? '' : '…'
  const end = excerpt.trimEnd().endsWith('}') ? '' : '…'
  return words === '' ? '' : `${start}${words}${end}`
}
