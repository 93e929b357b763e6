import { createSerialQueue } from '#main/lib/serial-queue.ts'
import type { ConversationStore } from '#main/storage/conversations.ts'

/** Milliseconds for which others take an answer to be alive after its node has ended. */
const leaseMs = 10_000
const renewEveryMs = 3000
/** Milliseconds after which an answer that has no lease any more would be taken to be interrupted, less one second. */
const lostAfterMs = leaseMs - 1000

type Lease = {
  /** Those who need it, and what to do if it is lost. */
  readonly users: Set<() => void>
  /** When the last renewal that succeeded began. */
  renewedAt: number
  /** Since then, one has begun or failed. */
  isTried: boolean
}

/** The leases of the conversations that this node works on. */
export type Leases = ReturnType<typeof createLeases>

/** @param node the id of this node. @param onError receives why a lease could not be renewed. */
export function createLeases(
  store: Pick<ConversationStore, 'own' | 'disown'>,
  node: string,
  onError: (error: unknown) => void,
) {
  const leases = new Map<number, Lease>()
  // Otherwise the end of a lease might overtake the next one's begin.
  const inTurn = createSerialQueue()
  let timer: NodeJS.Timeout | undefined

  async function own(number: number, lease: Lease): Promise<void> {
    const now = performance.now()
    lease.isTried = true
    await inTurn(() => store.own(number, node, leaseMs))
    lease.renewedAt = now
    lease.isTried = false
  }

  function renew(): void {
    for (const [number, lease] of leases) {
      // The time alone does not tell: the computer may have slept.
      if (lease.isTried && performance.now() - lease.renewedAt >= lostAfterMs)
        for (const onLost of lease.users) onLost()
      own(number, lease).catch(onError)
    }
  }

  function release(number: number, { users }: Lease, user: () => void): void {
    if (!users.delete(user) || users.size > 0) return
    leases.delete(number)
    inTurn(() => store.disown(number, node)).catch(onError)
    if (leases.size === 0) clearInterval(timer)
  }

  return {
    node,
    isHeld: (number: number) => leases.has(number),
    /**
     * Takes a lease, and renews it. Returns its end.
     *
     * @param onLost called back when it could not be renewed, before others take the work to be interrupted.
     * @throws ServiceError `storage_unavailable`.
     */
    async hold(number: number, onLost: () => void = () => {}): Promise<() => void> {
      if (leases.size === 0) timer = setInterval(renew, renewEveryMs).unref()
      const now = performance.now()
      const lease = leases.get(number) ?? { users: new Set(), renewedAt: now, isTried: false }
      leases.set(number, lease)
      const user = () => onLost()
      lease.users.add(user)
      const end = () => release(number, lease, user)
      try {
        await own(number, lease)
      } catch (error) {
        end()
        throw error
      }
      return end
    },
    /** Resolves when the leases that were released have ended. */
    stop: () => inTurn(async () => {}),
  }
}
