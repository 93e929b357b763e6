import type { AddressInfo } from 'node:net'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Listener } from './listener.ts'

/** Where to listen; port 0 selects a free one. */
export type ListenAddress = { readonly host: string; readonly port: number }

/** A listener that accepts requests. */
export type Listening = {
  /** As configured: a name can resolve to more than one address. */
  readonly host: string
  readonly address: AddressInfo
  /** Milliseconds since 1970. */
  readonly since: number
}

export type MovableListener = ReturnType<typeof createMovableListener>

type Open = Listening & { readonly listener: Listener }

/**
 * @param create returns a listener that has not started.
 * @param clock milliseconds since 1970.
 * @param onError called if the old address cannot be restored, so that nothing listens.
 */
export function createMovableListener(
  create: (address: ListenAddress) => Listener,
  clock: () => number,
  onError: (error: unknown) => void,
) {
  let current: Open | null = null
  const inTurn = createSerialQueue()
  /** Listeners that are finishing their last requests. */
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

  /** Stops a listener. It accepts nothing from this call on. */
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

  /** Opens the new listener beside the old one, or in its place if they cannot share the port. */
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
    /** Returns where it listens; null before the start, after the end, and after it lost its address. */
    now: () => current,
    /** @throws ServiceError `port_in_use`, `address_unavailable`. */
    async start(address: ListenAddress) {
      current = await open(address)
      return current
    },
    /**
     * Moves to another address. Requests in progress at the old one are answered before its connections close. If the
     * new address is unavailable or `keep` rejects, the old listener continues.
     *
     * @param keep saves the new address, with its actual port.
     * @throws ServiceError `port_in_use`, `address_unavailable`; the errors of `keep`.
     */
    move: (address: ListenAddress, keep: (address: ListenAddress) => Promise<void>) =>
      inTurn(() => move(address, keep)),
    /** Closes each connection with its next answer. It still accepts. */
    drain() {
      current?.listener.drain()
    },
    /** Stops accepting, finishes requests in progress, then closes. */
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
