import { createSerialQueue } from '#main/lib/serial-queue.ts'
import type { ConversationStore } from '#main/storage/conversations.ts'

/** Milliseconds for which others take an answer to be alive after its node has ended. */
const leaseMs = 10_000
const renewEveryMs = 3000

/** The leases of the conversations that this node works on. */
export type Leases = ReturnType<typeof createLeases>

/** @param node the owner of the leases; no other node has it. @param onError receives why a lease could not be renewed. */
export function createLeases(
  store: Pick<ConversationStore, 'own' | 'disown'>,
  node: string,
  onError: (error: unknown) => void,
) {
  /** How many answers and forms need the lease of each conversation. */
  const uses = new Map<number, number>()
  // Otherwise the end of a lease might overtake the next one's begin.
  const inTurn = createSerialQueue()
  const own = (number: number) => inTurn(() => store.own(number, node, leaseMs))
  let timer: NodeJS.Timeout | undefined

  function renew(): void {
    for (const number of uses.keys()) own(number).catch(onError)
  }

  function release(number: number): void {
    const left = (uses.get(number) ?? 1) - 1
    if (left > 0) return void uses.set(number, left)
    uses.delete(number)
    inTurn(() => store.disown(number, node)).catch(onError)
    if (uses.size === 0) clearInterval(timer)
  }

  return {
    node,
    isHeld: (number: number) => uses.has(number),
    /** Takes a lease, and renews it. Returns its end. @throws ServiceError `storage_unavailable`. */
    async hold(number: number): Promise<() => void> {
      if (uses.size === 0) timer = setInterval(renew, renewEveryMs).unref()
      uses.set(number, (uses.get(number) ?? 0) + 1)
      try {
        await own(number)
      } catch (error) {
        release(number)
        throw error
      }
      return () => release(number)
    },
    /** Resolves when the leases that were released have ended. */
    stop: () => inTurn(async () => {}),
  }
}
