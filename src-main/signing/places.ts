import type { Place } from '#shared/model/sender/sender-template.ts'
import { parsePath } from '#shared/model/variable-path.ts'
import { byteText, fieldText } from './proof-body.ts'
import type { SenderRequest } from './sender-head.ts'

/** Returns all values of a header. @param name in lower case. */
export function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const other = rawHeaders[index] ?? ''
    if (other.length === name.length && other.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}

/**
 * Returns the values that a request has at a place, one character for each byte; null while its body, where the place is,
 * has not been read.
 *
 * @param place with the name of its header in lower case.
 */
export function valuesAt(place: Place, { rawHeaders, url, body }: SenderRequest): string[] | null {
  if ('header' in place) return valuesOf(rawHeaders, place.header)
  if ('query' in place) return queryValuesOf(url(), place.query).map(byteText)
  if (body === undefined) return null
  const text = fieldText(body.root(), parsePath(place.path) ?? [])
  return text === undefined ? [] : [byteText(text)]
}

/** Returns the query of a URL, without its question mark; empty for none. */
export function queryOf(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? '' : url.slice(query + 1)
}

/** Returns all values of a parameter in the query of a URL. */
export const queryValuesOf = (url: string, name: string) => new URLSearchParams(queryOf(url)).getAll(name)

/** Returns the path of a URL. */
export function pathOf(url: string): string {
  const query = url.indexOf('?')
  const whole = query === -1 ? url : url.slice(0, query)
  return whole.replace(/^[a-z]+:\/\/[^/]*/i, '')
}

/** Returns a place in words: `header x-signature`. */
export function placeText(place: Place): string {
  if ('header' in place) return `header ${place.header}`
  return 'path' in place ? `field ${place.path}` : `query parameter ${place.query}`
}
