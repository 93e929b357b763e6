import { isUtf8 } from 'node:buffer'
import { type ErrorCode, ServiceError } from '#shared/errors.ts'
import { isExactNumber, parseExact } from '#shared/json/exact-json.ts'

/** What a JSON object is for, and the code of the error that refuses anything else. */
type Purpose = {
  /** With its article, at the beginning of a sentence: "The data". */
  readonly what: string
  readonly code: ErrorCode
  readonly example: string
}

export const eventData: Purpose = {
  what: 'The data',
  code: 'invalid_data',
  example: '{"orderId": 42}',
}
export const callArguments: Purpose = {
  what: 'The value of --args',
  code: 'invalid_arguments',
  example: '{"order_id": "42"}',
}

/**
 * Checks that bytes are a JSON object in UTF-8. Pure.
 *
 * @returns its value, whose numbers keep their digits, and its own text.
 * @throws ServiceError the purpose's code, with what is wrong.
 */
export function readJsonObject(
  bytes: Buffer,
  { what, code, example }: Purpose,
): { text: string; value: object } {
  const refuse = (problem: string): never => {
    throw new ServiceError(code, { detail: `${what} ${problem}` })
  }
  if (!isUtf8(bytes)) return refuse('is not valid UTF-8.')
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = parseExact(text)
  } catch (error) {
    return refuse(`is not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactNumber(value))
    return refuse(`must be a JSON object, such as ${example}.`)
  return { text, value }
}
