import type { Readable } from 'node:stream'
import type { Route, Schema } from '@orpc/contract'
import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'
import { restPrefix } from '#main/http/rest-prefix.ts'
import { readWhole } from '#main/lib/growing-buffer.ts'
import { readServiceFacts, type ServiceFacts } from '#main/storage/local/service-facts.ts'
import { type ErrorCode, errorCatalogue, ServiceError } from '#shared/errors.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { Issue } from '#shared/model/issue.ts'
import { type RestRequest, restRequest } from './rest-request.ts'

/** A procedure of the contract, as far as it takes to call it. */
export type Procedure<Input, Output> = {
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
  return {
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
    close: () => dispatcher.close(),
  }
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
