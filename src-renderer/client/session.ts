import { z } from 'zod'

const SessionState = z.object({ authorized: z.boolean() })
const headers = { 'x-csrf-token': 'orpc' }
const address = () => new URL('session', document.baseURI)

/**
 * Takes the admin token of a first visit out of the address. It travels in the fragment, which no server
 * and no log ever sees, and leaves the address and the history at once.
 */
export function takeTokenFromAddress(): string | null {
  const token = new URLSearchParams(location.hash.replace(/^#\/?/, '')).get('token')
  if (token === null) return null
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return token
}

/** Trades the admin token for a session cookie. @returns whether the token is right. */
export async function signIn(token: string): Promise<boolean> {
  const answer = await fetch(address(), {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
  })
  return answer.ok
}

export async function isSignedIn(): Promise<boolean> {
  const answer = await fetch(address())
  return SessionState.parse(await answer.json()).authorized
}

export async function signOut(): Promise<void> {
  await fetch(address(), { method: 'DELETE', headers })
}
