import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { SigningKey } from '#main/signing/signing-key.ts'
import type { ActionFields } from '#shared/model/action.ts'
import type { ActionUrl } from '#shared/model/action-url.ts'
import type { CallError, CallResult, CallTimings, SentRequest } from '#shared/model/call.ts'
import type { Arguments } from './arguments.ts'
import {
  actionUrl,
  argumentError,
  type BuiltRequest,
  buildRequest,
  type CallExtras,
  extraHeadersError,
  requestHeaders,
  variablesOfAction,
} from './build-request.ts'
import { decode, isEncoded, whole } from './decode-body.ts'
import { callError, failureOf } from './failures.ts'
import { type Environment, type HeaderMap, headerSecrets } from './header-values.ts'
import { keptTextMasker } from './mask-text.ts'
import { createMasker, type Masker, withHeaders } from './masking.ts'
import { compileMapping, is2xx, type Mapping, readResponse } from './read-response.ts'
import { createSender, defaultLimits, type SendLimits } from './send.ts'
import type { Trust } from './trust.ts'

/** Everything that is the same for all calls of an action. */
type Preparation = {
  /** Names of the environment variables in its headers. */
  readonly variables: readonly string[]
  readonly masker: Masker
  /** Null without a usable base URL. */
  readonly url: ActionUrl | null
  readonly mapping: Mapping | null
  readonly headers: { readonly ok: Readonly<HeaderMap> } | { readonly error: CallError }
}

type Values = ReadonlyMap<string, string | undefined>
type KeptAction = Preparation & {
  readonly baseUrl: string | null
  readonly values: Values
  readonly known: readonly string[]
}
const noSecrets: readonly string[] = []
type Connection = { readonly baseUrl: string | null; readonly signingSecret: string }

/**
 * Prepares calls, and caches the result by the record it was made from, because patterns and keys cost more than a call.
 * Environment variables are read again for every call.
 */
function createPreparations(environment: Environment, version: string) {
  const keptActions = new WeakMap<ActionFields, KeptAction>()
  const keptKeys = new WeakMap<Connection, { secret: string; key: SigningKey }>()

  /** Actions without secrets of their own share one masker. */
  function maskerOf(shown: Readonly<HeaderMap>, own: readonly string[], known: readonly string[]): Masker {
    const secrets = [...new Set([...known, ...own.filter(value => value !== '')])]
    if (secrets.length > new Set(known).size) return createMasker({ shown, secrets })
    return createMasker({ shown, secrets }, keptTextMasker(known))
  }

  return {
    action(action: ActionFields, baseUrl: string | null): Preparation {
      const kept = keptActions.get(action)
      const variables = kept?.variables ?? variablesOfAction(action)
      const known = environment.secrets?.() ?? noSecrets
      if (kept?.baseUrl === baseUrl && kept.known === known && isUnchanged(kept.values, environment))
        return kept
      const values = new Map(variables.map(name => [name, environment.resolve(name)]))
      const filled = requestHeaders(action, values, version)
      const failed = 'error' in filled
      const own = Object.values(action.headers ?? {}).flatMap(template => headerSecrets(template, values))
      const made: KeptAction = {
        variables,
        baseUrl,
        values,
        known,
        masker: maskerOf(failed ? {} : filled.shown, own, known),
        url: baseUrl === null ? null : actionUrl(baseUrl, action),
        mapping: compileMapping(action.responseMapping),
        headers: failed ? { error: filled.error } : { ok: filled.headers },
      }
      keptActions.set(action, made)
      return made
    },

    key(connection: Connection): SigningKey {
      const kept = keptKeys.get(connection)
      if (kept?.secret === connection.signingSecret) return kept.key
      const key = new SigningKey(connection.signingSecret)
      keptKeys.set(connection, { secret: connection.signingSecret, key })
      return key
    },
  }
}

