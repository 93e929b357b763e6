import { isObject } from '#shared/json/exact-json.ts'

/** Where APIs put the words of an error, the most telling key first. */
const keys = ['message', 'error_description', 'detail', 'error', 'errors', 'title', 'reason', 'msg']
const deepest = 4
const longest = 200

/**
 * Returns what a refusing response says for people: the words of a JSON error (RFC 9457, OAuth, JSON:API, GraphQL and
 * the like), or the first line of a plain text. At most 200 characters; null if it says nothing, or is a page of HTML.
 *
 * @param result as `CallResult.result`: the JSON, or `{ result: text }`.
 */
export function replyMessage(result: unknown): string | null {
  if (isObject(result) && Object.keys(result).length === 1 && typeof result.result === 'string')
    return result.result.trimStart().startsWith('<') ? null : shortened(firstLine(result.result))
  const words = wordsOf(result, 0)
  return words === null ? null : shortened(words)
}

function wordsOf(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (depth === deepest) return null
  if (Array.isArray(value)) return wordsOf(value[0], depth + 1)
  if (!isObject(value)) return null
  for (const key of keys) {
    const words = Object.hasOwn(value, key) ? wordsOf(value[key], depth + 1) : null
    if (words !== null) return words
  }
  return null
}

const firstLine = (text: string) =>
  text
    .slice(0, 4 * longest)
    .trim()
    .split('\n', 1)[0] ?? ''

function shortened(text: string): string | null {
  const line = text
    .slice(0, 4 * longest)
    .replace(/\s+/g, ' ')
    .trim()
  if (line === '') return null
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`
}
