import { join } from 'node:path'
import type { Bus } from '#main/lib/bus.ts'
import type { ListenerStatus } from '#shared/model/service.ts'
import type { ElectronParts, MenuItem } from './electron-parts.ts'

const separator: MenuItem = { type: 'separator' }

/** Returns the application menu. Its shortcuts do not overlap those of the dashboard. Pure. */
export function menuTemplate(
  platform: NodeJS.Platform,
  isPackaged: boolean,
  { openDataFolder }: { readonly openDataFolder: () => void },
): MenuItem[] {
  const isMac = platform === 'darwin'
  return [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'File',
      submenu: [
        { label: 'Show data folder', click: openDataFolder },
        separator,
        isMac ? { role: 'close' } : { role: 'close', label: 'Close window' },
        ...(isMac ? [] : [{ role: 'quit', label: 'Quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'reload' },
        ...(isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
        separator,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    ...(isMac ? [] : [{ label: 'Help', submenu: [{ role: 'about' } as const] }]),
  ]
}

type TrayOptions = {
  readonly platform: NodeJS.Platform
  readonly iconFolder: string
  readonly listenerStatus: () => ListenerStatus
  readonly listenerChanges: Bus<ListenerStatus>
  readonly open: () => void
  readonly quit: () => void
}

/** Shows in the tray whether events are received. @returns the function that removes it. */
export function createTray(
  { Tray, Menu, clipboard }: Pick<ElectronParts, 'Tray' | 'Menu' | 'clipboard'>,
  { platform, iconFolder, listenerStatus, listenerChanges, open, quit }: TrayOptions,
): () => void {
  const iconOf = ({ url }: ListenerStatus) => join(iconFolder, url === null ? 'tray-idle.png' : 'tray-ok.png')
  const tray = new Tray(iconOf(listenerStatus()))

  function show(status: ListenerStatus): void {
    const { url } = status
    const copy = () => void clipboard.writeText(url ?? '')
    const items: MenuItem[] = [
      { label: describeListener(status), enabled: false },
      { label: 'Copy listener URL', enabled: url !== null, click: copy },
      { type: 'separator' },
      { label: 'Open Custom Connection', click: open },
      { label: 'Quit', click: quit },
    ]
    tray.setImage(iconOf(status))
    tray.setToolTip(`Custom Connection: ${describeListener(status)}`)
    tray.setContextMenu(Menu.buildFromTemplate(items))
  }

  show(listenerStatus())
  const stop = listenerChanges.subscribe(show)
  // On macOS a click also opens the menu.
  if (platform !== 'darwin') tray.on('click', open)
  return () => {
    stop()
    tray.destroy()
  }
}

function describeListener({ url, host, port }: ListenerStatus): string {
  return url === null ? `Not receiving events at ${host}:${port}` : `Receiving events at ${url}`
}
