import { createRecentKeys, type RecentKeys } from './recent-keys.ts'

const windowMs = 10 * 60 * 1000

export type RepeatBounds = {
  /** Signatures that a connection has room for at first, whatever the others do. */
  readonly first: number
  /** The most that a connection has room for. */
  readonly perConnection: number
  /** The most that all connections together grow to. */
  readonly total: number
}

/** 32 bytes each: 1.6 MB for one connection, 32 MB in all. */
const usualBounds: RepeatBounds = { first: 1024, perConnection: 50_000, total: 1_000_000 }

/** The signatures that each connection accepted lately, to tell exact repeats (decisions: exact repeats). */
export type Repeats = {
  /** Whether the connection accepted this signature within the last 10 minutes. `nowMs` in milliseconds since 1970. */
  has(connectionId: string, signature: string, nowMs: number): boolean
  /** To be called once the event is durable, never before: a lost event must not block its retry. */
  remember(connectionId: string, signature: string, nowMs: number): void
  /** Lets go of what is remembered of a connection, when it is deleted. */
  forget(connectionId: string): void
}

type Remembered = { keys: RecentKeys; room: number }

/**
 * A signature covers timestamp and body and is keyed by the connection's secret, so it alone identifies
 * a request, and nothing unsigned takes part. Of its 256 bits 64 are kept: enough that no two requests
 * ever meet by chance. Each connection forgets its own oldest first, so no sender makes another one's repeat
 * count again; its room doubles while the total allows. All are forgotten on restart.
 */
export function createRepeats({ first, perConnection, total }: RepeatBounds = usualBounds): Repeats {
  const byConnection = new Map<string, Remembered>()
  let room = 0

  /** Frees those of other connections that have been quiet for longer than their signatures count. */
  function forgetQuiet(butFor: Remembered, nowMs: number): void {
    for (const [connectionId, remembered] of byConnection)
      if (remembered !== butFor && nowMs - (remembered.keys.newest ?? nowMs) > windowMs) forget(connectionId)
  }

  function forget(connectionId: string): void {
    room -= byConnection.get(connectionId)?.room ?? 0
    byConnection.delete(connectionId)
  }

  function grow(remembered: Remembered, nowMs: number): void {
    const wanted = Math.min(perConnection, 2 * remembered.room)
    if (wanted === remembered.room) return
    if (room - remembered.room + wanted > total) forgetQuiet(remembered, nowMs)
    if (room - remembered.room + wanted > total) return
    const keys = createRecentKeys(wanted)
    remembered.keys.copyTo(keys)
    room += wanted - remembered.room
    remembered.keys = keys
    remembered.room = wanted
  }

  return {
    has(connectionId, signature, nowMs) {
      const at =
        byConnection.get(connectionId)?.keys.timeOf(wordOf(signature, 0), wordOf(signature, 1)) ?? null
      return at !== null && nowMs - at <= windowMs
    },
    remember(connectionId, signature, nowMs) {
      let remembered = byConnection.get(connectionId)
      if (remembered === undefined) {
        remembered = { keys: createRecentKeys(first), room: first }
        byConnection.set(connectionId, remembered)
        room += first
      }
      if (remembered.keys.isFull) grow(remembered, nowMs)
      remembered.keys.add(wordOf(signature, 0), wordOf(signature, 1), nowMs)
    },
    forget,
  }
}

const digestStart = 'sha256='.length

/** The n-th 32 bits of a signature's digest. */
function wordOf(signature: string, n: number): number {
  const start = digestStart + n * 8
  return Number.parseInt(signature.slice(start, start + 8), 16)
}
