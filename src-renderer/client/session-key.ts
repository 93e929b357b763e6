/** The header that the service requires in addition to the session's cookie. */
const header = 'x-session-key'
export const sessionKeyName = 'cc:session-key'

/**
 * The session key of a browser that blocks storage. Others keep it in localStorage: the browser sends the cookie to
 * every port of the host, but storage belongs to one origin, port included, so no other program on the host sees
 * the key. All tabs share it.
 */
let unstored: string | null = null

/** Returns the headers that prove that a call comes from this page: none before signing in. */
export function sessionKeyHeaders(): Record<string, string> {
  const key = read()
  return key === null ? {} : { [header]: key }
}

/** Returns whether this browser may be signed in: only the service knows. */
export const hasSessionKey = (): boolean => read() !== null

/** @param key null deletes it. */
export function storeSessionKey(key: string | null): void {
  unstored = key
  try {
    if (key === null) localStorage.removeItem(sessionKeyName)
    else localStorage.setItem(sessionKeyName, key)
  } catch {
    // Without storage, the key is lost when the page is reloaded.
  }
}

function read(): string | null {
  try {
    // Read at each call: another tab may have signed in.
    return localStorage.getItem(sessionKeyName) ?? unstored
  } catch {
    return unstored
  }
}
