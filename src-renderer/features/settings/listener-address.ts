/** Whether an address is reached from this computer alone. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host.trim())
}

/** What listening at an address means, for whoever types it (decisions: loopback by default). */
export function reachOf(host: string): string {
  if (isLoopback(host)) return 'This computer only.'
  if (/^(0\.0\.0\.0|::|\[::\])$/.test(host.trim()))
    return 'Every network this computer is in can post events. Each one still needs a signature.'
  return 'Whoever reaches this address can post events. Each one still needs a signature.'
}

/** A port as it was typed. @returns null for what is none. */
export function parsePort(text: string): number | null {
  if (!/^\d{1,5}$/.test(text.trim())) return null
  const port = Number(text.trim())
  return port <= 65_535 ? port : null
}
