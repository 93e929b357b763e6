import { windowChannel, windowOrigin } from '#shared/window-channel.ts'
import type { ElectronParts, PortEvent, PortPart, WindowPart } from './electron-parts.ts'

/**
 * Takes the port that the window's page sends, and nothing from anywhere else: the sender must be the main
 * frame of the window that is open now, and its page one of the app's own.
 *
 * @param accept answers on the port from then on.
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
