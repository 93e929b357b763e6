import type { EventLog } from '#main/storage/event-log.ts'
import { ServiceError } from '#shared/errors.ts'

export type HeldLog = {
  readonly wrapLog: (log: EventLog) => EventLog
  /** Appends that wait. */
  readonly waiting: number
  /** From now on appends wait for `release`. */
  hold(): void
  /** Lets all that wait go on, and those to come. */
  release(): void
  /** Fails all that wait; those to come go on. */
  fail(): void
}

/** A real event log whose appends can be held up, as by a slow disk. */
export function heldLog(): HeldLog {
  let gate: PromiseWithResolvers<void> | null = null
  let waiting = 0
  async function pass(): Promise<void> {
    waiting++
    try {
      await gate?.promise
    } finally {
      waiting--
    }
  }
  return {
    wrapLog: log => ({
      append: async (event, ...more) => {
        await pass()
        return await log.append(event, ...more)
      },
      appendAll: async (...all) => {
        await pass()
        return await log.appendAll(...all)
      },
      list: (connectionId, query) => log.list(connectionId, query),
      summaries: query => log.summaries(query),
      get: (connectionId, eventId) => log.get(connectionId, eventId),
      remove: (connectionId, eventId) => log.remove(connectionId, eventId),
      clear: connectionId => log.clear(connectionId),
      countBetween: range => log.countBetween(range),
      countParts: (range, width) => log.countParts(range, width),
      setRetention: (connectionId, retention) => log.setRetention(connectionId, retention),
      isWritable: bytes => log.isWritable(bytes),
      close: () => log.close(),
    }),
    get waiting() {
      return waiting
    },
    hold() {
      gate ??= Promise.withResolvers()
    },
    fail() {
      gate?.reject(new ServiceError('unavailable'))
      gate = null
    },
    release() {
      gate?.resolve()
      gate = null
    },
  }
}
