import type { CallResult } from '#shared/model/call.ts'

/** Bytes of UTF-8 that an assistant is given of one call (decisions: response for the assistant). */
export const defaultAssistantBytes = 64 * 1024

/**
 * The outcome of a call as the assistant reads it: the aliases of the responseMapping, else the whole result,
 * as JSON; of an answer other than 2xx its status too; of a call without an answer the error. What is too
 * long is cut between two characters, with a notice at the end that says so and counts into the limit.
 *
 * @param result masked, as every outcome of a caller is.
 */
export function assistantText(result: CallResult, maxBytes: number = defaultAssistantBytes): string {
  const text = fullText(result)
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const hint =
    result.mapped === null
      ? 'a responseMapping in the settings of the action picks the fields that are needed'
      : 'its responseMapping picks fields that are this large'
  const notice = `\n[Cut: the whole answer has ${bytes.length} bytes, at most ${maxBytes} are shown; ${hint}.]`
  return bytes.toString('utf8', 0, boundaryBefore(bytes, maxBytes - Buffer.byteLength(notice))) + notice
}

function fullText({ ok, response, result, mapped, error }: CallResult): string {
  const value = JSON.stringify(mapped ?? result) ?? 'null'
  if (error !== null && response === null) return `The call failed (${error.code}): ${error.message}`
  const problem = error === null ? '' : ` (${error.code}: ${error.message})`
  return ok || response === null
    ? value
    : `The call was answered with status ${response.status}${problem}: ${value}`
}

/** The last place at or before `end` where a character begins. */
function boundaryBefore(bytes: Buffer, end: number): number {
  let at = Math.max(0, end)
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}
