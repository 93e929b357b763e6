import { messageOf } from '#main/lib/file-system.ts'
import { WriteHealth } from '#main/storage/write-health.ts'
import { ServiceError } from '#shared/errors.ts'
import type { StorageOutage } from '#shared/model/readiness.ts'
import { shared } from './protocol.ts'

/** Follows whether the writer can store events. */
export type AppendHealth = {
  /** See `Storage.outage`. */
  outage(): StorageOutage | null
  /** Call it when batches were not stored. @param reason in words. */
  failed(reason: string): void
  close(): void
}

/**
 * @param counters see `EventLogThreadOptions`.
 * @param probe rejects if the writer could not store an event now.
 */
export function createAppendHealth(counters: SharedArrayBuffer, probe: () => Promise<unknown>): AppendHealth {
  const view = new Int32Array(counters)

  function failure(reason: string): ServiceError {
    const code = Atomics.load(view, shared.isFull) === 1 ? 'ENOSPC' : 'EIO'
    const cause = Object.assign(new Error(reason), { code })
    return new ServiceError('storage_unavailable', { detail: reason, cause })
  }

  async function tryWrite(): Promise<void> {
    await probe().catch(error => {
      throw failure(messageOf(error))
    })
  }

  // Those who append have the error, and log it.
  const writes = new WriteHealth({ tryWrite, onError() {} })
  return {
    outage: () => writes.outage(),
    failed: reason => writes.failed(failure(reason)),
    close: () => writes.close(),
  }
}
