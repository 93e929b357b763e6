import { readFileSync } from 'node:fs'

/** File descriptors reserved for the stores, the dashboard and calls, which a flood of senders must not use up. */
const reserved = 512

/** Returns the process's limit of open file descriptors, or null if the system does not report it. */
export function descriptorLimit(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/** Returns how many of the requested connections the inbound listener may hold open under a descriptor limit. */
export function connectionsWithin(limit: number | null, asked: number): number {
  if (limit === null) return asked
  return Math.max(1, Math.min(asked, limit - Math.min(reserved, Math.floor(limit / 2))))
}
