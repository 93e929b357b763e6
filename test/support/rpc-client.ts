import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink as FetchLink } from '@orpc/client/fetch'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { SimpleCsrfProtectionLinkPlugin } from '@orpc/client/plugins'
import type { ContractRouterClient } from '@orpc/contract'
import { RPCHandler } from '@orpc/server/message-port'
import type { Router } from '#main/rpc/router.ts'
import type { Contract } from '#shared/contract/index.ts'
import { adminToken } from './service-fixture.ts'

/** The service as the dashboard's page calls it. */
export type RpcClient = ContractRouterClient<Contract>

/** Trades the admin token for a cookie, as the page does. @returns the cookie, to be sent with each call. */
export async function signIn(dashboardUrl: string, token: string = adminToken): Promise<string> {
  const answer = await fetch(`${dashboardUrl}/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  const [cookie = ''] = answer.headers.getSetCookie()
  return cookie.split(';')[0] ?? ''
}

/** @param dashboardUrl asked for each call. */
export function httpClient(dashboardUrl: () => string, cookie: () => string): RpcClient {
  return createORPCClient(
    new FetchLink({
      url: () => `${dashboardUrl()}/rpc`,
      headers: () => ({ cookie: cookie() }),
      plugins: [new SimpleCsrfProtectionLinkPlugin()],
    }),
  )
}

/** Over a channel of Node's, which stands in for the one between Electron's window and its main process. */
export function portClient(router: Router): { readonly client: RpcClient; close(): void } {
  const { port1, port2 } = new MessageChannel()
  new RPCHandler(router).upgrade(port2, { context: {} })
  port2.start()
  const client: RpcClient = createORPCClient(new PortLink({ port: port1 }))
  port1.start()
  return { client, close: () => port1.close() }
}
