import { type ClientLink, createORPCClient, ORPCError, onError } from '@orpc/client'
import { RPCLink as FetchLink } from '@orpc/client/fetch'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { SimpleCsrfProtectionLinkPlugin } from '@orpc/client/plugins'
import type { ContractRouterClient } from '@orpc/contract'
import { createTanstackQueryUtils, type RouterUtils } from '@orpc/tanstack-query'
import type { WindowContract } from '#shared/contract/desktop.ts'
import { type PreloadApi, windowChannel } from '#shared/window-channel.ts'
import { notifySessionEnded } from './session.ts'
import { sessionKeyHeaders } from './session-key.ts'

/** Whether this is the desktop app's window, where `client.desktop` answers. */
export const isDesktop = window.customConnection !== undefined

/** The service's contract. `desktop` answers in the desktop app only. */
export const client: ContractRouterClient<WindowContract> = createORPCClient(createLink())

/** The contract as query and mutation options. Its inferred type is too long for the compiler to serialize. */
export const api: RouterUtils<typeof client> = createTanstackQueryUtils(client)

declare global {
  interface Window {
    /** Set by the preload script of the desktop app's window. */
    readonly customConnection?: PreloadApi
  }
}

type Context = Record<never, never>

/** Connects this page to the service: over the desktop window's message port, else over HTTP to its own origin. */
function createLink(): ClientLink<Context> {
  if (window.customConnection?.transport === 'message-port') {
    const { port1, port2 } = new MessageChannel()
    window.postMessage(windowChannel.hello, location.origin, [port2])
    port1.start()
    return new PortLink({ port: port1 })
  }
  return new FetchLink({
    url: new URL('rpc', document.baseURI).href,
    headers: sessionKeyHeaders,
    plugins: [new SimpleCsrfProtectionLinkPlugin()],
    interceptors: [
      onError(error => {
        if (error instanceof ORPCError && error.code === 'unauthorized') notifySessionEnded()
      }),
    ],
  })
}
