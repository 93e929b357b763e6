/** Returns whether an address can be reached from this computer only. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host.trim())
}

/** Returns a sentence on who can reach a listener at this address. */
export function reachOf(host: string): string {
  if (isLoopback(host)) return 'This computer only.'
  if (/^(0\.0\.0\.0|::|\[::\])$/.test(host.trim()))
    return 'Anyone on a network of this computer can send requests. Only correctly signed events are accepted.'
  return 'Anyone who can reach this address can send requests. Only correctly signed events are accepted.'
}

/** Parses a typed port. @returns null for any other text. */
export function parsePort(text: string): number | null {
  if (!/^\d{1,5}$/.test(text.trim())) return null
  const port = Number(text.trim())
  return port <= 65_535 ? port : null
}
