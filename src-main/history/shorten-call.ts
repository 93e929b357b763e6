import type { CallRecord } from '#shared/model/call.ts'

const maxBytes = 64 * 1024

/**
 * Returns a call as it is kept: a text of more than 64 KiB is cut, and a value of more is left out. The answer
 * to the call itself has all of it.
 */
export function shortenCall(call: Omit<CallRecord, 'shortened'>): CallRecord {
  let shortened = false
  const text = (given: string) => {
    if (given.length <= maxBytes && Buffer.byteLength(given) <= maxBytes) return given
    shortened = true
    const bytes = Buffer.from(given.slice(0, maxBytes)).subarray(0, maxBytes)
    // A character that the cut divides is left out.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
  }
  const value = <Value, Less>(given: Value, less: Less) => {
    if ((JSON.stringify(given) ?? '').length <= maxBytes) return given
    shortened = true
    return less
  }
  const { request, response, result, mapped } = call
  const short: Omit<CallRecord, 'shortened'> = {
    ...call,
    arguments: value(call.arguments, {}),
    request: request && { ...request, url: text(request.url), body: text(request.body) },
    response: response && { ...response, body: text(response.body) },
    result: value(result, null),
    mapped: value(mapped, null),
  }
  return { ...short, shortened }
}
