import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '#shared/errors.ts'
import { type Authority, bearerOf, hasCsrfHeader } from './authorization.ts'
import { refuse } from './errors.ts'
import { type Sessions, sessionSeconds } from './sessions.ts'

/** The header with the session key, which only the page's origin can read. */
export const sessionKeyHeader = 'x-session-key'

/** The cookie of earlier versions, which was the same for all ports and needed no key. */
const formerCookieName = 'cc_session'

export type SessionParts = {
  readonly sessions: Sessions
  readonly authority: Authority
  /** Whether this server itself uses TLS. */
  readonly tls: boolean
  /** Returns a text that only this data has: the page keeps nothing of another data folder at the same address. */
  readonly dataId: () => string
}

/** Reads the session of a request. */
export type SignedIn = {
  /** Returns whether the request has an open session (cookie and key) or the admin token. */
  isSignedIn(request: FastifyRequest): Promise<boolean>
  /** Cuts the reply off when the request's session ends. The admin token stays valid while this server runs. */
  cutOffWhenOver(request: FastifyRequest, reply: FastifyReply): void
  /** Returns the cookie of the request's session; empty without one. */
  cookieOf(request: FastifyRequest): string
  /** Returns the digest of the request's session, open or not. */
  sessionOf(request: FastifyRequest): string
}

/**
 * Serves `/session`. `POST` with the admin token as bearer returns a cookie that scripts cannot read and a key for the
 * page's storage. `GET` returns whether the browser is signed in. `DELETE` signs out.
 */
export async function serveSession(
  app: FastifyInstance,
  { sessions, authority, tls, dataId }: SessionParts,
): Promise<SignedIn> {
  await app.register(fastifyCookie)
  const attributes = { httpOnly: true, sameSite: 'strict', path: '/' } as const
  // Behind a TLS proxy, the page's origin is https. A wrong origin was refused earlier.
  const secure = ({ headers }: FastifyRequest) => tls || headers.origin?.startsWith('https:') === true

  const cookieOf = (request: FastifyRequest) => request.cookies[cookieName(request)] ?? ''
  const sessionOf = (request: FastifyRequest) =>
    sessions.digestOf({ id: cookieOf(request), key: keyOf(request) })
  const isSignedIn = async (request: FastifyRequest) =>
    authority.isAuthorized(request) || sessions.isOpen(sessionOf(request))

  app.post('/session', async (request, reply) => {
    if (!authority.isAuthorized(request)) return refuse(reply, authority.refusal(request, reply))
    const { id, key } = await sessions.begin()
    const options = { ...attributes, secure: secure(request) }
    reply.setCookie(cookieName(request), id, { ...options, maxAge: sessionSeconds })
    if (request.cookies[formerCookieName] !== undefined) reply.clearCookie(formerCookieName, options)
    return { authorized: true, key, data: dataId() }
  })
  app.get('/session', async (request, reply) => {
    if (await isSignedIn(request)) return { authorized: true, data: dataId() }
    // A wrong token counts as an attempt here too.
    if (bearerOf(request) !== undefined) return refuse(reply, authority.refusal(request, reply))
    const { [cookieName(request)]: cookie, [formerCookieName]: former } = request.cookies
    // With `ended`, the page says that the session has ended; otherwise this is a first visit.
    return { authorized: false, ended: cookie !== undefined || former !== undefined }
  })
  app.delete('/session', async (request, reply) => {
    if (!hasCsrfHeader(request)) return refuse(reply, new ServiceError('missing_csrf_header'))
    await sessions.end(sessionOf(request))
    reply.clearCookie(cookieName(request), { ...attributes, secure: secure(request) })
    return { authorized: false }
  })
  return {
    isSignedIn,
    cutOffWhenOver(request, reply) {
      if (!authority.isAuthorized(request)) cutOffWhenOver(sessions, sessionOf(request), reply)
    },
    cookieOf,
    sessionOf,
  }
}

/** Cuts a reply off when a session ends, because streams do not end by themselves. */
export function cutOffWhenOver(sessions: Sessions, session: string, { raw }: FastifyReply): void {
  const stop = sessions.onOver(session, () => raw.destroy())
  // The client may have gone while the session was looked up.
  if (raw.destroyed) stop()
  else raw.once('close', stop)
}

function keyOf({ headers }: FastifyRequest): string {
  const { [sessionKeyHeader]: key } = headers
  return typeof key === 'string' ? key : ''
}

/**
 * Returns the name of the session's cookie. Cookies ignore ports, so the name contains the port: two services on one
 * host do not overwrite each other's cookie. It is the browser's port, which a proxy or a container may map.
 */
function cookieName({ headers }: FastifyRequest): string {
  const [, port = 'default'] = /:(\d+)$/.exec(headers.host ?? '') ?? []
  return `cc_session_${port}`
}
