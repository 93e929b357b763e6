import type { StoredOccurrence } from '#main/storage/occurrence-storage.ts'

/** The shortest time in milliseconds between two writes, and the longest after a write of many records. */
export type WriteWaits = { readonly shortestMs: number; readonly longestMs: number }

export const writeWaits: WriteWaits = { shortestMs: 1000, longestMs: 60_000 }
/** Where other processes read what is written, and know of nothing else. */
export const sharedWriteWaits: WriteWaits = { shortestMs: 250, longestMs: 5000 }
/** Milliseconds until the next attempt after a write failed. */
const retryAfterMs = 5000
/** About how many bytes of records may wait. */
const mostBytes = 32 * 1024 * 1024

/** A record that waits to be stored. Its texts are made only when they are needed. */
export type WaitingOccurrence = {
  readonly connectionId: string | null
  /** About how many bytes of memory it takes. */
  readonly bytes: number
  toStored(): StoredOccurrence
}

/** Collects records and writes them together: at once after a quiet time, otherwise after a wait. */
export type WriteQueue = ReturnType<typeof createWriteQueue>

/**
 * Creates a queue that collects records and writes them together.
 *
 * @param options.most the most records of a connection that may wait. The newest are kept, as in the storage.
 * @param options.writesPerSecond the average number of records per second. After a write of n records, the next write
 *   waits n / writesPerSecond seconds, within `waits`. A flood therefore causes a limited number of writes.
 * @param options.write stores records. Returns whether it succeeded; if not, the records wait again. Never rejects.
 */
export function createWriteQueue(options: {
  readonly most: number
  readonly writesPerSecond: number
  readonly waits?: WriteWaits
  readonly write: (records: readonly StoredOccurrence[]) => Promise<boolean>
}) {
  const { most, writesPerSecond, waits = writeWaits, write } = options
  const waiting = new Map<string | null, WaitingOccurrence[]>()
  let inFlight: readonly WaitingOccurrence[] = []
  let bytes = 0
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> | null = null
  let stopped = false

  function dropOldestOf(connectionId: string | null, list: WaitingOccurrence[]): void {
    bytes -= list.shift()?.bytes ?? 0
    if (list.length === 0) waiting.delete(connectionId)
  }

  function put(record: WaitingOccurrence): void {
    const list = waiting.get(record.connectionId) ?? []
    if (list.length === 0) waiting.set(record.connectionId, list)
    list.push(record)
    bytes += record.bytes
    if (list.length > most) dropOldestOf(record.connectionId, list)
    for (const [connectionId, oldest] of waiting) {
      if (bytes <= mostBytes) return
      while (bytes > mostBytes && oldest.length > 0) dropOldestOf(connectionId, oldest)
    }
  }

  function takeAll(): WaitingOccurrence[] {
    const records = [...waiting.values()].flat()
    waiting.clear()
    bytes = 0
    return records
  }

  async function flush(): Promise<void> {
    const records = takeAll()
    if (records.length === 0) return
    inFlight = records
    const isWritten = await write(records.map(record => record.toStored()))
    inFlight = []
    if (!isWritten) for (const record of [...records, ...takeAll()]) put(record)
    const spreadMs = (records.length / writesPerSecond) * 1000
    flushAfter(isWritten ? Math.min(waits.longestMs, Math.max(waits.shortestMs, spreadMs)) : retryAfterMs)
  }

  function flushAfter(ms: number): void {
    if (stopped) return
    timer = setTimeout(() => {
      timer = null
      writing = flush().finally(() => {
        writing = null
      })
    }, ms)
    timer.unref()
  }

  return {
    add(record: WaitingOccurrence) {
      if (stopped) return
      put(record)
      // In a later turn, so that records of the same moment are written together.
      if (timer === null && writing === null) flushAfter(0)
    },
    /** Returns the records of a connection, or all, that may not be stored yet. */
    pending: (connectionId?: string | null) =>
      connectionId === undefined
        ? [...inFlight, ...[...waiting.values()].flat()]
        : [
            ...inFlight.filter(record => record.connectionId === connectionId),
            ...(waiting.get(connectionId) ?? []),
          ],
    /** Returns how many records may not be stored yet. */
    size() {
      let size = inFlight.length
      for (const records of waiting.values()) size += records.length
      return size
    },
    /** Returns the records that no write has taken yet. */
    waiting: () => [...waiting.values()].flat(),
    /** Drops the waiting records of a connection. */
    forget(connectionId: string) {
      const list = waiting.get(connectionId) ?? []
      while (list.length > 0) dropOldestOf(connectionId, list)
    },
    /** Writes the queue, then nothing more. Never rejects. */
    async stop() {
      stopped = true
      if (timer !== null) clearTimeout(timer)
      await writing
      await flush()
    },
  }
}
