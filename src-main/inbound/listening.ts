import type { AddressInfo } from 'node:net'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Listener } from './listener.ts'

/** Where to listen; port 0 takes a free one. */
export type ListenAddress = { readonly host: string; readonly port: number }

/** A listener that accepts requests. */
export type Listening = {
  /** As it was asked for; a name may stand for more than one address. */
  readonly host: string
  readonly address: AddressInfo
  /** Milliseconds since 1970. */
  readonly since: number
}

export type MovableListener = {
  /** Where it listens now; null before the start, after the end, and when an address was lost. */
  now(): Listening | null
  /** @throws ServiceError `port_in_use`, `address_unavailable`. */
  start(address: ListenAddress): Promise<Listening>
  /**
   * Listens at another address. Where that cannot be had, or `keep` rejects, the old one goes on and the error
   * is thrown. Requests under way at the old one are answered; its connections then end.
   *
   * @param keep makes the new address last; it is told the port that was taken.
   * @throws ServiceError `port_in_use`, `address_unavailable`; what `keep` throws.
   */
  move(address: ListenAddress, keep: (address: ListenAddress) => Promise<void>): Promise<Listening>
  /** Stops accepting, lets what is under way finish, then closes. */
  stop(): Promise<void>
}

type Open = Listening & { readonly listener: Listener }

/**
 * @param create makes a listener that has not started.
 * @param clock milliseconds since 1970.
 * @param onError is told when the old address could not be taken back: nothing listens then.
 */
export function createMovableListener(
  create: (address: ListenAddress) => Listener,
  clock: () => number,
  onError: (error: unknown) => void,
): MovableListener {
  let current: Open | null = null
  const inTurn = createSerialQueue()
  /** Listeners that let their last requests finish. */
  const ending = new Set<Promise<void>>()

  async function open(at: ListenAddress): Promise<Open> {
    const listener = create(at)
    try {
      return { host: at.host, address: await listener.start(), since: clock(), listener }
    } catch (error) {
      await listener.stop()
      throw error
    }
  }

  /** From the moment of the call nothing listens there any more. */
  function end({ listener }: Open): void {
    const ended = listener.stop().finally(() => ending.delete(ended))
    ending.add(ended)
  }

  async function reopen(before: Open): Promise<void> {
    try {
      current = await open({ host: before.host, port: before.address.port })
    } catch (error) {
      current = null
      onError(error)
    }
  }

  /** The new listener beside the old one, or in its place where both cannot have the port. */
  async function openNext(next: ListenAddress, before: Open | null) {
    try {
      return { opened: await open(next), left: before, replaced: null }
    } catch (error) {
      const inTheWay = before?.address.port === next.port && isPortInUse(error)
      if (before === null || !inTheWay) throw error
      end(before)
      try {
        return { opened: await open(next), left: null, replaced: before }
      } catch (again) {
        await reopen(before)
        throw again
      }
    }
  }

  async function move(next: ListenAddress, keep: (address: ListenAddress) => Promise<void>): Promise<Open> {
    const before = current
    if (before?.host === next.host && before.address.port === next.port) {
      await keep(next)
      return before
    }
    const { opened, left, replaced } = await openNext(next, before)
    try {
      await keep({ host: next.host, port: opened.address.port })
    } catch (error) {
      end(opened)
      if (replaced !== null) await reopen(replaced)
      throw error
    }
    current = opened
    if (left !== null) end(left)
    return opened
  }

  return {
    now: () => current,
    async start(address) {
      current = await open(address)
      return current
    },
    move: (address, keep) => inTurn(() => move(address, keep)),
    async stop() {
      await inTurn(async () => {
        if (current !== null) end(current)
        current = null
      })
      await Promise.all(ending)
    },
  }
}

function isPortInUse(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'port_in_use'
}
