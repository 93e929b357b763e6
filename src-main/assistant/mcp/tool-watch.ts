import { setImmediate } from 'node:timers/promises'
import { otherPrefixes } from '#main/assistant/tool-names.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { listOnDemand } from './on-demand.ts'
import { isOnDemand, type McpScope, scopedToolsOf, scopeKey } from './scope.ts'
import { toolDefinition } from './tool-definition.ts'

/** Something that clients are connected to. */
export type Watcher = {
  readonly scope: McpScope
  /** Tells the clients that their tools have changed. */
  readonly toolsChanged: () => void
  /** Ends the connection, because its token was revoked. */
  readonly close: () => unknown
}

/** Tells clients when their own tools change, and ends the connections of revoked tokens. */
export type ToolWatch = ReturnType<typeof createToolWatch>

/** Milliseconds between two announcements. */
const announceEveryMs = 50

export function createToolWatch(
  store: Pick<ConfigStore, 'snapshot' | 'onChange' | 'everywhere'>,
  onError: (error: unknown) => void,
) {
  /** With the configuration that the clients have seen. */
  const watchers = new Map<Watcher, Config>()
  const inTurn = createSerialQueue()
  /** The connections that have changed since the last announcement. */
  let changed = new Set<string>()

  function attempt(act: () => unknown): void {
    try {
      act()
    } catch (error) {
      onError(error)
    }
  }

  function closeRevoked({ clientTokens }: Config): void {
    for (const watcher of watchers.keys()) {
      const { tokenId } = watcher.scope
      if (tokenId === null || clientTokens.has(tokenId)) continue
      watchers.delete(watcher)
      attempt(watcher.close)
    }
  }

  /** Other work gets its turn between two scopes. */
  async function announceAll(): Promise<void> {
    const now = store.snapshot()
    const ids = changed
    changed = new Set()
    const byScope = Map.groupBy(watchers, ([{ scope }]) => scopeKey(scope))
    for (const group of byScope.values()) {
      const isChangedSince = new Map<Config, boolean>()
      for (const [watcher, seen] of group) {
        if (!watchers.has(watcher)) continue
        watchers.set(watcher, now)
        const isChanged = isChangedSince.get(seen) ?? showsOthers(watcher.scope, seen, now, ids)
        isChangedSince.set(seen, isChanged)
        if (isChanged) attempt(watcher.toolsChanged)
      }
      await setImmediate()
    }
  }

  const throttle = createThrottle(announceEveryMs, () => void inTurn(announceAll).catch(onError))
  const stopFollowing = store.onChange((next, previous, { connections }) => {
    for (const { id } of connections) changed.add(id)
    if (next.clientTokens !== previous.clientTokens) closeRevoked(next)
  })
  // The client lists its tools at once, perhaps on another node.
  const stopAnnouncing = store.everywhere.subscribe(throttle.ask)

  return {
    /** Returns the function that ends it. */
    add(watcher: Watcher) {
      watchers.set(watcher, store.snapshot())
      return () => void watchers.delete(watcher)
    },
    stop() {
      stopFollowing()
      stopAnnouncing()
      throttle.stop()
      watchers.clear()
    },
  }
}

/** Returns whether a scope shows other tools than before. @param changed the ids of the connections that are not the same. */
function showsOthers(scope: McpScope, before: Config, now: Config, changed: ReadonlySet<string>): boolean {
  if (isOnDemand(before, scope) || isOnDemand(now, scope))
    return shownOnDemand(before, scope) !== shownOnDemand(now, scope)
  if (rulesOf(before, scope) !== rulesOf(now, scope)) return true
  const shown = (config: Config, id: string) => scopedToolsOf(config, scope, id).map(toolDefinition)
  const ids = [...changed, ...otherPrefixes(before.connections, now.connections)]
  return ids.some(id => !isSame(shown(before, id), shown(now, id)))
}

/** Returns what a client sees that finds its tools on demand: the same list for the same tools. Null for any other client. */
function shownOnDemand(config: Config, scope: McpScope): readonly object[] | null {
  return isOnDemand(config, scope) ? listOnDemand(config, scope) : null
}

/** Returns what decides which tools a token shows. */
function rulesOf({ clientTokens }: Config, { tokenId }: McpScope): string {
  const { readOnly, permissions, workspaceId, connectionId } = clientTokens.get(tokenId ?? '') ?? {}
  return JSON.stringify([readOnly, permissions, workspaceId, connectionId])
}

/** Definitions are kept with their actions, so equal ones are identical. */
function isSame(tools: readonly object[], seen: readonly object[]): boolean {
  return tools.length === seen.length && tools.every((tool, at) => tool === seen[at])
}
