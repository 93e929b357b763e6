import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '#main/lib/logger.ts'
import { ServiceError } from '#shared/errors.ts'

/** Checks the admin token of requests. */
export type Authority = ReturnType<typeof createAuthority>

type AuthorityOptions = {
  /** The admin token. */
  readonly token: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly logger: Logger
}

export function createAuthority({ token, clock, logger }: AuthorityOptions) {
  const expected = digestOf(token)
  const limit = createAttemptLimit(clock)
  return {
    /** Returns whether the Authorization header has the admin token. */
    isAuthorized(request: Pick<FastifyRequest, 'headers'>) {
      const presented = bearerOf(request)
      // Compares digests in constant time, so that not even the token's length is revealed.
      return presented !== undefined && timingSafeEqual(digestOf(presented), expected)
    },
    /**
     * Returns the error for an unauthorized request, and sets its header fields. Counts a wrong token against its
     * sender's address. The right token is always accepted.
     */
    refusal(request: FastifyRequest, reply: FastifyReply, detail?: string) {
      reply.header('www-authenticate', 'Bearer')
      if (bearerOf(request) === undefined) return unauthorized(detail)
      const address = request.socket.remoteAddress ?? 'local socket'
      const { isOver, isFirstOver, retryAfterSeconds } = limit.count(address)
      if (isFirstOver) logger.warn({ address }, 'Too many wrong admin tokens come from this address')
      if (!isOver) return unauthorized(detail)
      reply.header('retry-after', String(retryAfterSeconds))
      return new ServiceError('too_many_attempts')
    },
  }
}

const unauthorized = (detail: string | undefined) =>
  new ServiceError('unauthorized', detail === undefined ? {} : { detail })

/** Returns the SHA-256 of a token. */
export const digestOf = (text: string) => createHash('sha256').update(text).digest()

/** Returns the bearer token of a request. Ignores Basic credentials, which may be for a proxy. */
export function bearerOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
}

/** Wrong tokens that an address may send in a window. */
const maxAttempts = 20
const windowMs = 60_000
/** Counted addresses. An attacker with more of them only gains reset counts. */
const maxAddresses = 1000

type Count = { readonly startedAt: number; attempts: number }

/** Limits failed attempts to 20 per minute and address (fixed window), in bounded memory. */
export function createAttemptLimit(clock: () => number) {
  const counts = new Map<string, Count>()
  return {
    /** Counts a failed attempt of an address. */
    count(address: string) {
      const now = clock()
      const known = counts.get(address)
      // Setting the clock back must not extend a window.
      const isCurrent = known !== undefined && known.startedAt <= now && now < known.startedAt + windowMs
      const current = isCurrent ? known : { startedAt: now, attempts: 0 }
      current.attempts++
      if (!isCurrent) {
        // In the order of their windows' starts, so that the oldest is dropped first.
        counts.delete(address)
        counts.set(address, current)
        const [oldest] = counts.keys()
        if (counts.size > maxAddresses && oldest !== undefined) counts.delete(oldest)
      }
      return {
        isOver: current.attempts > maxAttempts,
        /** True for one attempt in each window. */
        isFirstOver: current.attempts === maxAttempts + 1,
        /** Seconds until the window ends, at least 1. */
        retryAfterSeconds: Math.max(1, Math.ceil((current.startedAt + windowMs - now) / 1000)),
      }
    },
  }
}

/**
 * The header that the dashboard's page sends with every call. A page of another site needs a preflight for it, which
 * the service does not grant. The names are those of oRPC's link plugin.
 */
export const csrfHeader = { name: 'x-csrf-token', value: 'orpc' }

/** Returns whether a request has the CSRF header. Required for changes that rely on a cookie. */
export function hasCsrfHeader({ headers }: FastifyRequest): boolean {
  return headers[csrfHeader.name] === csrfHeader.value
}
