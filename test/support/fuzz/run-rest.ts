import { z } from 'zod'
import { OpenApiDocument } from '../openapi-document.ts'
import type { Random } from './random.ts'
import { createRestFuzzer, type KnownIds, type RestRequest } from './rest-requests.ts'

export type RestFuzzOptions = {
  /** Where REST is: `http://127.0.0.1:8788/api/v1`. */
  readonly baseUrl: string
  readonly token: string
  readonly random: Random
  readonly requests: number
}
export type RestFuzzResult = {
  readonly answered: number
  /** By status. */
  readonly statuses: Readonly<Record<string, number>>
  /** At most ten calls whose answer was not one that REST may give. */
  readonly wrong: readonly string[]
}

const Failure = z.looseObject({ code: z.string().min(1), message: z.string().min(1) })

/**
 * Calls every operation with fuzzed input. An answer is right when it is JSON, a refusal has a code and a message,
 * and its status is below 500.
 */
export async function fuzzRest({
  baseUrl,
  token,
  random,
  requests,
}: RestFuzzOptions): Promise<RestFuzzResult> {
  const authorization = `Bearer ${token}`
  const call = (method: string, path: string, body?: string, contentType = 'application/json') =>
    fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': contentType }) },
      ...(body !== undefined && { body }),
    })
  const document = OpenApiDocument.parse(await (await call('GET', '/openapi.json')).json())
  let nextRequest = createRestFuzzer(document, await makeThings(call), random)
  const statuses: Record<string, number> = {}
  const wrong: string[] = []
  let left = requests
  let answered = 0

  const run = async () => {
    while (left-- > 0 && wrong.length < 10) {
      // The calls delete and rename things, so new ones are created regularly.
      if (left % 500 === 0) nextRequest = createRestFuzzer(document, await makeThings(call), random)
      const request = nextRequest()
      const response = await call(request.method, request.path, request.body, request.contentType)
      const text = await response.text()
      answered++
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      const fault = faultOf(response.status, text)
      if (fault !== null) wrong.push(describe(request, fault))
    }
  }
  await Promise.all(Array.from({ length: 4 }, run))
  return { answered, statuses, wrong }
}

function faultOf(status: number, text: string): string | null {
  // The input has an address where no program listens.
  if (status === 502 && text.startsWith('{"code":"source_unreachable"')) return null
  if (status >= 500) return `${status} ${text}`
  if (status < 400) return null
  try {
    return Failure.safeParse(JSON.parse(text)).success ? null : `a refusal without code and message: ${text}`
  } catch {
    return `a refusal that is not JSON: ${status} ${text.slice(0, 200)}`
  }
}

function describe({ method, path, contentType, body }: RestRequest, fault: string): string {
  return `${method} ${path} ${contentType} ${body?.slice(0, 1000)}: ${fault}`
}

type Call = (method: string, path: string, body?: string) => Promise<Response>

/** Makes one of each thing, so that most calls find what they are about. */
async function makeThings(call: Call): Promise<KnownIds> {
  const make = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await call('POST', path, JSON.stringify(body))
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
    return z.record(z.string(), z.unknown()).parse(await response.json())
  }
  const idOf = (thing: Record<string, unknown>, name: string) => z.string().parse(thing[name])
  const workspaceId = idOf(await make('/workspaces', { name: 'Fuzzed' }), 'workspaceId')
  const connection = await make('/connections', { name: 'Shop', persistEvents: true, workspaceId })
  const connectionId = idOf(connection, 'connectionId')
  const action = {
    name: 'Find',
    toolName: 'find_order',
    description: 'Finds one.',
    method: 'GET',
    path: '/orders',
  }
  const actionId = idOf(await make(`/connections/${connectionId}/actions`, action), 'actionId')
  const eventType = await make(`/connections/${connectionId}/event-types`, { eventName: 'order.created' })
  await make(`/connections/${connectionId}/send`, { event: 'order.created', data: { id: 1 } })
  const events = z
    .looseObject({ events: z.array(z.looseObject({ eventId: z.string() })) })
    .parse(await (await call('GET', `/connections/${connectionId}/events`)).json())
  return {
    workspaceId,
    connectionId,
    actionId,
    eventTypeId: idOf(eventType, 'eventTypeId'),
    eventId: events.events[0]?.eventId ?? '',
    name: 'API_KEY',
  }
}
