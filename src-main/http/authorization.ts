import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '#main/lib/logger.ts'
import { ServiceError } from '#shared/errors.ts'

/** Checks who holds the admin token, and refuses who does not. */
export type Authority = {
  /** Whether the Authorization header holds the admin token. */
  isAuthorized(request: FastifyRequest): boolean
  /**
   * Returns the error to refuse a request with, and sets its header fields. A wrong token counts against its
   * sender's address; the right one is accepted at once, however many wrong ones came before it.
   */
  refusal(request: FastifyRequest, reply: FastifyReply): ServiceError
}

type AuthorityOptions = {
  /** The admin token. */
  readonly token: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly logger: Logger
}

export function createAuthority({ token, clock, logger }: AuthorityOptions): Authority {
  const expected = digestOf(token)
  const limit = createAttemptLimit(clock)
  return {
    isAuthorized(request) {
      const presented = bearerOf(request)
      // Digests are compared, in constant time: not even the length of the right token shows.
      return presented !== undefined && timingSafeEqual(digestOf(presented), expected)
    },
    refusal(request, reply) {
      reply.header('www-authenticate', 'Bearer')
      if (bearerOf(request) === undefined) return new ServiceError('unauthorized')
      const address = request.socket.remoteAddress ?? 'local socket'
      const { isOver, isFirstOver, retryAfterSeconds } = limit.count(address)
      if (isFirstOver) logger.warn({ address }, 'Too many wrong admin tokens come from this address')
      if (!isOver) return new ServiceError('unauthorized')
      reply.header('retry-after', String(retryAfterSeconds))
      return new ServiceError('too_many_attempts')
    },
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest()

/** Returns the bearer token that a request presents. Basic credentials may be a proxy's, and are no attempt. */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
}

/** How many wrong answers an address gets in a window before it is told to wait. */
const maxAttempts = 20
/** Milliseconds. */
const windowMs = 60_000
/** Addresses counted at a time: an attacker with more of them gains nothing but forgotten counts. */
const maxAddresses = 1000

type Count = { readonly startedAt: number; attempts: number }
type Verdict = {
  readonly isOver: boolean
  /** True for one attempt in each window. */
  readonly isFirstOver: boolean
  /** Seconds until the window ends, at least 1. */
  readonly retryAfterSeconds: number
}

type AttemptLimit = {
  /** Counts a failed attempt of an address. */
  count(address: string): Verdict
}

/** Limits failed attempts to 20 a minute for each address (fixed window), in bounded memory. */
export function createAttemptLimit(clock: () => number): AttemptLimit {
  const counts = new Map<string, Count>()
  return {
    count(address) {
      const now = clock()
      const known = counts.get(address)
      // A clock that was set back must not make a window last longer.
      const isCurrent = known !== undefined && known.startedAt <= now && now < known.startedAt + windowMs
      const current = isCurrent ? known : { startedAt: now, attempts: 0 }
      current.attempts++
      if (!isCurrent) {
        // In the order of their windows' starts, so that the oldest is the first to be forgotten.
        counts.delete(address)
        counts.set(address, current)
        const [oldest] = counts.keys()
        if (counts.size > maxAddresses && oldest !== undefined) counts.delete(oldest)
      }
      return {
        isOver: current.attempts > maxAttempts,
        isFirstOver: current.attempts === maxAttempts + 1,
        retryAfterSeconds: Math.max(1, Math.ceil((current.startedAt + windowMs - now) / 1000)),
      }
    },
  }
}

/**
 * What the dashboard's own page sends with every call and a page of another site cannot without asking for
 * permission, which it does not get. The names are those of oRPC's link plugin.
 */
export const csrfHeader = { name: 'x-csrf-token', value: 'orpc' }

/** Asked of what changes something on the authority of a cookie. */
export function hasCsrfHeader({ headers }: FastifyRequest): boolean {
  return headers[csrfHeader.name] === csrfHeader.value
}
