/** Whether an address can be reached from this computer only. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host.trim())
}

/** Returns a sentence on who can reach a listener at this address. */
export function reachOf(host: string): string {
  if (isLoopback(host)) return 'This computer only.'
  if (/^(0\.0\.0\.0|::|\[::\])$/.test(host.trim()))
    return 'Every network of this computer can send events. Each one still needs a valid signature.'
  return 'Anyone who can reach this address can send events. Each one still needs a valid signature.'
}

/** Parses a typed port. @returns null for any other text. */
export function parsePort(text: string): number | null {
  if (!/^\d{1,5}$/.test(text.trim())) return null
  const port = Number(text.trim())
  return port <= 65_535 ? port : null
}
