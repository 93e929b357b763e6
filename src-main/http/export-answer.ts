import { restPrefix } from '#shared/contract/base.ts'
import { contract } from '#shared/contract/index.ts'

const { route } = contract.activity.export['~orpc']
const path = `${restPrefix}${route.path}`

const types = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const

type Result = {
  readonly response:
    | { readonly status: number; readonly headers: object; readonly body?: unknown }
    | undefined
}
type Options<Given> = { readonly request: { readonly url: URL }; readonly next: () => Promise<Given> }

/**
 * An interceptor of an oRPC handler that sends an export as the file itself: oRPC would send its pieces as events. A
 * piece is made when the client has taken those before it.
 */
export async function sendExport<Given extends Result>({ request, next }: Options<Given>): Promise<Given> {
  const result = await next()
  const { response } = result
  if (request.url.pathname !== path || response === undefined || response.status !== 200) return result
  if (!isPieces(response.body)) return result
  const format = request.url.searchParams.get('format') === 'csv' ? 'csv' : 'jsonl'
  const headers = {
    'content-type': types[format],
    'content-disposition': `attachment; filename="activity.${format}"`,
  }
  return { ...result, response: { ...response, headers, body: ReadableStream.from(bytesOf(response.body)) } }
}

const isPieces = (body: unknown): body is AsyncIterable<unknown> =>
  body instanceof Object && Symbol.asyncIterator in body

async function* bytesOf(pieces: AsyncIterable<unknown>) {
  for await (const piece of pieces) yield Buffer.from(String(piece))
}
