import type { StoredOccurrence } from '#main/storage/occurrence-storage.ts'

/** Milliseconds between two writes at least, and at most where many records make them wait. */
const shortestWaitMs = 1000
const longestWaitMs = 60_000
/** Milliseconds until the next try after a write failed. */
const retryAfterMs = 5000
/** Bytes of records that wait at most, about. */
const mostBytes = 32 * 1024 * 1024

/** A record on its way to the storage; its texts are made only when they are needed. */
export type WaitingOccurrence = {
  readonly connectionId: string | null
  /** About how much memory it takes, in bytes. */
  readonly bytes: number
  toStored(): StoredOccurrence
}

/** Collects records and writes them together: at once after a quiet time, at most once a second otherwise. */
export type WriteQueue = {
  add(record: WaitingOccurrence): void
  /** Returns what is not known to be stored, of a connection or of all. */
  pending(connectionId?: string | null): readonly WaitingOccurrence[]
  /** Drops what waits of a connection. */
  forget(connectionId: string): void
  /** Writes what waits, and nothing from then on. Never rejects. */
  stop(): Promise<void>
}

/**
 * @param options.most records of a connection that wait at most; the newest are kept, as in the storage.
 * @param options.writesPerSecond after a write of many records the next one waits until they are this few
 *   a second, but not longer than a minute. So a flood of refusals costs a bounded number of writes.
 * @param options.write stores records and tells whether it could; those that it could not wait again. Never rejects.
 */
export function createWriteQueue(options: {
  readonly most: number
  readonly writesPerSecond: number
  readonly write: (records: readonly StoredOccurrence[]) => Promise<boolean>
}): WriteQueue {
  const { most, writesPerSecond, write } = options
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

  async function flush(): Promise<void> {
    const records = [...waiting.values()].flat()
    waiting.clear()
    bytes = 0
    if (records.length === 0) return
    inFlight = records
    const isWritten = await write(records.map(record => record.toStored()))
    inFlight = []
    if (!isWritten) {
      const newer = [...waiting.values()].flat()
      waiting.clear()
      bytes = 0
      for (const record of [...records, ...newer]) put(record)
    }
    const spreadMs = (records.length / writesPerSecond) * 1000
    restFor(isWritten ? Math.min(longestWaitMs, Math.max(shortestWaitMs, spreadMs)) : retryAfterMs)
  }

  function restFor(ms: number): void {
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
    add(record) {
      if (stopped) return
      put(record)
      // Behind everything that happens now, so that records of one moment are written together.
      if (timer === null && writing === null) restFor(0)
    },
    pending: connectionId =>
      connectionId === undefined
        ? [...inFlight, ...[...waiting.values()].flat()]
        : [
            ...inFlight.filter(record => record.connectionId === connectionId),
            ...(waiting.get(connectionId) ?? []),
          ],
    forget(connectionId) {
      const list = waiting.get(connectionId) ?? []
      while (list.length > 0) dropOldestOf(connectionId, list)
    },
    async stop() {
      stopped = true
      if (timer !== null) clearTimeout(timer)
      await writing
      await flush()
    },
  }
}
