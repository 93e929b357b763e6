/**
 * The body of an inbound event on one line (specification: Inbound event request body). Numbers keep their
 * digits, since `data` is not parsed, only stripped of the white space between its tokens. What an editor would
 * not show, such as control characters, joiners and direction marks, is written `\uXXXX`, which JSON reads alike.
 *
 * @param data JSON text; other text stays as it is, save for white space and what cannot be seen.
 */
export function eventBody(eventName: string, data: string): string {
  const compact = data.replace(stringOrSpace, token => (token.startsWith('"') ? token : ''))
  return `{"event":${JSON.stringify(eventName)},"data":${compact}}`.replace(unseen, escapeUnits)
}

/** The closing quote may be missing: a pattern that then starts over takes quadratic time on `"\\"\\"…`. */
const stringOrSpace = /"[^"\\]*(?:\\.[^"\\]*)*"?|[ \t\r\n]+/gs
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu

function escapeUnits(character: string): string {
  const units = character.split('')
  return units.map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}
