/**
 * Limits the concurrent uses of each key. Further uses wait in the order of their arrival, until they are aborted.
 *
 * @param most returns how many may run at once, at least 1. It may change: a use that runs is not ended.
 */
export function createSlots(most: () => number) {
  const slots = new Map<string, { active: number; waiting: (() => void)[] }>()
  return {
    async use<Result>(key: string, signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
      const slot = slots.get(key) ?? { active: 0, waiting: [] }
      slots.set(key, slot)
      if (slot.active >= most()) await turnOf(slot.waiting, signal)
      else slot.active++
      try {
        signal.throwIfAborted()
        return await run()
      } finally {
        slot.active--
        while (slot.waiting.length > 0 && slot.active < most()) {
          slot.active++
          slot.waiting.shift()?.()
        }
        if (slot.active === 0) slots.delete(key)
      }
    },
  }
}

/** Waits until a function in `queue` is called. @throws the reason of `signal` if that is aborted before. */
async function turnOf(queue: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const leave = () => {
    const place = queue.indexOf(resolve)
    if (place === -1) return
    queue.splice(place, 1)
    reject(signal.reason)
  }
  queue.push(resolve)
  signal.addEventListener('abort', leave, { once: true })
  await promise.finally(() => signal.removeEventListener('abort', leave))
}
