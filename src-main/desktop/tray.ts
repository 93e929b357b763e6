import { join } from 'node:path'
import type { Bus } from '#main/lib/bus.ts'
import type { ListenerStatus } from '#shared/model/service.ts'
import type { ElectronParts, MenuItem } from './electron-parts.ts'

export type TrayOptions = {
  readonly platform: NodeJS.Platform
  readonly iconFolder: string
  readonly listenerStatus: () => ListenerStatus
  readonly listenerChanges: Bus<ListenerStatus>
  readonly open: () => void
  readonly quit: () => void
}

/** Shows in the tray whether events are received, window or not. @returns the function that removes it. */
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
  // On macOS a click opens the menu, and is told of besides.
  if (platform !== 'darwin') tray.on('click', open)
  return () => {
    stop()
    tray.destroy()
  }
}

function describeListener({ url, host, port }: ListenerStatus): string {
  return url === null ? `Not receiving events at ${host}:${port}` : `Receiving events at ${url}`
}
