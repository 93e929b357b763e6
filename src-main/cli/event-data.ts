import { isUtf8 } from 'node:buffer'
import { ServiceError } from '#shared/errors.ts'

/**
 * The text of an event's `data` as it will be sent: checked to be a JSON object, and otherwise left alone,
 * so that numbers keep their digits. Pure.
 *
 * @throws ServiceError `invalid_data` with what is wrong.
 */
export function checkEventData(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalid('The data is not valid UTF-8.')
  const text = bytes.toString('utf8')
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('The data must be a JSON object, such as {"orderId": 42}.')
  return text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(`The data is not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function invalid(detail: string): ServiceError {
  return new ServiceError('invalid_data', { detail })
}
