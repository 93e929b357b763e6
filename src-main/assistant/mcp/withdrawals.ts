import type { RequestId } from '@modelcontextprotocol/server'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { Signals } from '#main/storage/signals.ts'
import { type McpScope, scopeKey } from './scope.ts'

const topic = 'mcp withdrawn'

/**
 * Tells requests that wait on any node that their client no longer does. Without sessions, all that identifies a request is
 * its token, its address and its id, which another client may use too. So this may only end what can be tried again.
 */
export function createWithdrawals(signals: Signals) {
  const waiting = new Map<string, Set<AbortController>>()
  const stop = signals.on(topic, key => {
    for (const withdrawal of waiting.get(key) ?? []) withdrawal.abort()
  })
  const keyOf = (scope: McpScope, id: RequestId) => sha256Hex(JSON.stringify([scopeKey(scope), id]))

  return {
    /** Returns a signal that aborts when the client withdraws a request, and when `ended` does. */
    of(scope: McpScope, id: RequestId, ended: AbortSignal): AbortSignal {
      const key = keyOf(scope, id)
      const withdrawal = new AbortController()
      const same = waiting.get(key) ?? new Set()
      waiting.set(key, same.add(withdrawal))
      const end = () => {
        withdrawal.abort()
        same.delete(withdrawal)
        if (same.size === 0) waiting.delete(key)
      }
      ended.addEventListener('abort', end, { once: true })
      return withdrawal.signal
    },
    /** Withdraws a request, on any node. */
    withdraw: (scope: McpScope, id: RequestId) => signals.send(topic, keyOf(scope, id)),
    stop,
  }
}
