import type { CallResult } from '#shared/model/call.ts'
import { settingsDefaults } from '#shared/model/settings.ts'

/**
 * Returns the text of a call for the assistant, as JSON: the aliases of the responseMapping, or the whole result. Adds
 * the status if it is not 2xx. Without a response, returns the error. A text above the limit is cut between two
 * characters and ends with a notice, which counts towards the limit.
 *
 * @param result masked, like every outcome of a caller.
 * @param maxBytes of UTF-8.
 */
export function assistantText(
  result: CallResult,
  maxBytes: number = settingsDefaults.assistantTextBytes,
): string {
  const text = fullText(result)
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const hint =
    result.mapped === null
      ? 'set a responseMapping in the action to select the needed fields'
      : 'its responseMapping selects fields that are this large'
  const notice = `\n[Cut: the complete response has ${bytes.length} bytes, at most ${maxBytes} are shown; ${hint}.]`
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

/** Returns the last offset at or before `end` where a character starts. */
function boundaryBefore(bytes: Buffer, end: number): number {
  let at = Math.max(0, end)
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}
