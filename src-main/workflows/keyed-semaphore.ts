/**
 * Limits the concurrent uses of each key. Further uses wait in the order of their arrival, until they are aborted.
 *
 * @param most returns how many may run at once, at least 1. It may change: a use that runs is not ended.
 */
export function createKeyedSemaphore(most: () => number) {
  const semaphores = new Map<string, { active: number; waiting: (() => void)[] }>()
  return {
    async use<Result>(key: string, signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
      const semaphore = semaphores.get(key) ?? { active: 0, waiting: [] }
      semaphores.set(key, semaphore)
      if (semaphore.active >= most()) await turnOf(semaphore.waiting, signal)
      else semaphore.active++
      try {
        signal.throwIfAborted()
        return await run()
      } finally {
        semaphore.active--
        while (semaphore.waiting.length > 0 && semaphore.active < most()) {
          semaphore.active++
          semaphore.waiting.shift()?.()
        }
        if (semaphore.active === 0) semaphores.delete(key)
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
