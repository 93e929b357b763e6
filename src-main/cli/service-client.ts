import type { Readable } from 'node:stream'
import type { Route, Schema } from '@orpc/contract'
import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'
import { readWhole } from '#main/lib/growing-buffer.ts'
import { readServiceFacts, type ServiceFacts } from '#main/storage/service-facts.ts'
import { restPrefix } from '#shared/contract/base.ts'
import { contract } from '#shared/contract/index.ts'
import { type ErrorCode, errorCatalogue, ServiceError } from '#shared/errors.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import { Issue } from '#shared/model/issue.ts'

type RestRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path after the prefix, with its query. */
  readonly path: string
  /** JSON; null without a body. */
  readonly body: string | null
}

/**
 * Converts a call of the contract to a REST request: fields in the path go there, all others into the query of a GET or
 * the body of another method. A detailed input names these parts itself. Pure.
 */
export function restRequest(route: Route, input: object): RestRequest {
  const { method = 'GET', path = '/', inputStructure } = route
  if (method === 'HEAD') throw new Error('The contract has no HEAD.')
  if (inputStructure === 'detailed') {
    const { params, query, body } = DetailedInput.parse(input)
    const text = body === undefined ? null : JSON.stringify(body)
    return { method, path: withQuery(fillPath(path, new Map(Object.entries(params))), query), body: text }
  }
  const fields = new Map<string, unknown>(Object.entries(input))
  const filled = fillPath(path, fields)
  if (method !== 'GET') return { method, path: filled, body: JSON.stringify(Object.fromEntries(fields)) }
  return { method, path: withQuery(filled, Object.fromEntries(fields)), body: null }
}

const Fields = z.record(z.string(), z.unknown()).default({})
const DetailedInput = z.object({ params: Fields, query: Fields, body: z.unknown().optional() })

/** Fills the names in braces, and removes their fields. */
function fillPath(path: string, fields: Map<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = fields.get(name)
    fields.delete(name)
    return encodeURIComponent(String(value))
  })
}

function withQuery(path: string, fields: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) query.append(name, String(value))
  return query.size === 0 ? path : `${path}?${query}`
}

/** The parts of a contract's procedure that a call needs. */
type Procedure<Input, Output> = {
  readonly '~orpc': {
    readonly route: Route
    readonly inputSchema?: Schema<Input, unknown> | undefined
    readonly outputSchema?: Schema<unknown, Output> | undefined
  }
}

/** A client of the running service, over the socket in its data folder. */
export type ServiceClient = {
  /** The inbound listener's own base URL. */
  readonly listenerUrl: string
  /** Calls a procedure. @throws ServiceError the procedure's errors; `service_not_running`. */
  call<Input, Output>(procedure: Procedure<Input, Output>, input: NoInfer<Input> & object): Promise<Output>
  /**
   * Posts to a path that returns a file, without a time-out. The stream fails if the service stops.
   *
   * @throws like `call`.
   */
  download(path: string): Promise<Readable>
  /**
   * Posts the bytes of a file, and returns the answer's JSON.
   *
   * @throws like `call`.
   */
  upload(path: string, bytes: Readable): Promise<unknown>
  /**
   * Returns the connection with this id, else the one with this name.
   *
   * @throws ServiceError `connection_not_found`; `ambiguous_connection` if several connections have the name.
   */
  findConnection(idOrName: string): Promise<ConnectionSummary>
  close(): Promise<void>
}

const ErrorBody = z.object({
  code: z.custom<ErrorCode>(code => typeof code === 'string' && Object.hasOwn(errorCatalogue, code)),
  message: z.string(),
  data: z.object({ issues: z.array(Issue) }).optional(),
})

/**
 * Connects to the service that uses a data folder.
 *
 * @throws ServiceError `service_not_running`; `storage_unavailable` if `service.json` cannot be read.
 */
export async function connectToService(dataFolder: string): Promise<ServiceClient> {
  const { folder, facts } = await readServiceFacts(dataFolder)
  const dispatcher = new Agent({ connect: { socketPath: facts.socketPath } })
  const client: ServiceClient = {
    listenerUrl: facts.listenerUrl,
    async call(procedure, input) {
      const { route, outputSchema } = procedure['~orpc']
      const asked = restRequest(route, input)
      const { statusCode, text } = await ask({ dispatcher }, asked, facts, folder, readText)
      const answer = parseJson(text)
      if (statusCode >= 400) throw errorOf(answer)
      const result = await outputSchema?.['~standard'].validate(answer)
      if (result === undefined || result.issues !== undefined) throw unexpectedAnswer()
      return result.value
    },
    async download(path) {
      const asked = { method: 'POST', path, body: null } as const
      const answer = await ask({ dispatcher, ...unhurried }, asked, facts, folder, async response =>
        response.statusCode < 400 ? response.body : (await readText(response)).text,
      )
      if (typeof answer === 'string') throw errorOf(parseJson(answer))
      return answer
    },
    async upload(path, bytes) {
      const asked = { method: 'POST', path, body: bytes } as const
      const { statusCode, text } = await ask({ dispatcher, ...unhurried }, asked, facts, folder, readText)
      const answer = parseJson(text)
      if (statusCode >= 400) throw errorOf(answer)
      return answer
    },
    findConnection: async idOrName => {
      const text = idOrName.slice(0, 200)
      const connections = await client.call(contract.connections.list, { text })
      return pick('connection', connections, ({ connectionId }) => connectionId, idOrName)
    },
    close: () => dispatcher.close(),
  }
  return client
}

