import { readFileSync } from 'node:fs'

/** Descriptors left to the stores, the dashboard and calls, so that no crowd of senders can use them up. */
const reserved = 512

/** Returns how many descriptors this process may open, or null where the system does not say. */
export function descriptorLimit(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/** Returns how many of the connections asked for the inbound listener may hold open, given a descriptor limit. */
export function connectionsWithin(limit: number | null, asked: number): number {
  if (limit === null) return asked
  return Math.max(1, Math.min(asked, limit - Math.min(reserved, Math.floor(limit / 2))))
}
