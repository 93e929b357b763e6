/**
 * Names of the messages that connect the page with the desktop app. The page posts `hello` to itself with one
 * MessagePort, and the preload passes that port to the main process as `connect`. This file has no zod, because the
 * preload imports it.
 */
export const windowChannel = {
  hello: 'custom-connection:hello',
  connect: 'custom-connection:connect',
} as const

/** The preload's API for the page, as `window.customConnection`. */
export type PreloadApi = {
  readonly transport: 'message-port'
}

/** The origin of the window's page. */
export const windowOrigin = 'app://cc'
