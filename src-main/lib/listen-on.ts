import type { AddressInfo, Server } from 'node:net'
import { ServiceError } from '#shared/errors.ts'

/**
 * Connections that wait for the accept; most systems allow at most 4,096. Beyond it the system drops the handshake and
 * the peer retries a second later. With Node's default of 511, a flood would delay honest senders.
 */
const backlog = 4096

/**
 * Starts a server on a TCP address.
 *
 * @param port 0 takes a free port. A busy port is an error; the server never takes another one.
 * @throws ServiceError `port_in_use`, `address_unavailable`.
 */
export function listenOn(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const onError = (error: unknown) => reject(listenError(error, host, port))
    server.once('error', onError)
    server.listen({ host, port, backlog }, () => {
      server.off('error', onError)
      const address = server.address()
      if (address === null || typeof address === 'string')
        reject(new Error('A TCP server has an address and a port.'))
      else resolve(address)
    })
  })
}

/** Converts a listen error that the address caused to a ServiceError that names the address; returns others as is. */
export function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
  if (code === null) return error
  const at = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  if (code === 'EADDRINUSE') {
    const detail = `Another program already listens on ${at}.`
    return new ServiceError('port_in_use', { detail, cause: error })
  }
  const reason = reasons[code]
  if (reason === undefined) return error
  const detail = `This computer cannot listen on ${at}: ${reason}.`
  return new ServiceError('address_unavailable', { detail, cause: error })
}

/** Explains the system's error codes. */
const reasons: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'it has no such address',
  EACCES: 'the service’s user may not use this port',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name cannot be looked up',
  EINVAL: 'it has no such address',
  EAFNOSUPPORT: 'it has no addresses of this kind',
}

/** Returns the base URL of an address, with brackets around IPv6. Unspecified addresses become loopback. */
export function urlOf(
  { address, port }: Pick<AddressInfo, 'address' | 'port'>,
  scheme: 'http' | 'https',
): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
