import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '#shared/errors.ts'
import { type Authority, bearerOf, hasCsrfHeader } from './authorization.ts'
import { refuse } from './errors.ts'
import { type SessionProof, type Sessions, sessionSeconds } from './sessions.ts'

/** The header with which the page proves that it is the page: the key from its origin's storage. */
export const sessionKeyHeader = 'x-session-key'

/** The name of the cookie before each port had its own, and before the cookie needed a key beside it. */
const formerCookieName = 'cc_session'

export type SessionParts = {
  readonly sessions: Sessions
  readonly authority: Authority
  /** Whether this server itself speaks TLS. */
  readonly tls: boolean
}

/** Who sends a request, as far as its session or its token says. */
export type SignedIn = {
  /** Whether it is someone who is signed in, by the cookie and its key or by the token itself. */
  isSignedIn(request: FastifyRequest): boolean
  /** Calls back when the session behind the request is over. @returns the function that calls it off. */
  onSignedOut(request: FastifyRequest, callback: () => void): () => void
  /** Returns the halves of a session that a request brings, each empty where it is missing. */
  proofOf(request: FastifyRequest): SessionProof
}

/**
 * Lets a browser sign in with the admin token once: `POST /session` with the token as bearer answers with a cookie
 * that no script can read and a key for the page's storage. `GET` says whether it is signed in, `DELETE` signs out.
 */
export async function serveSession(
  app: FastifyInstance,
  { sessions, authority, tls }: SessionParts,
): Promise<SignedIn> {
  await app.register(fastifyCookie)
  const attributes = { httpOnly: true, sameSite: 'strict', path: '/' } as const
  // Behind a proxy that speaks TLS, the origin of the page says so; a wrong one was refused before.
  const secure = ({ headers }: FastifyRequest) => tls || headers.origin?.startsWith('https:') === true

  const isSignedIn = (request: FastifyRequest) =>
    authority.isAuthorized(request) || sessions.isOpen(proofOf(request))

  app.post('/session', async (request, reply) => {
    if (!authority.isAuthorized(request)) return refuse(reply, authority.refusal(request, reply))
    const { id, key } = await sessions.begin()
    const options = { ...attributes, secure: secure(request) }
    reply.setCookie(cookieName(request), id, { ...options, maxAge: sessionSeconds })
    if (request.cookies[formerCookieName] !== undefined) reply.clearCookie(formerCookieName, options)
    return { authorized: true, key }
  })
  app.get('/session', (request, reply) => {
    if (isSignedIn(request)) return { authorized: true }
    // A wrong token is an attempt here too.
    if (bearerOf(request) !== undefined) return refuse(reply, authority.refusal(request, reply))
    const { [cookieName(request)]: cookie, [formerCookieName]: former } = request.cookies
    // The page then says that it was signed out, not that this is a first visit.
    return { authorized: false, ended: cookie !== undefined || former !== undefined }
  })
  app.delete('/session', async (request, reply) => {
    if (!hasCsrfHeader(request)) return refuse(reply, new ServiceError('missing_csrf_header'))
    await sessions.end(proofOf(request))
    reply.clearCookie(cookieName(request), { ...attributes, secure: secure(request) })
    return { authorized: false }
  })
  return {
    isSignedIn,
    // The token is good for as long as this server runs.
    onSignedOut: (request, callback) =>
      authority.isAuthorized(request) ? () => {} : sessions.onOver(proofOf(request), callback),
    proofOf,
  }
}

function proofOf(request: FastifyRequest): SessionProof {
  const key = request.headers[sessionKeyHeader]
  return { id: request.cookies[cookieName(request)] ?? '', key: typeof key === 'string' ? key : '' }
}

/**
 * Returns the name of the session's cookie. Cookies ignore ports, so the port is in the name: two services on one
 * host do not overwrite each other's. It is the port that the browser uses, which a proxy or a container may map.
 */
function cookieName({ headers }: FastifyRequest): string {
  const [, port = 'default'] = /:(\d+)$/.exec(headers.host ?? '') ?? []
  return `cc_session_${port}`
}
