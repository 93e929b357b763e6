import { isUtf8 } from 'node:buffer'
import { createPositions, type TextPosition } from '#main/json/text-position.ts'
import { ServiceError } from '#shared/errors.ts'
import { maxDepth } from '#shared/json/depth.ts'
import { diagnoseJson } from '#shared/json/diagnose-json.ts'
import { isBeyond, isNestedDeeper } from '#shared/json/json-depth.ts'

/**
 * Parses the body of a request, a JSON object.
 *
 * @param maxValues counted before the text is parsed.
 * @throws ServiceError `invalid_input`, `unsupported_media_type`.
 */
export function readJsonBody(
  body: Buffer,
  contentType: string | undefined,
  { takesLists = false, maxValues = Number.POSITIVE_INFINITY } = {},
): { readonly value: object; readonly text: string } {
  if (body.length === 0) return { value: {}, text: '{}' }
  if (!isJson(contentType)) throw new ServiceError('unsupported_media_type')
  if (!isUtf8(body)) throw refusal('The body is not valid UTF-8.')
  const text = body.toString('utf8')
  if (isBeyond(text, { levels: maxDepth, values: maxValues }))
    throw refusal(
      isNestedDeeper(text, maxDepth)
        ? `The body is nested deeper than ${maxDepth} levels.`
        : `The body has more than ${maxValues} JSON values.`,
    )
  const value = parse(text)
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && !takesLists))
    throw refusal(`The body must be a JSON object${takesLists ? ' or a list' : ''}.`)
  return { value, text }
}

/**
 * Returns whether a body may be JSON. Forms of other sites can send other types without a preflight, so those are not
 * even parsed.
 */
export function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/json\s*(;|$)/i.test(contentType)
}

/** Longest text whose mistakes are looked for: that takes longer than parsing, and on the thread of the listener. */
const maxDiagnosed = 1024 * 1024

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const wrong = 'The body is not valid JSON.'
    if (text.length > maxDiagnosed) throw refusal(wrong, cause)
    const [problem] = diagnoseJson(text)
    if (problem === undefined) throw refusal(wrong, cause)
    const { line, column } = createPositions(text)(problem.offset)
    throw refusal(`${wrong} Line ${line}, column ${column}: ${problem.message}`, cause, { line, column })
  }
}

function refusal(message: string, cause?: unknown, at: Partial<TextPosition> = {}): ServiceError {
  return new ServiceError('invalid_input', {
    detail: message,
    data: { issues: [{ path: '', message, ...at }] },
    cause,
  })
}
