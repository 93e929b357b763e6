import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink as FetchLink } from '@orpc/client/fetch'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { SimpleCsrfProtectionLinkPlugin } from '@orpc/client/plugins'
import type { ContractRouterClient } from '@orpc/contract'
import { RPCHandler } from '@orpc/server/message-port'
import { z } from 'zod'
import type { Router } from '#main/rpc/router.ts'
import type { Contract } from '#shared/contract/index.ts'
import { adminToken } from './service-fixture.ts'

/** The service as the dashboard's page calls it. */
export type RpcClient = ContractRouterClient<Contract>

/** The headers that a signed-in page sends with each call. */
export type SessionHeaders = { readonly cookie: string; readonly 'x-session-key': string }

/** Trades the admin token for a session, as the page does. */
export async function signIn(dashboardUrl: string, token: string = adminToken): Promise<SessionHeaders> {
  const answer = await fetch(`${dashboardUrl}/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  const [cookie = ''] = answer.headers.getSetCookie()
  const { key } = z.object({ key: z.string() }).parse(await answer.json())
  return { cookie: cookie.split(';')[0] ?? '', 'x-session-key': key }
}

/** Asks for the link of a backup, as the page does. @returns its path. */
export async function backupLink(dashboardUrl: string, session: SessionHeaders): Promise<string> {
  const answer = await fetch(`${dashboardUrl}/download/backup`, {
    method: 'POST',
    headers: { ...session, 'x-csrf-token': 'orpc' },
  })
  return z.object({ path: z.string() }).parse(await answer.json()).path
}

/** @param dashboardUrl asked for each call. */
export function httpClient(dashboardUrl: () => string, session: () => SessionHeaders | null): RpcClient {
  return createORPCClient(
    new FetchLink({
      url: () => `${dashboardUrl()}/rpc`,
      headers: () => ({ ...session() }),
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