function isUnchanged(values: Values, environment: Environment): boolean {
  for (const [name, value] of values) if (environment.resolve(name) !== value) return false
  return true
}

/** The parts of a connection that a call needs; `timeoutMs` is for the whole call. */
type CallConnection = {
  readonly baseUrl: string | null
  readonly signingSecret: string
  readonly timeoutMs: number
}

type CallInput = {
  /** Must be immutable, like the configuration's records: preparations are cached by it. */
  readonly connection: CallConnection
  readonly action: ActionFields
  readonly arguments: Arguments
  readonly extras?: CallExtras | undefined
  /** Ends the call early, with `network_error`. */
  readonly signal?: AbortSignal | undefined
}

/** An outcome and the names of the environment variables that the action's headers use. */
export type CallOutcome = CallResult & { environmentVariables: string[] }

export type Caller = ReturnType<typeof createCaller>

const noTime: CallTimings = { totalMs: 0, dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, downloadMs: 0 }

/**
 * @param clock milliseconds since 1970, for the timestamps of signatures.
 * @param version of this program, for User-Agent.
 * @param lookup replaces the system's resolver in tests.
 * @param trust trusted certificate authorities; Node's own by default.
 */
export function createCaller(options: {
  environment: Environment
  clock: () => number
  version: string
  lookup?: LookupFunction
  trust?: Pick<Trust, 'context'>
  limits?: Partial<SendLimits>
}) {
  const { environment, clock, version, lookup = systemLookup, trust } = options
  const limits = { ...defaultLimits, ...options.limits }
  const sender = createSender({ lookup, context: () => trust?.context(), limits })
  const prepare = createPreparations(environment, version)

  /** Makes the call. The outcome is not masked yet. */
  async function perform(
    { connection, action, arguments: given, extras, signal }: CallInput,
    { url, headers, mapping }: Preparation,
  ): Promise<CallResult> {
    if (connection.baseUrl === null || url === null) return notMade(callError('no_base_url'))
    const wrong = argumentError(action, given)
    if (wrong !== null) return notMade(wrong)
    if ('error' in headers) return notMade(headers.error)
    const refused = extraHeadersError(extras?.headers ?? {})
    if (refused !== null) return notMade(refused)

    const request = buildRequest(action, url, headers.ok, given, prepare.key(connection), clock(), extras)
    const outcome = await sender.send(request, connection.timeoutMs, signal)
    const sent = sentRequest(request)
    const { timings } = outcome
    if ('error' in outcome) {
      const host = new URL(url.origin).host
      const error = failureOf({ ...outcome, host, timeoutMs: connection.timeoutMs, limits })
      return { ...notMade(error), request: sent, timings }
    }
    const { answer } = outcome
    const decoded = isEncoded(answer) ? await decode(answer, limits) : whole(answer.body, limits)
    const { body, error } = decoded
    if (body === null) return { ...notMade(error), request: sent, timings }
    const { response, result, mapped } = readResponse(answer.status, answer.headers, body, mapping)
    const ok = error === null && is2xx(answer.status)
    return { ok, request: sent, response, result, mapped, timings, error }
  }

  return {
    /** Calls the endpoint of an action once. Never rejects: errors are part of the outcome. */
    async call(input: CallInput) {
      const preparation = prepare.action(input.action, input.connection.baseUrl)
      const masked = preparation.masker(await perform(input, preparation))
      const result = withHeaders(masked, input.extras?.maskedHeaders ?? {})
      return Object.assign(result, { environmentVariables: [...preparation.variables] })
    },
    /** Cancels running calls and closes all connections. */
    close: sender.close,
  }
}

function notMade(error: CallError | null): CallResult {
  const timings = { ...noTime }
  return { ok: false, request: null, response: null, result: null, mapped: null, timings, error }
}

function sentRequest({ method, origin, target, headers, body }: BuiltRequest): SentRequest {
  return { method, url: origin + target, headers, body }
}
