import { windowOrigin } from '#shared/window-channel.ts'
import type { ElectronParts } from './electron-parts.ts'
import { isOwnPage } from './page.ts'

/** What the page's copy buttons need; everything else that a page can ask for is refused. */
const allowedPermission = 'clipboard-sanitized-write'

/**
 * Keeps every page of the app where it is: no navigation elsewhere, no windows, no embedded pages, no
 * permissions but writing text to the clipboard. Links to the web open in the browser.
 */
export function lockDown({ app, session, shell }: Pick<ElectronParts, 'app' | 'session' | 'shell'>): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(({ url }) => {
      const page = webPage(url)
      if (page !== null) void shell.openExternal(page)
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

/** @returns the address as a browser writes it, for the program that gets it; null when it is none of the web's. */
function webPage(url: string): string | null {
  const { protocol, href } = URL.parse(url) ?? {}
  return href !== undefined && /^https?:$/.test(protocol ?? '') ? href : null
}
