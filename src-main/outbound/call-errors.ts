import { type CallErrorCode, callErrors } from '#shared/errors/call.ts'
import type { CallError } from '#shared/model/call.ts'

/** An error of a call. @param detail replaces the catalogue's sentence where more can be said. */
export function callError(
  code: CallErrorCode,
  detail?: string,
  data?: unknown,
): CallError & { code: CallErrorCode } {
  const message = detail ?? callErrors[code].message
  return data === undefined ? { code, message } : { code, message, data }
}
