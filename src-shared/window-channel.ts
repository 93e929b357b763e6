/**
 * How the page asks the desktop app for its end of the contract: the page posts `hello` to itself with one
 * MessagePort, the preload passes that port on to the main process as `connect`. No zod here: the preload
 * imports this file.
 */
export const windowChannel = {
  hello: 'custom-connection:hello',
  connect: 'custom-connection:connect',
} as const

/** What the preload gives the page as `window.customConnection`. */
export type PreloadApi = {
  /** As `process.platform` has it: `linux`, `darwin`, `win32`. */
  readonly platform: string
  readonly transport: 'message-port'
}

/** Where the window's page comes from. */
export const windowOrigin = 'app://cc'