/** The service may copy many gigabytes before it sends the first byte. */
const unhurried = { headersTimeout: 0, bodyTimeout: 0 }

async function ask<Answer>(
  options: Pick<Dispatcher.RequestOptions, 'headersTimeout' | 'bodyTimeout'> & { dispatcher: Dispatcher },
  { method, path, body }: Omit<RestRequest, 'body'> & { readonly body: string | Readable | null },
  facts: ServiceFacts,
  folder: string,
  read: (response: Dispatcher.ResponseData) => Promise<Answer>,
): Promise<Answer> {
  try {
    const response = await request(`http://service${restPrefix}${path}`, {
      ...options,
      method,
      headers: {
        authorization: `Bearer ${facts.token}`,
        ...(body === null
          ? {}
          : { 'content-type': typeof body === 'string' ? 'application/json' : 'application/octet-stream' }),
      },
      body,
    })
    return await read(response)
  } catch (cause) {
    // A killed process leaves its service.json behind.
    throw new ServiceError('service_not_running', {
      detail: `No service is running on the data folder ${folder}: its last process, ${facts.pid}, does not answer. Start one with "custom-connection serve".`,
      cause,
    })
  }
}

/** Enough for a page of 200 events of 1 MiB each. */
const maxAnswerBytes = 512 * 1024 * 1024

async function readText({ statusCode, body }: Dispatcher.ResponseData) {
  return { statusCode, text: (await readWhole(body, maxAnswerBytes)).toString('utf8') }
}

/** Parses the JSON of an answer. @throws ServiceError `internal_error`. */
export function parseJson(text: string): unknown {
  try {
    // Responses of external systems keep the digits of their numbers.
    return parseExact(text)
  } catch {
    throw unexpectedAnswer()
  }
}

/** Returns the error of an answer's body. */
export function errorOf(answer: unknown): ServiceError {
  const parsed = ErrorBody.safeParse(answer)
  if (!parsed.success) return unexpectedAnswer()
  const { code, message, data } = parsed.data
  return new ServiceError(code, { detail: message, ...(data === undefined ? {} : { data }) })
}

function unexpectedAnswer(): ServiceError {
  return new ServiceError('internal_error', {
    detail: 'The service gave an unexpected answer. Check that it has the same version as this program.',
  })
}

/**
 * Returns the item with this id, else the one with this name.
 *
 * @throws ServiceError `connection_not_found` and `ambiguous_connection`, or those of a workflow.
 */
export function pick<Item extends { readonly name: string }>(
  noun: 'connection' | 'workflow',
  items: readonly Item[],
  idOf: (item: Item) => string,
  idOrName: string,
): Item {
  const byId = items.find(item => idOf(item) === idOrName)
  if (byId !== undefined) return byId
  const [first, ...others] = items.filter(({ name }) => name === idOrName)
  if (first === undefined) {
    const detail = `No ${noun} has the id or the name "${idOrName}".`
    throw new ServiceError(`${noun}_not_found`, { detail })
  }
  if (others.length === 0) return first
  const ids = [first, ...others].map(idOf).join(', ')
  const detail = `More than one ${noun} is named "${idOrName}". Use an id: ${ids}.`
  throw new ServiceError(`ambiguous_${noun}`, { detail })
}

/** Connects to the service of a data folder, runs `ask`, and closes the connection. @throws like `connectToService`. */
export async function askService<Answer>(
  dataFolder: string,
  ask: (service: ServiceClient) => Promise<Answer>,
): Promise<Answer> {
  const service = await connectToService(dataFolder)
  try {
    return await ask(service)
  } finally {
    await service.close()
  }
}

/** Calls one procedure of the service of a data folder. @throws like `connectToService`. */
export function callService<Input, Output>(
  dataFolder: string,
  procedure: Procedure<Input, Output>,
  input: NoInfer<Input> & object,
): Promise<Output> {
  return askService(dataFolder, service => service.call(procedure, input))
}
