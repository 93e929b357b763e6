import { ExactJson, isObject } from '#shared/json/exact-json.ts'
import { jsonBytes } from './json-pieces.ts'

/** UTF-16 units of data in an answer that is written at once. */
const mostWrittenAtOnce = 64 * 1024

type Result =
  | { readonly matched: false; readonly response: undefined }
  | {
      readonly matched: true
      readonly response: { readonly status: number; readonly headers: object; readonly body: unknown }
    }

/**
 * Returns an interceptor of an oRPC handler that writes answers with much data of events in pieces: to write ten events of
 * 1 MiB at once would delay those that arrive by half a second. They are sent as one, so that what a client leaves unread
 * counts like other answers.
 *
 * @param makeRoom is told how many bytes will wait for the client.
 */
export function createPieceWriter(makeRoom: (bytes: number) => void) {
  return async <Given extends Result>({ next }: { readonly next: () => Promise<Given> }): Promise<Given> => {
    const result = await next()
    if (!result.matched || dataLength(result.response.body) <= mostWrittenAtOnce) return result
    const bytes = await jsonBytes(result.response.body)
    makeRoom(bytes.length)
    const headers = { ...result.response.headers, 'content-type': 'application/json' }
    return { ...result, response: { ...result.response, headers, body: ReadableStream.from([bytes]) } }
  }
}

/** Returns the length of the data of an event or of a page of events; for a page of the dashboard, within its envelope. */
function dataLength(body: unknown): number {
  if (!isObject(body)) return 0
  const { data, events, json } = body
  if (data instanceof ExactJson) return data.text.length
  if (Array.isArray(events)) return events.reduce((sum: number, event) => sum + dataLength(event), 0)
  return json === undefined ? 0 : dataLength(json)
}
