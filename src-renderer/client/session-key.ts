/** The header that the service asks for beside the session's cookie. */
const header = 'x-session-key'
const name = 'cc:session-key'

/**
 * The key of this browser's session. The browser sends the cookie to every port of the host; this storage belongs
 * to the page's origin, port included, so no other program on the host sees the key. All tabs share it, and it
 * outlives the browser as the cookie does.
 */
let unstored: string | null = null

/** Returns the header fields that prove a call comes from this page: none before signing in. */
export function sessionKeyHeaders(): Record<string, string> {
  const key = read()
  return key === null ? {} : { [header]: key }
}

/** @param key null forgets it. */
export function storeSessionKey(key: string | null): void {
  unstored = key
  try {
    if (key === null) localStorage.removeItem(name)
    else localStorage.setItem(name, key)
  } catch {
    // A browser that stores nothing: the key holds until the page is reloaded.
  }
}

/** Calls back when another tab has signed in. @returns the function that ends it. */
export function onSessionKeyOfOtherTab(listener: () => void): () => void {
  const look = (event: StorageEvent) => {
    if (event.key === name && event.newValue !== null) listener()
  }
  window.addEventListener('storage', look)
  return () => window.removeEventListener('storage', look)
}

function read(): string | null {
  try {
    // Read at each call: another tab may have signed in since.
    return localStorage.getItem(name) ?? unstored
  } catch {
    return unstored
  }
}
