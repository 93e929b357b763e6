import type { AddressInfo, Server } from 'node:net'
import { ServiceError } from '#shared/errors.ts'

/**
 * Starts a server on a TCP address.
 *
 * @param port 0 takes a free one; a busy one is an error, never another port.
 * @throws ServiceError `port_in_use`.
 */
export function listenOn(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new ServiceError('port_in_use', {
              detail: `Another program already listens on ${host}:${port}.`,
              cause: error,
            })
          : error,
      )
    }
    server.once('error', onError)
    server.listen({ host, port }, () => {
      server.off('error', onError)
      const address = server.address()
      if (address === null || typeof address === 'string')
        reject(new Error('A TCP server has an address and a port.'))
      else resolve(address)
    })
  })
}

/** The base URL of an address, with brackets round IPv6; unspecified addresses are shown as loopback. */
export function urlOf({ address, port }: AddressInfo, scheme: 'http' | 'https'): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
