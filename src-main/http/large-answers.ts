import { ExactJson, isObject } from '#shared/json/exact-json.ts'
import { jsonStream } from './json-pieces.ts'

/** UTF-16 units of data in an answer that is written at once. */
const mostWrittenAtOnce = 64 * 1024

type Result =
  | { readonly matched: false; readonly response: undefined }
  | {
      readonly matched: true
      readonly response: { readonly status: number; readonly headers: object; readonly body: unknown }
    }

/**
 * Writes answers with much data of events in pieces, as an interceptor of an oRPC handler: to write ten events of 1 MiB at
 * once would delay those that arrive by half a second.
 */
export async function writeInPieces<Given extends Result>({
  next,
}: {
  readonly next: () => Promise<Given>
}): Promise<Given> {
  const result = await next()
  if (!result.matched || dataLength(result.response.body) <= mostWrittenAtOnce) return result
  const headers = { ...result.response.headers, 'content-type': 'application/json' }
  return { ...result, response: { ...result.response, headers, body: jsonStream(result.response.body) } }
}

/** Returns the length of the data of an event or of a page of events; for a page of the dashboard, within its envelope. */
function dataLength(body: unknown): number {
  if (!isObject(body)) return 0
  const { data, events, json } = body
  if (data instanceof ExactJson) return data.text.length
  if (Array.isArray(events)) return events.reduce((sum: number, event) => sum + dataLength(event), 0)
  return json === undefined ? 0 : dataLength(json)
}
