import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'

export type Address = { readonly host: string; readonly port: number }

/** One response as it came over the wire. */
export type RawAnswer = {
  readonly status: number
  /** By lowercase name; a field that came twice holds both, joined by ", ". */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** Head and body. */
  readonly text: string
}

export type RawClient = {
  /** Writes the pieces one by one, each after the one before has left and the listener had a turn. */
  write(...pieces: readonly (string | Uint8Array)[]): Promise<void>
  /** The next response. @throws when the peer closed before it was whole. */
  read(options?: { toHead?: boolean }): Promise<RawAnswer>
  /** Resolves when the peer has closed. @returns bytes that came behind the responses read. */
  closed(): Promise<string>
  readonly isClosed: boolean
  /** Says that nothing more will be sent, and goes on reading. */
  end(): void
  /** Goes away with a reset. */
  reset(): void
  destroy(): void
  readonly socket: Socket
}

/** A sender that keeps to no rule: it writes the bytes that it is given over one socket. */
export async function openRawClient({ host, port }: Address, tls?: { ca: string }): Promise<RawClient> {
  const socket = tls
    ? connectTls({ host, port, ca: tls.ca, servername: 'localhost' })
    : connect({ host, port, noDelay: true, allowHalfOpen: true })
  await once(socket, tls ? 'secureConnect' : 'connect')
  let received = Buffer.alloc(0)
  let over = false
  let changed = Promise.withResolvers<void>()
  const wake = () => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  socket.on('data', chunk => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  const onOver = () => {
    over = true
    wake()
  }
  // A peer that resets has closed just as well; what had arrived before stays readable.
  socket.on('error', onOver)
  socket.on('end', onOver)
  socket.on('close', onOver)

  function take({ toHead = false }): RawAnswer | null {
    const end = received.indexOf('\r\n\r\n')
    if (end === -1) return null
    const [statusLine = '', ...fields] = received.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    const headers = new Map<string, string>()
    for (const field of fields) {
      const colon = field.indexOf(':')
      const name = field.slice(0, colon).toLowerCase()
      const value = field.slice(colon + 1).trim()
      const before = headers.get(name)
      headers.set(name, before === undefined ? value : `${before}, ${value}`)
    }
    const length = toHead || status < 200 || status === 204 ? 0 : Number(headers.get('content-length'))
    if (Number.isNaN(status) || Number.isNaN(length)) throw new Error(`Not an answer: ${received.toString()}`)
    const total = end + 4 + length
    if (received.length < total) return null
    const text = received.subarray(0, total).toString()
    const body = received.subarray(end + 4, total).toString()
    received = received.subarray(total)
    return { status, headers, body, text }
  }

  return {
    socket,
    async write(...pieces) {
      for (const piece of pieces) {
        if (over && socket.destroyed) return
        const sent = new Promise<void>(resolve => socket.write(piece, () => resolve()))
        await sent
        await nextTurn()
        await nextTurn()
      }
    },
    async read(options = {}) {
      for (;;) {
        const answer = take(options)
        if (answer !== null) return answer
        if (over) throw new Error(`Closed before a whole answer: ${JSON.stringify(received.toString())}`)
        await changed.promise
      }
    },
    async closed() {
      while (!over) await changed.promise
      return received.toString()
    },
    get isClosed() {
      return over
    },
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    destroy: () => void socket.destroy(),
  }
}

/** Opens a connection, writes the pieces, reads so many responses, and leaves. */
export async function exchange(
  address: Address,
  pieces: readonly (string | Uint8Array)[],
  responses = 1,
): Promise<RawAnswer[]> {
  const client = await openRawClient(address)
  try {
    await client.write(...pieces)
    const answers: RawAnswer[] = []
    while (answers.length < responses) answers.push(await client.read())
    return answers
  } finally {
    client.destroy()
  }
}
