import { Agent } from 'undici'
import { inboundPath } from '#main/inbound/route.ts'
import { contract } from '#shared/contract/index.ts'
import { findConnection } from './find-connection.ts'
import { connectToService } from './service-client.ts'

/** Where events go to, what signs them, and over which sockets. */
export type SendTarget = { readonly url: string; readonly secret: string; readonly dispatcher: Agent }

const timeouts = { headersTimeout: 30_000, bodyTimeout: 30_000 }
const connectTimeout = 10_000

/** A URL and secret as the person gave them. */
export function givenTarget(url: string, secret: string): SendTarget {
  return { url, secret, dispatcher: new Agent({ ...timeouts, connect: { timeout: connectTimeout } }) }
}

/**
 * A connection of the running service. Events go to the inbound listener's own address, never to a public
 * one, so that they arrive whether or not the tunnel is up.
 *
 * @throws ServiceError `service_not_running`, `connection_not_found`, `ambiguous_connection`.
 */
export async function connectionTarget(dataFolder: string, idOrName: string): Promise<SendTarget> {
  const service = await connectToService(dataFolder)
  try {
    const { connectionId } = findConnection(await service.call(contract.connections.list, {}), idOrName)
    const credentials = await service.call(contract.connections.credentials, { connectionId })
    return {
      url: service.listenerUrl + inboundPath(credentials.inboundToken),
      secret: credentials.signingSecret,
      // The listener's certificate is made out for its public name, and this never leaves the machine.
      dispatcher: new Agent({ ...timeouts, connect: { timeout: connectTimeout, rejectUnauthorized: false } }),
    }
  } finally {
    await service.close()
  }
}
