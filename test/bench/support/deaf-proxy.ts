import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from '#main/lib/listen-on.ts'
import { tieSockets } from '../../support/tie-sockets.ts'

/**
 * Starts a TCP proxy to PostgreSQL on a free port of this computer. A connection that has sent LISTEN gets the answer to
 * it and nothing afterwards, as if a pooler had given the listening session to somebody else.
 */
export async function startDeafProxy(): Promise<{
  /** Returns the URL that leads through the proxy to a database of this computer. */
  urlTo(url: string): string
  /** Returns how many connections hear nothing any more. */
  deaf(): number
  close(): void
}> {
  let port = 0
  const sockets = new Set<Socket>()
  let deaf = 0
  const server = createServer(incoming => {
    const outgoing = connect(port, '127.0.0.1')
    let isListening = false
    let isDeaf = false
    tieSockets(sockets, incoming, outgoing)
    incoming.on('data', chunk => {
      if (chunk.includes('LISTEN ')) isListening = true
      outgoing.write(chunk)
    })
    outgoing.on('data', chunk => {
      if (isDeaf) return
      if (isListening) {
        isDeaf = true
        deaf++
      }
      incoming.write(chunk)
    })
  })
  const { port: own } = await listenOn(server, '127.0.0.1', 0)
  return {
    urlTo(url) {
      const through = new URL(url)
      port = Number(through.port)
      through.port = String(own)
      return through.href
    },
    deaf: () => deaf,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
