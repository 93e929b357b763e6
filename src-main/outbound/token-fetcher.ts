import { lookup as systemLookup } from 'node:dns'
import { z } from 'zod'
import { mask } from '#shared/model/environment.ts'
import { decode, isEncoded, whole } from './decode-body.ts'
import { failureOf } from './failures.ts'
import { textMasker } from './mask-text.ts'
import { is2xx } from './read-response.ts'
import { createSender, defaultLimits, type FetcherOptions, type SendLimits } from './send.ts'
import type { TokenFailure, TokenOutcome, TokenRequest } from './tokens.ts'

/** Milliseconds for the whole request. */
const timeLimitMs = 10_000
const limits: SendLimits = { ...defaultLimits, bodyBytes: 256 * 1024, connections: 8 }
/** How long a token is kept if the server does not say so, in seconds. */
const usualLife = 300
/** In seconds. A longer life is as good as this one, and no sum of times overflows. */
const longestLife = 366 * 24 * 3600

/** A text that a header can carry, with room for the scheme. */
const AccessToken = z
  .string()
  .max(16_000)
  .regex(/^[\x21-\x7e]+$/)
const Life = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number),
])
const Answer = z.object({ access_token: AccessToken, expires_in: Life.optional().catch(undefined) })
const Refusal = z.object({ error: z.string().regex(/^[\x20-\x7e]{1,200}$/) })

/**
 * Fetches tokens of OAuth 2 with the client credentials grant, within the same address guard as calls. Redirects are not
 * followed.
 */
export function createTokenFetcher(options: FetcherOptions) {
  const { version, trust, lookup = systemLookup, timeoutMs = timeLimitMs } = options
  const sender = createSender({ lookup, context: () => trust?.context(), limits })

  return {
    /** Returns a new token, or why there is none. Never rejects. */
    async fetch(request: TokenRequest): Promise<TokenOutcome> {
      const url = new URL(request.tokenUrl)
      const { headers, form } = requestOf(request)
      const outcome = await sender.send(
        {
          method: 'POST',
          origin: url.origin,
          target: url.pathname + url.search,
          headers: () => ({
            Accept: 'application/json',
            'Content-Type': 'application/x-www-form-urlencoded',
            'User-Agent': `custom-connection/${version}`,
            ...headers,
          }),
          bytes: Buffer.from(form.toString()),
        },
        timeoutMs,
        undefined,
      )
      if ('error' in outcome) {
        const { code, message } = failureOf({ ...outcome, host: url.host, timeoutMs, limits })
        return { status: null, error: code, message }
      }
      const { answer } = outcome
      const read = isEncoded(answer) ? await decode(answer, limits) : whole(answer.body, limits)
      if (read.body === null || read.error !== null) {
        const { code = 'network_error', message = `The answer of ${url.host} cannot be read.` } =
          read.error ?? {}
        return { status: answer.status, error: code, message }
      }
      return outcomeOf(answer.status, jsonOf(read.body), url.host, request)
    },
    /** Cancels running requests. */
    close: sender.close,
  }
}

function requestOf({ clientId, secret, scope, audience, clientAuth }: TokenRequest) {
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scope !== undefined) form.set('scope', scope)
  if (audience !== undefined) form.set('audience', audience)
  if (clientAuth === 'basic')
    return { headers: { Authorization: `Basic ${clientPair(clientId, secret)}` }, form }
  form.set('client_id', clientId)
  form.set('client_secret', secret)
  return { headers: {}, form }
}

/** Returns the Basic credentials of a client, whose parts are encoded as in forms (RFC 6749, 2.3.1). */
export function clientPair(clientId: string, secret: string): string {
  const encoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return Buffer.from(`${encoded(clientId)}:${encoded(secret)}`).toString('base64')
}

function outcomeOf(status: number, answer: unknown, host: string, request: TokenRequest): TokenOutcome {
  if (!is2xx(status)) {
    const error = errorIn(answer, request)
    return { status, error, message: `${host} answered ${status}${error === null ? '' : ` (${error})`}.` }
  }
  const { data } = Answer.safeParse(answer)
  if (data !== undefined) {
    const { access_token: token, expires_in: life = usualLife } = data
    return { token, lifeMs: Math.min(Math.max(life, 0), longestLife) * 1000 }
  }
  const error = errorIn(answer, request)
  const why = error === null ? 'without an access token that can be sent' : `with the error ${error}`
  return { status, error, message: `${host} answered ${status} ${why}.` }
}

/** Returns the `error` of an answer. A server may write anything there, secrets included. */
function errorIn(answer: unknown, { clientId, secret }: TokenRequest): TokenFailure['error'] {
  const { data } = Refusal.safeParse(answer)
  if (data === undefined) return null
  const masked = textMasker([secret, clientPair(clientId, secret)])?.(data.error) ?? data.error
  return masked.includes(secret) ? mask : masked
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
