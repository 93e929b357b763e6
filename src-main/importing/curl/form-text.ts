import type { ParameterType } from '#shared/model/parameter.ts'
import type { CurlData } from './read-request.ts'

/** Why a part of a command is unknown. */
export const fromFile = 'it is in a file or comes from stdin'

/** Returns the type of the parameter that a text is an example for. */
export function typeOfText(text: string): ParameterType {
  if (/^(true|false)$/.test(text)) return 'boolean'
  return /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text) ? 'number' : 'string'
}

/** Returns the query or form that an option adds; null if it is in a file. */
export function formText({ option, word: { text } }: CurlData): string | null {
  if (option === 'data-raw') return text
  if (option !== 'data-urlencode' && option !== 'url-query') return text.startsWith('@') ? null : text
  // It is not encoded again.
  if (option === 'url-query' && text.startsWith('+')) return text.slice(1)
  const at = text.search(/[=@]/)
  if (at === -1) return encodeURIComponent(text.toWellFormed())
  if (text.charAt(at) === '@') return null
  const value = encodeURIComponent(text.slice(at + 1).toWellFormed())
  return at === 0 ? value : `${text.slice(0, at)}=${value}`
}
