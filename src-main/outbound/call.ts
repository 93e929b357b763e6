import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { signedHeaders } from '#main/signing/sign.ts'
import type { CallContents, CallError, CallResult, CallTimings } from '#shared/model/call.ts'
import { decode, isEncoded, whole } from './decode-body.ts'
import { failureOf } from './failures.ts'
import {
  type Environment,
  fillHeaders,
  type HeaderMap,
  headerSecrets,
  headersError,
  variablesOf,
  withHeaders,
} from './header-values.ts'
import { keptTextMasker } from './mask-text.ts'
import { createMasker, type Masker, withShown } from './masking.ts'
import type { ImpossibleRequest, OutboundRequest } from './outbound-request.ts'
import { is2xx, readResponse } from './read-response.ts'
import { createSender, defaultLimits, type SendLimits } from './send.ts'
import type { Trust } from './trust.ts'

type Values = ReadonlyMap<string, string | undefined>

/** Everything that is the same for all requests with the same headers. */
type Preparation = {
  /** Names of the environment variables in the headers. */
  readonly variables: readonly string[]
  readonly values: Values
  readonly known: readonly string[]
  readonly masker: Masker
  readonly headers: { readonly ok: Readonly<HeaderMap> } | { readonly error: CallError }
}

const noSecrets: readonly string[] = []

/**
 * Returns a function that prepares requests. It caches the result by the headers, because patterns cost more than a
 * call. Environment variables are read again for every call.
 */
function createPreparations(environment: Environment, version: string) {
  const kept = new WeakMap<Readonly<HeaderMap>, Preparation>()

  return (headers: Readonly<HeaderMap>): Preparation => {
    const before = kept.get(headers)
    const variables = before?.variables ?? variablesOf(headers)
    const known = environment.secrets?.() ?? noSecrets
    if (before?.known === known && isUnchanged(before.values, environment)) return before
    const values = new Map(variables.map(name => [name, environment.resolve(name)]))
    const filled = fillHeaders(headers, values)
    const failed = 'error' in filled
    const own = Object.values(headers).flatMap(template => headerSecrets(template, values))
    const made: Preparation = {
      ...{ variables, values, known },
      masker: maskerOf(failed ? {} : filled.shown, own, known),
      headers: failed
        ? { error: filled.error }
        : { ok: withHeaders({ 'User-Agent': `custom-connection/${version}` }, filled.headers) },
    }
    kept.set(headers, made)
    return made
  }
}

/** Requests without secrets of their own share one masker. */
function maskerOf(shown: Readonly<HeaderMap>, own: readonly string[], known: readonly string[]): Masker {
  const secrets = [...new Set([...known, ...own.filter(value => value !== '')])]
  if (secrets.length > new Set(known).size) return createMasker({ shown, secrets })
  return createMasker({ shown, secrets }, keptTextMasker(known))
}

function isUnchanged(values: Values, environment: Environment): boolean {
  for (const [name, value] of values) if (environment.resolve(name) !== value) return false
  return true
}

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
    request: OutboundRequest | ImpossibleRequest,
    { headers }: Preparation,
    signal: AbortSignal | undefined,
  ): Promise<CallResult> {
    if ('error' in request) return notMade(request.error)
    if ('error' in headers) return notMade(headers.error)
    const { method, origin, target, rawHeaders, body, encoding, key, timeoutMs, responseMapping } = request
    const refused = rawHeaders === undefined ? null : headersError(rawHeaders)
    if (refused !== null) return notMade(refused)

    const bytes = Buffer.from(body, encoding)
    const own = rawHeaders === undefined ? headers.ok : withHeaders(headers.ok, rawHeaders)
    const signed = { ...own, ...(key && signedHeaders(key, Math.floor(clock()), bytes)) }
    const sent = { method, url: origin + target, headers: signed, body }
    const outcome = await sender.send({ method, origin, target, headers: signed, bytes }, timeoutMs, signal)
    const { timings } = outcome
    if ('error' in outcome) {
      const error = failureOf({ ...outcome, host: new URL(origin).host, timeoutMs, limits })
      return { ...notMade(error), request: sent, timings }
    }
    const { answer } = outcome
    const decoded = isEncoded(answer) ? await decode(answer, limits) : whole(answer.body, limits)
    const { body: content, error, isUnknown } = decoded
    if (content === null) return { ...notMade(error), request: sent, timings }
    const { response, result, mapped } = readResponse(
      answer.status,
      answer.headers,
      content,
      responseMapping,
      isUnknown,
    )
    const ok = error === null && is2xx(answer.status)
    return { ok, request: sent, response, result, mapped, timings, error }
  }

  return {
    /** Sends a request once. Never rejects: errors are part of the outcome. @param signal ends it early, with `network_error`. */
    async call(
      request: OutboundRequest | ImpossibleRequest,
      signal?: AbortSignal,
    ): Promise<CallResult & Pick<CallContents, 'environmentVariables'>> {
      const preparation = prepare(request.headers)
      const outcome = await perform(request, preparation, signal)
      const shown = 'shown' in request ? request.shown : undefined
      const result = preparation.masker(shown === undefined ? outcome : withShown(outcome, shown))
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
