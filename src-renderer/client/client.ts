import { createORPCClient } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import type { WindowContract } from '#shared/contract/desktop.ts'
import { createLink } from './link.ts'
import { tellSignedOut } from './session.ts'

/** Whether this is the desktop app's window, where `client.desktop` answers. */
export const isDesktop = window.customConnection !== undefined

/** `darwin`, `linux`, `win32` in the desktop app; in a browser, whether it is a Mac is what matters. */
export const isMac = /mac/i.test(window.customConnection?.platform ?? navigator.platform)

/** The service, as its contract describes it. `desktop` answers in the desktop app alone. */
export const client: ContractRouterClient<WindowContract> = createORPCClient(
  createLink(window, tellSignedOut),
)

/** The same as query and mutation options. */
export const api = createTanstackQueryUtils(client)
