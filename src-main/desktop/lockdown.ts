import { installLinks } from '#shared/install-links.ts'
import { windowChannel, windowOrigin } from '#shared/window-channel.ts'
import type { ElectronParts, PortEvent, PortPart, WindowPart } from './electron-parts.ts'
import { isOwnPage } from './page.ts'

/** The page's copy buttons need it. Every other permission is refused. */
const allowedPermission = 'clipboard-sanitized-write'

/**
 * Restricts every page of the app: no navigation to other pages, no windows, no embedded pages, no permission but
 * writing text to the clipboard. Links to the web open in the browser, and those that install an MCP server in their
 * program.
 */
export function lockDown({ app, session, shell }: Pick<ElectronParts, 'app' | 'session' | 'shell'>): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(({ url }) => {
      const target = webPage(url) ?? installLink(url)
      if (target !== null) void shell.openExternal(target)
      return { action: 'deny' }
    })
    for (const event of ['will-navigate', 'will-redirect'] as const)
      contents.on(event, details => {
        if (!isOwnPage(details.url)) details.preventDefault()
      })
    contents.on('will-attach-webview', event => event.preventDefault())
  })
  session.defaultSession.setPermissionRequestHandler((_contents, permission, callback, details) => {
    callback(permission === allowedPermission && isOwnPage(details.requestingUrl ?? ''))
  })
  session.defaultSession.setPermissionCheckHandler(
    (_contents, permission, origin) =>
      permission === allowedPermission && origin.replace(/\/$/, '') === windowOrigin,
  )
  session.defaultSession.setDevicePermissionHandler(() => false)
}

/** Returns the normalized URL; null unless it is http or https. */
function webPage(url: string): string | null {
  const { protocol, href } = URL.parse(url) ?? {}
  return href !== undefined && /^https?:$/.test(protocol ?? '') ? href : null
}

/** Returns the normalized URL; null unless it makes a known program install an MCP server. */
function installLink(url: string): string | null {
  const { href } = URL.parse(url) ?? {}
  return Object.values(installLinks).some(start => href?.startsWith(start)) ? (href ?? null) : null
}

/**
 * Accepts message ports only from the app's own page in the main frame of the open window. Other ports are closed.
 *
 * @param accept receives the port.
 */
export function acceptPorts(
  ipcMain: ElectronParts['ipcMain'],
  currentWindow: () => WindowPart | null,
  accept: (port: PortPart) => void,
): void {
  ipcMain.on(windowChannel.connect, ({ senderFrame, ports }: PortEvent) => {
    const [port] = ports
    const window = currentWindow()
    const isTrusted =
      senderFrame !== null &&
      window !== null &&
      senderFrame === window.webContents.mainFrame &&
      senderFrame.origin === windowOrigin
    if (isTrusted && port !== undefined && ports.length === 1) accept(port)
    else for (const refused of ports) refused.close()
  })
}
