import { contextBridge, ipcRenderer } from 'electron'
import { type PreloadApi, windowChannel } from '#shared/window-channel.ts'

const api: PreloadApi = { transport: 'message-port' }
contextBridge.exposeInMainWorld('customConnection', api)

/** Passes the page's port on: the first one, of the page itself, and nothing else that is posted to it. */
function onMessage(event: MessageEvent<unknown>): void {
  const { source, origin, data, ports } = event
  const [port] = ports
  if (source !== window || origin !== location.origin || data !== windowChannel.hello) return
  if (port === undefined || ports.length !== 1) return
  window.removeEventListener('message', onMessage)
  ipcRenderer.postMessage(windowChannel.connect, null, [port])
}
window.addEventListener('message', onMessage)
