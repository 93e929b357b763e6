import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Returns the sockets that servers of this process accept from now on, until the test has finished. */
export const acceptedSockets = () => socketsOf('net.server.socket')
/** Returns those that clients of this process open. */
export const openedSockets = () => socketsOf('net.client.socket')

function socketsOf(channel: string): Socket[] {
  const sockets: Socket[] = []
  const note = (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'socket' in message)
      sockets.push(message.socket as Socket)
  }
  diagnostics.subscribe(channel, note)
  onTestFinished(() => void diagnostics.unsubscribe(channel, note))
  return sockets
}
