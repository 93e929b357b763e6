import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '#main/lib/logger.ts'
import { ServiceError } from '#shared/errors.ts'
import { createAttemptLimit } from './attempt-limit.ts'

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

export type AuthorityOptions = {
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
