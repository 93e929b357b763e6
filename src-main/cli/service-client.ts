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
  /** Below the prefix, with its query. */
  readonly path: string
  /** JSON, or null where the request has none. */
  readonly body: string | null
}

/**
 * Writes a call of the contract as a REST request: fields named in the path go there, the rest into the
 * query of a GET or the body of anything else. Pure.
 */
export function restRequest({ method = 'GET', path = '/' }: Route, input: object): RestRequest {
  if (method === 'HEAD') throw new Error('The contract has no HEAD.')
  const fields = new Map<string, unknown>(Object.entries(input))
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = fields.get(name)
    fields.delete(name)
    return encodeURIComponent(String(value))
  })
  if (method !== 'GET') return { method, path: filled, body: JSON.stringify(Object.fromEntries(fields)) }
  const query = new URLSearchParams()
  for (const [name, value] of fields) if (value !== undefined) query.append(name, String(value))
  return { method, path: query.size === 0 ? filled : `${filled}?${query}`, body: null }
}

/** A procedure of the contract, as far as it takes to call it. */
type Procedure<Input, Output> = {
  readonly '~orpc': {
    readonly route: Route
    readonly inputSchema?: Schema<Input, unknown> | undefined
    readonly outputSchema?: Schema<unknown, Output> | undefined
  }
}

/** The running service, asked over the socket of its data folder. */
export type ServiceClient = {
  /** The inbound listener's own base URL. */
  readonly listenerUrl: string
  /** @throws ServiceError what the procedure answers; `service_not_running`. */
  call<Input extends object, Output>(
    procedure: Procedure<Input, Output>,
    input: NoInfer<Input>,
  ): Promise<Output>
  /**
   * Posts to a path that answers with a file, however long that takes.
   *
   * @returns the file; it breaks off with an error when the service does.
   * @throws as `call` does.
   */
  download(path: string): Promise<Readable>
  /**
   * Returns the connection with this id, else the one with this name.
   *
   * @throws ServiceError `connection_not_found`; `ambiguous_connection` when several have the name.
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
 * Finds the service that holds a data folder.
 *
 * @throws ServiceError `service_not_running`; `storage_unavailable` when what it says of itself cannot be read.
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
    findConnection: async idOrName => pick(await client.call(contract.connections.list, {}), idOrName),
    close: () => dispatcher.close(),
  }
  return client
}

/** A copy of many gigabytes is made before the first byte is sent. */
const unhurried = { headersTimeout: 0, bodyTimeout: 0 }

async function ask<Answer>(
  options: Pick<Dispatcher.RequestOptions, 'headersTimeout' | 'bodyTimeout'> & { dispatcher: Dispatcher },
  { method, path, body }: RestRequest,
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
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
      body,
    })
    return await read(response)
  } catch (cause) {
    // Its file was left behind by a kill; the socket is deaf or gone.
    throw new ServiceError('service_not_running', {
      detail: `No service is running on the data folder ${folder}: process ${facts.pid}, which had it, does not answer. Start one with "custom-connection serve".`,
      cause,
    })
  }
}

/** A page of events has at most 200 bodies of 1 MiB each, unless the settings allow more. */
const maxAnswerBytes = 512 * 1024 * 1024

async function readText({ statusCode, body }: Dispatcher.ResponseData) {
  return { statusCode, text: (await readWhole(body, maxAnswerBytes)).toString('utf8') }
}

function parseJson(text: string): unknown {
  try {
    // Of what an external system answered, numbers keep their digits.
    return parseExact(text)
  } catch {
    throw unexpectedAnswer()
  }
}

function errorOf(answer: unknown): ServiceError {
  const parsed = ErrorBody.safeParse(answer)
  if (!parsed.success) return unexpectedAnswer()
  const { code, message, data } = parsed.data
  return new ServiceError(code, { detail: message, ...(data === undefined ? {} : { data }) })
}

function unexpectedAnswer(): ServiceError {
  return new ServiceError('internal_error', {
    detail: 'The service gave an answer of an unexpected form; is it of the same version as this program?',
  })
}

function pick(connections: readonly ConnectionSummary[], idOrName: string): ConnectionSummary {
  const byId = connections.find(({ connectionId }) => connectionId === idOrName)
  if (byId !== undefined) return byId
  const [first, ...others] = connections.filter(({ name }) => name === idOrName)
  if (first === undefined) {
    const detail = `No connection has the id or the name "${idOrName}".`
    throw new ServiceError('connection_not_found', { detail })
  }
  if (others.length === 0) return first
  const ids = [first, ...others].map(({ connectionId }) => connectionId).join(', ')
  const detail = `More than one connection is named "${idOrName}"; use an id: ${ids}.`
  throw new ServiceError('ambiguous_connection', { detail })
}

/** Asks the running service of a data folder, and closes the connection to it. @throws as `connectToService` does. */
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
