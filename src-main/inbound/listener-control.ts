import { createBus } from '#main/lib/bus.ts'
import { urlOf } from '#main/lib/listen-on.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ListenerAddress, ListenerStatus } from '#shared/model/service.ts'
import type { MovableListener } from './listening.ts'

/** The address in the start options. */
export type AskedAddress = ListenerAddress & {
  /**
   * Which of the two were set on the command line. These override the configuration and cannot change while the
   * service runs. The others are defaults for a configuration without an address.
   */
  readonly given?: { readonly host: boolean; readonly port: boolean } | undefined
}

/** Reads and changes the inbound listener's address. */
export type ListenerControl = ReturnType<typeof createListenerControl>

/** Returns where to listen at the start. */
export function firstAddress({ host, port, given }: AskedAddress, { listener }: Config): ListenerAddress {
  return {
    host: given?.host ? host : (listener?.host ?? host),
    port: given?.port ? port : (listener?.port ?? port),
  }
}

export function createListenerControl(parts: {
  readonly listener: MovableListener
  readonly asked: AskedAddress
  readonly store: ConfigStore
  readonly scheme: 'http' | 'https'
  readonly onError: (error: unknown) => void
}) {
  const { listener, asked, store, scheme, onError } = parts
  /** Publishes the status after each change. */
  const changes = createBus<ListenerStatus>(onError)
  const fixedBy = asked.given?.host || asked.given?.port ? 'command line' : null
  const first = firstAddress(asked, store.snapshot())
  let last: ListenerAddress & { url: string | null } = { ...first, url: null }

  function status(): ListenerStatus {
    const now = listener.now()
    const { host, port, url } = last
    if (now === null) return { host, port, url: null, since: null, fixedBy }
    return { host, port, url, since: new Date(now.since).toISOString(), fixedBy }
  }

  /** Reads the listener's address and publishes the status. Call this after each possible change. */
  function follow(): void {
    const now = listener.now()
    if (now !== null) last = { host: now.host, port: now.address.port, url: urlOf(now.address, scheme) }
    changes.publish(status())
  }

  function keep({ host, port }: ListenerAddress): Promise<void> {
    return store.update(config => ({ next: { ...config, listener: { host, port } }, result: undefined }))
  }

  return {
    changes,
    status,
    /** Returns the listener's base URL; if it does not listen, the last or the intended one. */
    url: () => last.url ?? urlOf({ address: last.host, port: last.port }, scheme),
    /** @throws ServiceError `port_in_use`, `address_unavailable`. */
    async start() {
      await listener.start(last)
      follow()
    },
    /**
     * Moves to another address and saves it for the next start. If it is unavailable, the old listener continues.
     *
     * @throws ServiceError `port_in_use`, `address_unavailable`, `listener_fixed`, `storage_unavailable`.
     */
    async move(address: ListenerAddress) {
      if (fixedBy !== null) throw new ServiceError('listener_fixed')
      try {
        await listener.move(address, keep)
      } finally {
        follow()
      }
      return status()
    },
  }
}
