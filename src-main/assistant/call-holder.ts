import type { HeldBounds, HeldCall, HeldCallStore } from '#main/storage/held-calls.ts'

/** How a held call ended: somebody decided, its signal aborted before that, or too many calls were held. */
export type HoldEnd = { readonly decision: string } | 'aborted' | 'too many'

/** Holds calls on this node until somebody decides about them, on any node. */
export type CallHolder = ReturnType<typeof createCallHolder>

export function createCallHolder(store: Pick<HeldCallStore, 'hold' | 'end' | 'onDecided'>) {
  const waiting = new Map<string, (decision: string) => void>()
  const stopFollowing = store.onDecided(({ id, decision }) => waiting.get(id)?.(decision))
  const holding = new Set<Promise<HoldEnd>>()

  async function hold(
    call: HeldCall,
    signal: AbortSignal,
    bounds: HeldBounds | null,
    onDecided: (decision: string) => void,
  ): Promise<HoldEnd> {
    if (signal.aborted) return 'aborted'
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    let isTold = false
    function decided(decision: string): void {
      if (!isTold) onDecided(decision)
      isTold = true
      end()
    }
    const abort = () => end()
    signal.addEventListener('abort', abort)
    waiting.set(call.id, decided)
    try {
      if (!(await store.hold(call, bounds))) return 'too many'
      await ended
      // A person who decided meanwhile was told that the decision holds.
      const decision = await store.end(call.id)
      if (decision === null) return 'aborted'
      decided(decision)
      return { decision }
    } finally {
      signal.removeEventListener('abort', abort)
      waiting.delete(call.id)
    }
  }

  return {
    /**
     * Holds a call, and resolves when it has ended.
     *
     * @param bounds null for none.
     * @param onDecided called back with the decision before a `decide` of this node resolves.
     * @throws ServiceError `storage_unavailable`.
     */
    hold(
      call: HeldCall,
      signal: AbortSignal,
      bounds: HeldBounds | null,
      onDecided: (decision: string) => void = () => {},
    ): Promise<HoldEnd> {
      const end = hold(call, signal, bounds, onDecided)
      holding.add(end)
      return end.finally(() => holding.delete(end))
    },
    /** Resolves when all calls have ended, whose signals must have aborted. */
    async stop() {
      await Promise.allSettled(holding)
      stopFollowing()
    },
  }
}
