import {
  type Config,
  type ConnectionRecord,
  type HeldConnection,
  withClientTokens,
} from '#main/storage/config.ts'
import type { ConfigChange, ConfigStore } from '#main/storage/config-store.ts'
import type { Housekeeping } from '#main/storage/housekeeping.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { casesOf, withoutCases } from './cases.ts'
import { removeConnection } from './connections.ts'

/** Milliseconds for which a discarded connection can be restored. */
export const undoMs = 30_000

/** Deletes connections so that this can be undone for a while. */
export type HeldConnections = ReturnType<typeof createHeldConnections>

/** Deletes the discarded connections of the configuration in time, including those from before a restart. */
export function createHeldConnections(parts: {
  readonly store: ConfigStore
  readonly housekeeping: Housekeeping
  /** Deletes the events and runs of a connection. */
  readonly deleteData: (connectionId: string) => Promise<unknown>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly holdMs: number
}) {
  const { store, housekeeping, deleteData, clock, holdMs } = parts

  /** Deletes the data first: after a failure or a kill the connection is still held, so the next purge completes it. */
  async function purge(connectionId: string): Promise<void> {
    await deleteData(connectionId)
    await store.update(config => ({
      next: withoutCases(
        withClientTokens(
          withoutHeld(config, connectionId).next,
          token => token.connectionId !== connectionId,
        ),
        casesOf(config, connectionId),
      ),
      result: undefined,
    }))
  }

  async function purgeDue(): Promise<void> {
    const isDue = ({ deletedAt }: HeldConnection) => isOver(deletedAt, holdMs, clock())
    const failures: unknown[] = []
    for (const [connectionId, one] of store.snapshot().held ?? []) {
      if (!isDue(one)) continue
      try {
        // Decided by the update, because another node may restore it now.
        if (await store.update(config => beginPurge(config, connectionId, isDue))) await purge(connectionId)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures)
  }

  let stopStep: (() => Promise<void>) | null = null
  const step = { name: 'discarded connections', everyMs: Math.min(1000, holdMs), retryMs: holdMs }
  /** Without discarded connections, nothing wakes up the process. */
  function follow(): void {
    const isNeeded = store.snapshot().held !== undefined
    if (isNeeded) stopStep ??= housekeeping.every(step, purgeDue)
    else {
      void stopStep?.()
      stopStep = null
    }
  }
  follow()
  const stopFollowing = store.onChange((_next, _previous, { held }) => {
    if (held.length > 0) follow()
  })

  return {
    /**
     * Removes a connection, but keeps its data for a while. Returns until when it can be restored, in milliseconds
     * since 1970.
     *
     * @throws ServiceError `connection_not_found`.
     */
    async discard(connectionId: string) {
      const deletedAt = clock()
      await store.update(config => hold(config, connectionId, { deletedAt }))
      return deletedAt + holdMs
    },
    /** Deletes a connection at once; in time, if it fails now. @throws ServiceError `connection_not_found`. */
    async remove(connectionId: string) {
      await store.update(config => hold(config, connectionId, { deletedAt: clock(), purging: true }))
      await purge(connectionId)
    },
    /** Restores a discarded connection. @throws ServiceError `connection_not_found` if it was deleted for good. */
    restore: (connectionId: string) => store.update(config => bringBack(config, connectionId)),
    async stop() {
      stopFollowing()
      await stopStep?.()
    },
  }
}

/** Returns whether the time of a deletion is over. A clock that was set back lengthens it to twice as long at most. */
function isOver(deletedAt: number, holdMs: number, now: number): boolean {
  return now >= deletedAt + holdMs || now < deletedAt - holdMs
}

function hold(
  config: Config,
  connectionId: string,
  state: Pick<HeldConnection, 'deletedAt' | 'purging'>,
): ConfigChange<ConnectionRecord> {
  const { next, result: record } = removeConnection(config, connectionId)
  const place = [...config.connections.keys()].indexOf(connectionId)
  const held = new Map(config.held).set(connectionId, { record, place, ...state })
  return { next: { ...next, held }, result: record }
}

/** From then on, the connection cannot be restored. The result is whether to delete its data. */
function beginPurge(
  config: Config,
  connectionId: string,
  isDue: (one: HeldConnection) => boolean,
): ConfigChange<boolean> {
  const found = config.held?.get(connectionId)
  if (found === undefined || !isDue(found)) return { next: config, result: false }
  if (found.purging) return { next: config, result: true }
  const held = new Map(config.held).set(connectionId, { ...found, purging: true })
  return { next: { ...config, held }, result: true }
}

function bringBack(config: Config, connectionId: string): ConfigChange<ConnectionRecord> {
  const found = config.held?.get(connectionId)
  if (found === undefined || found.purging) throw new ServiceError('connection_not_found')
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
  if (!held.delete(connectionId)) return { next: config, result: undefined }
  return { next: held.size === 0 ? rest : { ...rest, held }, result: undefined }
}
