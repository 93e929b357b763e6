import { ORPCError } from '@orpc/client'
import { z } from 'zod'
import { sessionKeyHeaders, storeSessionKey } from './session-key.ts'

const Refusal = z.object({ code: z.string(), message: z.string() })
const SessionState = z.object({ authorized: z.boolean(), ended: z.boolean().optional() })
const Session = z.object({ key: z.string() })
const Link = z.object({ path: z.string() })
const csrf = { 'x-csrf-token': 'orpc' }
const address = (path = 'session') => new URL(path, document.baseURI)
const authority = () => ({ ...csrf, ...sessionKeyHeaders() })

const signedOutEvent = 'cc:signed-out'

/** Tells the page that the service does not know it, or no longer. */
export function notifySignedOut(): void {
  window.dispatchEvent(new Event(signedOutEvent))
}

/** @returns the function that ends it. */
export function onSignedOut(listener: () => void): () => void {
  window.addEventListener(signedOutEvent, listener)
  return () => window.removeEventListener(signedOutEvent, listener)
}

/** Reloads the page when an address with a token is opened in a page that is there already. */
export function reloadForTokens(): () => void {
  const look = () => {
    if (tokenInAddress() !== null) location.reload()
  }
  window.addEventListener('hashchange', look)
  return () => window.removeEventListener('hashchange', look)
}

function tokenInAddress(): string | null {
  return new URLSearchParams(location.hash.replace(/^#\/?/, '')).get('token')
}

/**
 * Takes the admin token of a first visit out of the address. It travels in the fragment, which no server
 * and no log ever sees, and leaves the address and the history at once.
 */
export function takeTokenFromAddress(): string | null {
  const token = tokenInAddress()
  if (token === null) return null
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return token
}

/** Trades the admin token for a session: a cookie, and its key for this page's storage. @returns whether the token is right. @throws ORPCError, TypeError. */
export async function signIn(token: string): Promise<boolean> {
  const answer = await fetch(address(), {
    method: 'POST',
    headers: { ...csrf, authorization: `Bearer ${token}` },
  })
  if (answer.status === 401) return false
  await refuseFailed(answer)
  storeSessionKey(Session.parse(await answer.json()).key)
  return true
}

/**
 * Asks the service whether this browser is signed in.
 *
 * @returns 'ended' when it was, as far as its cookie says: also when the cookie came from a version without keys.
 * @throws ORPCError, TypeError.
 */
export async function sessionState(): Promise<'in' | 'out' | 'ended'> {
  const answer = await fetch(address(), { headers: authority() })
  await refuseFailed(answer)
  const { authorized, ended } = SessionState.parse(await answer.json())
  if (authorized) return 'in'
  return ended === true ? 'ended' : 'out'
}

/** @throws ORPCError, TypeError. */
export async function signOut(): Promise<void> {
  await refuseFailed(await fetch(address(), { method: 'DELETE', headers: authority() }))
  storeSessionKey(null)
}

/** Asks for the one-time address of a backup, good for a minute. @throws ORPCError, TypeError. */
export async function backupAddress(): Promise<string> {
  const answer = await fetch(address('download/backup'), { method: 'POST', headers: authority() })
  if (answer.status === 401) notifySignedOut()
  await refuseFailed(answer)
  return address(Link.parse(await answer.json()).path).href
}

/** As the errors of calls are. */
async function refuseFailed(answer: Response): Promise<void> {
  if (answer.ok) return
  const refusal = Refusal.safeParse(await answer.json().catch(() => null))
  const { code, message } = refusal.data ?? { code: 'internal_error', message: answer.statusText }
  throw new ORPCError(code, { status: answer.status, message })
}
