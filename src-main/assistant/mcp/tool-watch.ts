import { setImmediate } from 'node:timers/promises'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { type McpScope, scopeKey } from './scope.ts'
import { definitionsIn } from './tool-definition.ts'

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
  store: Pick<ConfigStore, 'snapshot' | 'onChange'>,
  onError: (error: unknown) => void,
) {
  /** With the tools that the clients have seen. Definitions are kept with their actions, so equal ones are identical. */
  const watchers = new Map<Watcher, readonly object[]>()
  const inTurn = createSerialQueue()
  const shownTo = (scope: McpScope) => definitionsIn(store.snapshot(), scope)

  function announce(watcher: Watcher, tools: readonly object[]): void {
    const seen = watchers.get(watcher)
    const { tokenId } = watcher.scope
    if (tokenId !== null && !store.snapshot().clientTokens.has(tokenId)) {
      watchers.delete(watcher)
      watcher.close()
    } else if (seen !== undefined && !isSame(tools, seen)) {
      watchers.set(watcher, tools)
      watcher.toolsChanged()
    }
  }

  /** Other work gets its turn between two scopes, each of which may have ten thousand tools. */
  async function announceAll(): Promise<void> {
    const byScope = Map.groupBy(watchers.keys(), ({ scope }) => scopeKey(scope))
    for (const group of byScope.values()) {
      const [first] = group
      if (first === undefined) continue
      const tools = shownTo(first.scope)
      for (const watcher of group) {
        try {
          announce(watcher, tools)
        } catch (error) {
          onError(error)
        }
      }
      await setImmediate()
    }
  }

  const throttle = createThrottle(announceEveryMs, () => void inTurn(announceAll).catch(onError))
  const stopFollowing = store.onChange(throttle.ask)

  return {
    /** Returns the function that ends it. */
    add(watcher: Watcher) {
      watchers.set(watcher, shownTo(watcher.scope))
      return () => void watchers.delete(watcher)
    },
    stop() {
      stopFollowing()
      throttle.stop()
      watchers.clear()
    },
  }
}

function isSame(tools: readonly object[], seen: readonly object[]): boolean {
  if (tools === seen) return true
  return tools.length === seen.length && tools.every((tool, at) => tool === seen[at])
}
