import { ORPCError } from '@orpc/client'
import { z } from 'zod'
import { sessionKeyHeaders, storeSessionKey } from './session-key.ts'

const Refusal = z.object({ code: z.string(), message: z.string() })
/** Differs from one data folder or database to another; missing from a node of an earlier version. */
const data = z.string().optional()
const SessionState = z.object({ authorized: z.boolean(), ended: z.boolean().optional(), data })
const Session = z.object({ key: z.string(), data })
const Link = z.object({ path: z.string() })
const csrf = { 'x-csrf-token': 'orpc' }
const address = (path = 'session') => new URL(path, document.baseURI)
const authority = () => ({ ...csrf, ...sessionKeyHeaders() })

/** Dispatched on the window when the service says that this browser is not signed in. The page keeps what it shows. */
export const sessionEndedEvent = 'cc:session-ended'
/** Dispatched on the window whenever the service has said which data it has; its detail names the data. */
export const dataKnownEvent = 'cc:data-known'
const notifyData = (detail: string | undefined) =>
  detail !== undefined && window.dispatchEvent(new CustomEvent(dataKnownEvent, { detail }))

/** Dispatched on the window when the user has signed out on this page, which then keeps nothing. */
export const signedOutEvent = 'cc:signed-out'

export function notifySessionEnded(): void {
  window.dispatchEvent(new Event(sessionEndedEvent))
}

/** Returns the admin token in the fragment of the address; null if there is none. */
export function tokenInAddress(): string | null {
  return new URLSearchParams(location.hash.replace(/^#\/?/, '')).get('token')
}

/**
 * Removes the admin token from the address and from the browser's history. @returns the token. It arrives in the
 * fragment, which browsers never send to a server.
 */
export function takeTokenFromAddress(): string | null {
  const token = tokenInAddress()
  if (token === null) return null
  history.replaceState(history.state, '', `${location.pathname}${location.search}`)
  return token
}

/**
 * Exchanges the admin token for a session: a cookie, and its key for this page's storage.
 *
 * @returns whether the token is right.
 * @throws ORPCError, TypeError.
 */
export async function signIn(token: string): Promise<boolean> {
  const response = await fetch(address(), {
    method: 'POST',
    headers: { ...csrf, authorization: `Bearer ${token}` },
  })
  if (response.status === 401) return false
  await throwIfFailed(response)
  const { key, data } = Session.parse(await response.json())
  storeSessionKey(key)
  notifyData(data)
  return true
}

/**
 * Asks the service whether this browser is signed in.
 *
 * @returns 'ended' if it has the cookie of an earlier session, also from a version without session keys.
 * @throws ORPCError, TypeError.
 */
export async function sessionState(): Promise<'in' | 'out' | 'ended'> {
  const response = await fetch(address(), { headers: authority() })
  await throwIfFailed(response)
  const { authorized, ended, data } = SessionState.parse(await response.json())
  notifyData(data)
  if (authorized) return 'in'
  return ended === true ? 'ended' : 'out'
}

/** Ends the session of this browser, and empties the page. @throws ORPCError, TypeError. */
export async function signOut(): Promise<void> {
  await throwIfFailed(await fetch(address(), { method: 'DELETE', headers: authority() }))
  storeSessionKey(null)
  window.dispatchEvent(new Event(signedOutEvent))
}

/** Returns the one-time address of a backup, valid for a minute. @throws ORPCError, TypeError. */
export async function backupAddress(): Promise<string> {
  const response = await fetch(address('download/backup'), { method: 'POST', headers: authority() })
  if (response.status === 401) notifySessionEnded()
  await throwIfFailed(response)
  return address(Link.parse(await response.json()).path).href
}

/** Throws a failed response as the error that a call would throw. */
async function throwIfFailed(response: Response): Promise<void> {
  if (response.ok) return
  const refusal = Refusal.safeParse(await response.json().catch(() => null))
  const { code, message } = refusal.data ?? { code: String(response.status), message: response.statusText }
  throw new ORPCError(code, { status: response.status, message })
}
