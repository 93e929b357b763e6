import { diagnoseJson, type SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import type { CurlData, CurlRequest } from './read-request.ts'
import { type CurlWord, offsetIn } from './words.ts'

const maxShown = 80
/** Problems of a body that are shown. */
const maxProblems = 5

/** Returns whether the author of a body meant JSON. */
export function looksLikeJson(text: string, option: string | undefined, type: string | null): boolean {
  return /^\s*["'`“‘[{]/.test(text) || option === 'json' || /\bjson\b/i.test(type ?? '')
}

/**
 * Returns why a body is not JSON, as the rest of a sentence that starts with the body, at offsets in the command.
 *
 * @param text the body that curl sends.
 */
export function explainBody(text: string, { data, headers }: CurlRequest): SyntaxProblem[] {
  const [first, second] = data
  if (first === undefined) return []
  const { option, word } = first
  const one = (message: string, offset = word.offset) => [{ message, offset }]
  const type = headers.find(({ name }) => /^content-type$/i.test(name))?.value.text ?? null
  if (!looksLikeJson(text, option, type)) return one('it is neither JSON nor a form, and has no Content-Type')
  if (second !== undefined && option !== 'json')
    return one('curl joins the values of several options with &, so it is not JSON', second.word.offset)
  const quote = lostQuote(word)
  if (quote !== null) return one(lostQuoteReason, word.offset + quote)
  if (text.startsWith('"') && parseJson(text.trimEnd().slice(1, -1)) !== undefined)
    return one(twiceReason, placeIn(data, 0))
  const escaped = text.indexOf('\\"')
  if (escaped !== -1 && parseJson(text.replaceAll('\\"', '"')) !== undefined)
    return one(escapedReason, placeIn(data, escaped))
  return jsonProblems(text, word.hasVariables || word.otherExpansion !== null).map(({ message, offset }) => ({
    message: `it is not valid JSON: ${clause(message)}`,
    offset: placeIn(data, offset),
  }))
}

const lostQuoteReason =
  'the shell removes its inner quotation marks, so it is not JSON: put the whole body in single quotes'
const twiceReason = 'it is in quotation marks twice: remove the double ones around it'
const escapedReason = 'it is not valid JSON: in single quotes, write no backslash before a quotation mark'

/** Returns where in a word's source the shell removes a quotation mark of JSON; null if it removes none. */
function lostQuote({ source }: CurlWord): number | null {
  // The option may be in the same word: -d"{…}".
  const start = source.search(/["{[]/)
  if (start === -1) return null
  const isQuoted = source.charAt(start) === '"'
  const inner = isQuoted ? source.slice(start + 1, -1) : source.slice(start)
  const quote = inner.search(/(?<!\\)"/)
  if (quote === -1) return null
  // The Windows command prompt writes a quotation mark within quotes twice.
  const isJson = [inner, inner.replaceAll('""', '"')].some(text => parseJson(text) !== undefined)
  return isJson ? start + (isQuoted ? 1 : 0) + quote : null
}

/** Returns the problems of a JSON text. Placeholders are problems, but the text is read on after them. */
function jsonProblems(text: string, hasVariables: boolean): SyntaxProblem[] {
  const placeholders: SyntaxProblem[] = []
  const filled = text.replace(stringOrPlaceholder, (found: string, offset: number) => {
    if (found.startsWith('"') || (found.startsWith('$') && !hasVariables)) return found
    const message = `${found.slice(0, maxShown)} is a placeholder. Write an example value.`
    placeholders.push({ message, offset })
    return '0'.padEnd(found.length)
  })
  const others = parseJson(filled) === undefined ? diagnoseJson(filled) : []
  return [...placeholders, ...others]
    .toSorted((one, other) => one.offset - other.offset)
    .slice(0, maxProblems)
}

/** The closing quotation mark is optional, so that no text is read twice. */
const stringOrPlaceholder = /"(?:[^"\\]|\\.)*"?|\{\{[^{}"]*\}\}|<[\w -]+>|\$(?:\w+|\{\w+\}|\([^()"]*\))/gs

/** Returns a sentence as the end of another one. */
function clause(sentence: string): string {
  const text = sentence.replace(/\.$/, '')
  return /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** Returns the offset in the command of a character of the joined values. */
function placeIn(data: readonly CurlData[], index: number): number {
  let rest = index
  for (const { word } of data) {
    if (rest <= word.text.length) return offsetIn(word, rest)
    rest -= word.text.length
  }
  return data[0]?.word.offset ?? 0
}
