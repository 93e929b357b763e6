import { ORPCError } from '@orpc/client'
import { z } from 'zod'

const Refusal = z.object({ code: z.string(), message: z.string() })
const SessionState = z.object({ authorized: z.boolean() })
const headers = { 'x-csrf-token': 'orpc' }
const address = () => new URL('session', document.baseURI)

const signedOutEvent = 'cc:signed-out'

/** Tells the page that the service does not know it, or no longer. */
export function tellSignedOut(): void {
  window.dispatchEvent(new Event(signedOutEvent))
}

/** @returns the function that ends it. */
export function onSignedOut(listener: () => void): () => void {
  window.addEventListener(signedOutEvent, listener)
  return () => window.removeEventListener(signedOutEvent, listener)
}

/** Begins anew when an address with a token is opened in a page that is there already. */
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

/** Trades the admin token for a session cookie. @returns whether the token is right. @throws ORPCError, TypeError. */
export async function signIn(token: string): Promise<boolean> {
  const answer = await fetch(address(), {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
  })
  if (answer.status === 401) return false
  await refuseFailed(answer)
  return true
}

export async function isSignedIn(): Promise<boolean> {
  const answer = await fetch(address())
  await refuseFailed(answer)
  return SessionState.parse(await answer.json()).authorized
}

/** @throws ORPCError, TypeError. */
export async function signOut(): Promise<void> {
  await refuseFailed(await fetch(address(), { method: 'DELETE', headers }))
}

/** As the errors of calls are. */
async function refuseFailed(answer: Response): Promise<void> {
  if (answer.ok) return
  const refusal = Refusal.safeParse(await answer.json().catch(() => null))
  const { code, message } = refusal.data ?? { code: 'internal_error', message: answer.statusText }
  throw new ORPCError(code, { status: answer.status, message })
}
