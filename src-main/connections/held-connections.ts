import { type Config, type ConnectionRecord, withClientTokens } from '#main/storage/config.ts'
import type { ConfigChange, ConfigStore } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { removeConnection } from './connections.ts'

/** Milliseconds for which a discarded connection can be restored. */
export const undoMs = 30_000

/** Deletes connections so that this can be undone for a while. */
export type HeldConnections = ReturnType<typeof createHeldConnections>

/** Deletes the discarded connections of the configuration in time, including those from before a restart. */
export function createHeldConnections(parts: {
  readonly store: ConfigStore
  /** Deletes the events and runs of a connection. */
  readonly deleteData: (connectionId: string) => Promise<unknown>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly holdMs: number
  readonly onError: (error: unknown) => void
}) {
  const { store, deleteData, clock, holdMs, onError } = parts
  const timers = new Map<string, NodeJS.Timeout>()

  const purging = new Set<string>()
  const isHeld = (connectionId: string) => store.snapshot().held?.has(connectionId) === true

  /** Deletes the data first: after a failure or a kill the connection is still held, so the next purge completes it. */
  async function purge(connectionId: string): Promise<void> {
    // It may have been restored while a write delayed the timer.
    if (!isHeld(connectionId)) return
    purging.add(connectionId)
    try {
      await deleteData(connectionId)
      await store.update(config => ({
        next: withClientTokens(
          withoutHeld(config, connectionId).next,
          token => token.connectionId !== connectionId,
        ),
        result: undefined,
      }))
      clearTimeout(timers.get(connectionId))
    } finally {
      purging.delete(connectionId)
    }
  }

  function purgeLater(connectionId: string, ms: number): void {
    clearTimeout(timers.get(connectionId))
    const timer = setTimeout(() => {
      timers.delete(connectionId)
      purge(connectionId).catch(error => {
        onError(error)
        if (isHeld(connectionId)) purgeLater(connectionId, holdMs)
      })
    }, ms)
    timer.unref()
    timers.set(connectionId, timer)
  }

  for (const [connectionId, { deletedAt }] of store.snapshot().held ?? []) {
    // Bounded, because the clock may have been set meanwhile.
    const left = deletedAt + holdMs - clock()
    purgeLater(connectionId, Math.min(holdMs, Math.max(0, left)))
  }

  return {
    /**
     * Removes a connection, but keeps its data for a while. Returns until when it can be restored, in milliseconds
     * since 1970.
     *
     * @throws ServiceError `connection_not_found`.
     */
    async discard(connectionId: string) {
      const deletedAt = clock()
      await store.update(config => hold(config, connectionId, deletedAt))
      purgeLater(connectionId, holdMs)
      return deletedAt + holdMs
    },
    /** Deletes a connection at once. @throws ServiceError `connection_not_found`. */
    async remove(connectionId: string) {
      await store.update(config => hold(config, connectionId, clock()))
      // Tries again later if it fails now.
      purgeLater(connectionId, holdMs)
      await purge(connectionId)
    },
    /** Restores a discarded connection. @throws ServiceError `connection_not_found` if it was deleted for good. */
    async restore(connectionId: string) {
      if (purging.has(connectionId)) throw new ServiceError('connection_not_found')
      // Before the update: a purge that begins during it would delete the data.
      clearTimeout(timers.get(connectionId))
      timers.delete(connectionId)
      try {
        return await store.update(config => bringBack(config, connectionId))
      } catch (error) {
        if (isHeld(connectionId)) purgeLater(connectionId, holdMs)
        throw error
      }
    },
    stop() {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

function hold(config: Config, connectionId: string, deletedAt: number): ConfigChange<ConnectionRecord> {
  const { next, result: record } = removeConnection(config, connectionId)
  const place = [...config.connections.keys()].indexOf(connectionId)
  const held = new Map(config.held).set(connectionId, { record, deletedAt, place })
  return { next: { ...next, held }, result: record }
}

function bringBack(config: Config, connectionId: string): ConfigChange<ConnectionRecord> {
  const found = config.held?.get(connectionId)
  if (found === undefined) throw new ServiceError('connection_not_found')
  const { workspaceId } = found.record
  // Its workspace may have been deleted meanwhile, because it counted as empty.
  const record = config.workspaces.has(workspaceId)
    ? found.record
    : { ...found.record, workspaceId: defaultWorkspaceId }
  const inOrder = [...config.connections.values()].toSpliced(found.place, 0, record)
  const connections = new Map(inOrder.map(one => [one.connectionId, one]))
  return { next: { ...withoutHeld(config, connectionId).next, connections }, result: record }
}

function withoutHeld(config: Config, connectionId: string): ConfigChange<void> {
  const { held: before, ...rest } = config
  const held = new Map(before)
  held.delete(connectionId)
  return { next: held.size === 0 ? rest : { ...rest, held }, result: undefined }
}
