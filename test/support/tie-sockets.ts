import type { Socket } from 'node:net'

/** Ends each of two sockets with the other one. Both are in `open` as long as they are. */
export function tieSockets(open: Set<Socket>, incoming: Socket, outgoing: Socket): void {
  for (const socket of [incoming, outgoing]) {
    open.add(socket)
    socket.setNoDelay()
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      open.delete(socket)
      incoming.destroy()
      outgoing.destroy()
    })
  }
}
