import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { ActionFields } from '#shared/model/action.ts'
import type { CallError, CallResult, CallTimings, SentRequest } from '#shared/model/call.ts'
import type { Arguments } from './arguments.ts'
import { argumentError, type BuiltRequest, buildRequest } from './build-request.ts'
import { callError } from './call-errors.ts'
import { decodeBody, UndecodableBodyError } from './decode-body.ts'
import { BodyTooLargeError, type RawAnswer } from './exchange.ts'
import { failureOf, tooLarge } from './failures.ts'
import type { Environment } from './header-values.ts'
import { createPreparations, type Preparation } from './preparations.ts'
import { readResponse } from './read-response.ts'
import { createSender, defaultLimits, type SendLimits } from './send.ts'

/** What a call needs of a connection; `timeoutMs` is for the whole call. */
export type CallConnection = {
  readonly baseUrl: string | null
  readonly signingSecret: string
  readonly timeoutMs: number
}

export type CallInput = {
  /** Kept as it is and never changed, as records of the configuration are: what is made of it is kept too. */
  readonly connection: CallConnection
  readonly action: ActionFields
  readonly arguments: Arguments
  /** Ends the call early, with `network_error`. */
  readonly signal?: AbortSignal | undefined
}

/** An outcome and the names of the environment variables that the action's headers use. */
export type CallOutcome = CallResult & { environmentVariables: string[] }

export type Caller = {
  /** Calls the endpoint of an action once (specification: E2). Whatever goes wrong is in the outcome. */
  call(input: CallInput): Promise<CallOutcome>
  /** Ends the calls under way and closes every connection. */
  close(): Promise<void>
}

const noTime: CallTimings = { totalMs: 0, dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, downloadMs: 0 }

/**
 * @param clock milliseconds since 1970, for the timestamps of signatures.
 * @param version of this program, for User-Agent.
 * @param lookup resolves names instead of the system, for tests.
 * @param ca certificate authorities instead of the usual ones, PEM.
 */
export function createCaller(options: {
  environment: Environment
  clock: () => number
  version: string
  lookup?: LookupFunction
  ca?: string
  limits?: Partial<SendLimits>
}): Caller {
  const { environment, clock, version, lookup = systemLookup, ca } = options
  const limits = { ...defaultLimits, ...options.limits }
  const sender = createSender({ lookup, ca, limits })
  const prepare = createPreparations(environment, version)

  /** Everything but the masking. */
  async function perform(
    { connection, action, arguments: given, signal }: CallInput,
    { url, headers }: Preparation,
  ): Promise<CallResult> {
    if (connection.baseUrl === null || url === null) return notMade(callError('no_base_url'))
    const wrong = argumentError(action, given)
    if (wrong !== null) return notMade(wrong)
    if ('error' in headers) return notMade(headers.error)

    const request = buildRequest(action, url, headers.ok, given, prepare.key(connection), clock())
    const outcome = await sender.send(request, connection.timeoutMs, signal)
    const sent = sentRequest(request)
    if ('answer' in outcome) {
      const { answer, timings } = outcome
      const { body, error } = await decode(answer, limits)
      if (body === null) return { ...notMade(error), request: sent, timings }
      const read = readResponse({ ...answer, body }, action.responseMapping)
      const ok = error === null && answer.status >= 200 && answer.status < 300
      return { ok, request: sent, ...read, timings, error }
    }
    const host = new URL(url.origin).host
    const error = failureOf({ ...outcome, host, timeoutMs: connection.timeoutMs, limits })
    return { ...notMade(error), request: sent, timings: outcome.timings }
  }

  return {
    async call(input) {
      const preparation = prepare.action(input.action, input.connection.baseUrl)
      const result = preparation.masker(await perform(input, preparation))
      return { ...result, environmentVariables: [...preparation.variables] }
    },
    close: sender.close,
  }
}

function notMade(error: CallError | null): CallResult {
  return { ok: false, request: null, response: null, result: null, mapped: null, timings: noTime, error }
}

function sentRequest({ method, origin, target, headers, body }: BuiltRequest): SentRequest {
  return { method, url: origin + target, headers, body }
}

/** The body as it was meant; of one that cannot be decoded the bytes as they came, with an error. */
async function decode(
  { headers, body }: RawAnswer,
  limits: SendLimits,
): Promise<{ body: Buffer | null; error: CallError | null }> {
  const encodings = headers['content-encoding']
  try {
    const decoded =
      encodings === undefined || body.length === 0
        ? body
        : await decodeBody(body, encodings, limits.bodyBytes)
    if (decoded.length > limits.bodyBytes) throw new BodyTooLargeError()
    return { body: decoded, error: null }
  } catch (error) {
    if (error instanceof BodyTooLargeError) return { body: null, error: tooLarge(limits) }
    if (error instanceof UndecodableBodyError)
      return { body, error: callError('network_error', error.message) }
    throw error
  }
}
