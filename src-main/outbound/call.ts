import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { signedHeaders } from '#main/signing/sign.ts'
import { withPair } from '#shared/model/action-url.ts'
import type { CallContents, CallError, CallResult, CallTimings } from '#shared/model/call.ts'
import { decode, isEncoded, whole } from './decode-body.ts'
import { failureOf } from './failures.ts'
import {
  type Environment,
  type FilledQuery,
  fillHeaders,
  fillQuery,
  type HeaderMap,
  headerSecrets,
  headersError,
  type MissingTokens,
  variablesOf,
  withHeaders,
} from './header-values.ts'
import { keptTextMasker } from './mask-text.ts'
import { createMasker, type Masker, shownHost, withShown } from './masking.ts'
import type { ImpossibleRequest, OutboundRequest, ShownRequest } from './outbound-request.ts'
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
  /** The query parameter of the sign-in, as it is sent and as it is shown; null without one. */
  readonly query: FilledQuery | null
}

/** The parts of a request with variables. */
type Templates = Pick<OutboundRequest, 'headers' | 'query'>

const noSecrets: readonly string[] = []
const noValues: ReadonlyMap<string, string> = new Map()

/**
 * Returns a function that prepares requests. It caches the result by the headers, because patterns cost more than a
 * call. Environment variables are read again for every call.
 */
function createPreparations(environment: Environment, version: string) {
  const kept = new WeakMap<Readonly<HeaderMap>, Preparation>()

  /** @param fetched values of variables that were just fetched. */
  return ({ headers, query }: Templates, fetched: Values = noValues): Preparation => {
    const before = kept.get(headers)
    const variables = before?.variables ?? variablesOf(headers, query)
    const known = environment.secrets?.() ?? noSecrets
    const valueFor = (name: string) => fetched.get(name) ?? environment.resolve(name)
    if (before?.known === known && isUnchanged(before.values, valueFor)) return before
    const values = new Map(variables.map(name => [name, valueFor(name)]))
    const filled = fillHeaders(headers, values)
    const failed = 'error' in filled
    const templates = [...Object.values(headers), ...(query === undefined ? [] : [query.value])]
    const own = templates.flatMap(template => headerSecrets(template, values))
    const made: Preparation = {
      ...{ variables, values, known },
      query: query === undefined ? null : fillQuery(query, values),
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

function isUnchanged(values: Values, valueFor: (name: string) => string | undefined): boolean {
  for (const [name, value] of values) if (valueFor(name) !== value) return false
  return true
}

const noneFetched: MissingTokens = { values: noValues }

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

  /** Fetches the tokens that a request needs and that are not there; null if there are none. */
  function fetchMissing({ values }: Preparation): Promise<MissingTokens> | null {
    let names: string[] | null = null
    for (const [name, value] of values) if (value === undefined) names = [...(names ?? []), name]
    return names === null ? null : (environment.fetchMissing?.(names) ?? null)
  }

  /** Makes the call. The outcome is not masked yet. */
  async function perform(
    request: OutboundRequest | ImpossibleRequest,
    { headers: prepared, query }: Preparation,
    signal: AbortSignal | undefined,
  ): Promise<CallResult> {
    if ('error' in request) return notMade(request.error)
    if ('error' in prepared) return notMade(prepared.error)
    const { method, origin, rawHeaders, body, encoding, key, timeoutMs, responseMapping } = request
    const { sign = signedHeaders } = request
    const target = query === null ? request.target : withPair(request.target, query.text)
    const refused = rawHeaders === undefined ? null : headersError(rawHeaders)
    if (refused !== null) return notMade(refused)

    const bytes = Buffer.from(body, encoding)
    const own = rawHeaders === undefined ? prepared.ok : withHeaders(prepared.ok, rawHeaders)
    let signed = own
    // Each request is signed at its own time, also one that is sent again.
    const headers = () => {
      signed = { ...own, ...(key && sign(key, Math.floor(clock()), bytes)) }
      return signed
    }
    const outcome = await sender.send({ method, origin, target, headers, bytes }, timeoutMs, signal)
    const made = {
      request: { method, url: origin + target, headers: signed, body },
      timings: outcome.timings,
      ...(outcome.resent && { resent: outcome.resent }),
    }
    if ('error' in outcome)
      return {
        ...notMade(failureOf({ ...outcome, host: shownHost(request), timeoutMs, limits })),
        ...made,
      }
    const { answer } = outcome
    const decoded = isEncoded(answer) ? await decode(answer, limits) : whole(answer.body, limits)
    const { body: content, error, isUnknown } = decoded
    if (content === null) return { ...notMade(error), ...made }
    const { response, result, mapped } = readResponse(answer, content, responseMapping, isUnknown)
    const ok = error === null && is2xx(answer.status)
    return { ok, response, result, mapped, error, ...made }
  }

  return {
    /** Sends a request. Never rejects: errors are part of the outcome. @param signal ends it early, with `network_error`. */
    async call(
      request: OutboundRequest | ImpossibleRequest,
      signal?: AbortSignal,
    ): Promise<CallResult & Pick<CallContents, 'environmentVariables'>> {
      const first = prepare(request)
      const fetching = 'error' in request ? null : fetchMissing(first)
      // Only waits if a token has to be fetched.
      const fetched = fetching === null ? noneFetched : await fetching
      const isReady = 'values' in fetched
      const values = isReady ? fetched.values : noValues
      const preparation = values.size === 0 ? first : prepare(request, values)
      const outcome = isReady ? await perform(request, preparation, signal) : notMade(fetched.error)
      // A receiver that refuses a wrong signature says nothing about the token.
      const isSignedRight = 'error' in request || request.sign === undefined
      if (outcome.response?.status === 401 && isSignedRight)
        environment.dropTokens?.([...preparation.values.values(), ...values.values()])
      const shown = shownOf(request, preparation)
      const result = preparation.masker(shown === undefined ? outcome : withShown(outcome, shown))
      const names = new Set([...preparation.variables, ...(request.variables ?? [])])
      return Object.assign(result, { environmentVariables: [...names] })
    },
    /** Cancels running calls and closes all connections. */
    close: sender.close,
  }
}

/** Returns the parts of a request that are shown otherwise than they are; undefined for none. */
function shownOf(
  request: OutboundRequest | ImpossibleRequest,
  { query }: Preparation,
): ShownRequest | undefined {
  if ('error' in request) return undefined
  const { shown, origin, target } = request
  return query === null ? shown : { ...shown, url: withPair(shown?.url ?? origin + target, query.shown) }
}

/** Returns the result of a call of which nothing was sent, or answered. */
export function notMade(error: CallError | null): CallResult {
  const timings = { ...noTime }
  return { ok: false, request: null, response: null, result: null, mapped: null, timings, error }
}
