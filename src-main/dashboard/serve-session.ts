import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '#shared/errors.ts'
import { hasCsrfHeader } from './csrf.ts'
import { refuse } from './error-body.ts'
import { type Sessions, sessionSeconds } from './sessions.ts'

const cookieName = 'cc_session'

export type SessionParts = {
  readonly sessions: Sessions
  /** Whether the value of an Authorization header holds the admin token. */
  readonly isAuthorized: (authorization: string | undefined) => boolean
  /** Whether this server itself speaks TLS. */
  readonly tls: boolean
}

/** Who sends a request, as far as its cookie or its token says. */
export type SignedIn = {
  /** Whether it is someone who is signed in, by the cookie or by the token itself. */
  isSignedIn(request: FastifyRequest): boolean
  /** Calls back when the session behind the request is over. @returns the function that calls it off. */
  onSignedOut(request: FastifyRequest, callback: () => void): () => void
}

/**
 * Lets a browser sign in with the admin token once, and go on with a cookie that no script can read:
 * `POST /session` with the token as bearer, `GET` whether it is signed in, `DELETE` to sign out.
 */
export async function serveSession(
  app: FastifyInstance,
  { sessions, isAuthorized, tls }: SessionParts,
): Promise<SignedIn> {
  await app.register(fastifyCookie)
  const attributes = { httpOnly: true, sameSite: 'strict', path: '/' } as const
  // Behind a proxy that speaks TLS, the origin of the page says so; a wrong one was refused before.
  const secure = ({ headers }: FastifyRequest) => tls || headers.origin?.startsWith('https:') === true

  const idOf = (request: FastifyRequest) => request.cookies[cookieName] ?? ''
  const hasToken = (request: FastifyRequest) => isAuthorized(request.headers.authorization)
  const isSignedIn = (request: FastifyRequest) => hasToken(request) || sessions.isOpen(idOf(request))

  app.post('/session', async (request, reply) => {
    if (!hasToken(request))
      return refuse(reply.header('www-authenticate', 'Bearer'), new ServiceError('unauthorized'))
    const id = await sessions.begin()
    reply.setCookie(cookieName, id, { ...attributes, secure: secure(request), maxAge: sessionSeconds })
    return { authorized: true }
  })
  app.get('/session', request => ({ authorized: isSignedIn(request) }))
  app.delete('/session', async (request, reply) => {
    if (!hasCsrfHeader(request)) return refuse(reply, new ServiceError('missing_csrf_header'))
    await sessions.end(idOf(request))
    reply.clearCookie(cookieName, { ...attributes, secure: secure(request) })
    return { authorized: false }
  })
  return {
    isSignedIn,
    // The token is good for as long as this server runs.
    onSignedOut: (request, callback) =>
      hasToken(request) ? () => {} : sessions.onOver(idOf(request), callback),
  }
}
