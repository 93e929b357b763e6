import { callError } from './failures.ts'

/** The parts of a request for a token: a definition of a variable and the value of its secret. */
export type TokenRequest = {
  readonly tokenUrl: string
  readonly clientId: string
  readonly secret: string
  readonly scope?: string | undefined
  readonly audience?: string | undefined
  readonly clientAuth: 'basic' | 'body'
}

/** A token and how long it lasts from when it was asked for, in ms. */
export type FetchedToken = { readonly token: string; readonly lifeMs: number }

/** Why there is no token. Carries no secret. */
export type TokenFailure = {
  /** The status of the token server; null without its answer. */
  readonly status: number | null
  /** The `error` of the token server, or the code of a call without an answer; null for neither. */
  readonly error: string | null
  readonly message: string
}

export type TokenOutcome = FetchedToken | TokenFailure

type Kept = { readonly text: string; readonly expiresAt: number; readonly renewAt: number }
type Entry = {
  token: Kept | null
  failure: (TokenFailure & { readonly until: number }) | null
  running: Promise<TokenOutcome> | null
}

/** A token is renewed this long before its end, or after four fifths of its life if that leaves less, in ms. */
const marginMs = 60_000
const marginPart = 0.2
/** How long a failure is kept, so that callers do not repeat it, in ms. */
const failureMs = 10_000
const maxEntries = 1000
/** Tokens that are masked, the newest last. Many are forgotten at once, because making a masker takes time. */
const maxRemembered = 100

export type Tokens = ReturnType<typeof createTokens>

/**
 * Keeps the tokens of this process in memory, by everything that they were asked for with.
 *
 * @param options.fetch asks the token server. Never rejects.
 * @param options.clock milliseconds since 1970.
 */
export function createTokens(options: {
  readonly fetch: (request: TokenRequest) => Promise<TokenOutcome>
  readonly clock: () => number
}) {
  const { fetch, clock } = options
  const entries = new Map<string, Entry>()
  let remembered: readonly string[] = []

  function entryOf(request: TokenRequest): Entry {
    const key = keyOf(request)
    const known = entries.get(key)
    if (known !== undefined) return known
    for (const [oldest, { running }] of entries) {
      if (entries.size < maxEntries) break
      if (running === null) entries.delete(oldest)
    }
    const made: Entry = { token: null, failure: null, running: null }
    entries.set(key, made)
    return made
  }

  async function renewed(entry: Entry, request: TokenRequest): Promise<TokenOutcome> {
    const askedAt = clock()
    const outcome = await fetch(request).finally(() => {
      entry.running = null
    })
    if ('token' in outcome) {
      const { token, lifeMs } = outcome
      const margin = Math.min(marginMs, lifeMs * marginPart)
      entry.token = { text: token, expiresAt: askedAt + lifeMs, renewAt: askedAt + lifeMs - margin }
      entry.failure = null
      remember(token)
    } else entry.failure = { ...outcome, until: clock() + failureMs }
    return outcome
  }

  function remember(token: string): void {
    if (remembered.includes(token)) return
    const kept = remembered.length < maxRemembered ? remembered : remembered.slice(maxRemembered / 2)
    remembered = [...kept, token]
  }

  /** Asks for a new token, once for all who wait for one. */
  function renew(request: TokenRequest): Promise<TokenOutcome> {
    const entry = entryOf(request)
    entry.running ??= renewed(entry, request)
    return entry.running
  }

  /** Returns the token that can be used now; undefined for none. */
  function current(request: TokenRequest): string | undefined {
    const token = entries.get(keyOf(request))?.token
    return token != null && clock() < token.renewAt ? token.text : undefined
  }

  return {
    current,
    renew,
    /** Returns the token, a new one if it has to be, or why there is none. A failure is kept for 10 seconds. */
    async get(request: TokenRequest): Promise<{ readonly token: string } | TokenFailure> {
      const token = current(request)
      if (token !== undefined) return { token }
      const { failure, running } = entryOf(request)
      if (running === null && failure !== null && clock() < failure.until) return failure
      return renew(request)
    },
    /** Forgets a token that was refused, unless another one has taken its place. */
    drop(text: string): void {
      for (const entry of entries.values()) if (entry.token?.text === text) entry.token = null
    },
    /** Returns when the token ends, in ms since 1970, and why there is no newer one; null for neither. */
    state(request: TokenRequest): { readonly expiresAt: number | null; readonly error: string | null } {
      const { token = null, failure = null } = entries.get(keyOf(request)) ?? {}
      const isOver = token === null || token.expiresAt <= clock()
      return { expiresAt: isOver ? null : token.expiresAt, error: failure?.message ?? null }
    },
    /** Returns the latest tokens, to be masked. Returns the same array until there is another one. */
    remembered: () => remembered,
  }
}

function keyOf({ tokenUrl, clientId, secret, scope, audience, clientAuth }: TokenRequest): string {
  return JSON.stringify([tokenUrl, clientId, secret, scope ?? null, audience ?? null, clientAuth])
}

/** Returns the error of a call that needs a token which there is not. */
export function tokenError(variable: string, { status, error, message }: TokenFailure) {
  return callError(
    'token_unavailable',
    `There is no token for ${variable}: ${message} No request was sent.`,
    {
      variable,
      status,
      error,
    },
  )
}
