import { createBus } from '#main/lib/bus.ts'
import type { DecidedCall, HeldCall, HeldCallStore } from '../held-calls.ts'

/** Holds calls in memory, since one process has this storage. @param onError receives what a listener throws. */
export function createHeldCalls(onError: (error: unknown) => void): HeldCallStore {
  const held = new Map<string, { readonly call: HeldCall; decision: string | null }>()
  const decided = createBus<DecidedCall>(onError)
  const changes = createBus<string>(onError)
  const waiting = (kind: string) =>
    Array.from(held.values()).flatMap(({ call, decision }) =>
      call.kind === kind && decision === null ? [call] : [],
    )

  return {
    async hold(call, bounds) {
      if (bounds !== null) {
        const others = waiting(call.kind)
        const size = others.reduce((sum, other) => sum + other.size, call.size)
        if (others.length >= bounds.most || size > bounds.mostSize) return false
      }
      held.set(call.id, { call, decision: null })
      changes.publish(call.kind)
      return true
    },
    list: async kind => waiting(kind),
    async decide(kind, id, decision) {
      const found = held.get(id)
      if (found?.call.kind !== kind || found.decision !== null) return null
      found.decision = decision
      decided.publish({ id, decision })
      changes.publish(found.call.kind)
      return found.call
    },
    onDecided: decided.subscribe,
    async end(id) {
      const found = held.get(id)
      if (found === undefined) return null
      held.delete(id)
      if (found.decision === null) changes.publish(found.call.kind)
      return found.decision
    },
    changes,
  }
}
