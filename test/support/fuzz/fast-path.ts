import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readPlainRequest } from '#main/inbound/fast/plain-request.ts'
import type { Address } from '../raw-http.ts'
import { eventBody, type SenderAccount, signedRequest } from '../sender.ts'
import type { Random } from './random.ts'

const fields = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'transfer-encoding : chunked',
  'Content-Length: 0',
  'Content-Length: 5',
  'content-length:  +12',
  'Expect: 100-continue',
  'Upgrade: websocket',
  'Trailer: X',
  'TE: trailers',
  'Connection: close',
  'Connection: keep-alive',
  'Connection: Keep-Alive, Upgrade',
  'Proxy-Connection: close',
  'Keep-Alive: timeout=1',
  'Content-Encoding: gzip',
  'X-Empty:',
  'X-Space: \t a b \t ',
  'X-Fold: a\r\n b',
  'X-Latin: \xe9',
  'X-Nul: a\0b',
  'Bad Name: x',
  ': x',
  'Host: twice',
  'x-service-signature: sha256=0',
  'x-service-timestamp: 1',
] as const

const insertions = [
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  '\0',
  ':',
  '0',
  'POST / HTTP/1.1\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
] as const

/** Returns a signed event as text in Latin-1, mostly changed in some places; often more follows it. */
function fuzzedText(random: Random, account: SenderAccount, nowMs: number): string {
  const sign = () =>
    signedRequest(account, nowMs, {
      body: eventBody('order.paid', { id: random.int(1e9), note: 'é'.repeat(random.int(3)) }),
    })
  let text = sign().bytes.toString('latin1')
  const edits = random.pick([0, 1, 1, 1, 2, 3])
  for (let count = 0; count < edits; count++) text = edited(text, random)
  if (random.chance(0.2)) text += sign().bytes.toString('latin1')
  return text
}

function edited(text: string, random: Random): string {
  const headEnd = Math.max(1, text.indexOf('\r\n\r\n'))
  const at = random.int(random.chance(0.8) ? headEnd + 4 : text.length)
  const lines = text.slice(0, headEnd).split('\r\n')
  const line = random.int(lines.length)
  const rest = text.slice(headEnd)
  switch (random.int(9)) {
    case 0:
      return text.slice(0, at) + String.fromCharCode(random.int(256)) + text.slice(at + 1)
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random.int(3))
    case 2:
      return text.slice(0, at) + random.pick(insertions) + text.slice(at)
    case 3:
      return lines.toSpliced(Math.max(1, line), 0, random.pick(fields)).join('\r\n') + rest
    case 4:
      return lines.toSpliced(line, 1).join('\r\n') + rest
    case 5:
      return lines.toSpliced(line, 0, lines[line] ?? '').join('\r\n') + rest
    case 6:
      return text.slice(0, at)
    case 7:
      return text + random.pick(insertions)
    default:
      return text.replace(/HTTP\/1\.1|POST|events|Content-Length|\r\n\r\n/, found =>
        random.pick([
          found.toLowerCase(),
          found.toUpperCase(),
          'HTTP/1.0',
          `${found}?a=b&c`,
          '\n\n',
          ` ${found}`,
        ]),
      )
  }
}

/** A request as one of the two parsers reads it. */
type Read = {
  readonly method: string
  readonly target: string
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** Returns how node:http reads bytes: all requests, and whether it gives up. */
export function createNodeReader() {
  let requests: Read[] = []
  let failed = false
  const read = async (request: IncomingMessage) => {
    let body = ''
    request.setEncoding('latin1')
    for await (const part of request) body += part
    const { method = '', url: target = '', rawHeaders } = request
    requests.push({ method, target, rawHeaders, body })
  }
  const server = createServer({ requireHostHeader: false }, request => void read(request).catch(() => {}))
  server.maxHeadersCount = 0
  server.on('clientError', () => {
    failed = true
  })
  return async (bytes: Buffer): Promise<{ requests: Read[]; failed: boolean }> => {
    requests = []
    failed = false
    const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    server.emit('connection', stream)
    stream.push(bytes)
    await nextTurn()
    await nextTurn()
    stream.destroy()
    return { requests, failed }
  }
}

type Exchange = {
  /** All that came back, without dates. */
  readonly text: string
  /** Whether the connection was reset, which can take an answer with it that was already sent. */
  readonly wasReset: boolean
}

/** Sends chunks over a connection, each in a segment of its own, then ends it. */
async function exchange({ host, port }: Address, chunks: readonly Buffer[]): Promise<Exchange> {
  const socket = connect({ host, port, noDelay: true, allowHalfOpen: true })
  let received = ''
  socket.setEncoding('latin1').on('data', text => {
    received += text
  })
  let wasReset = false
  socket.on('error', error => {
    wasReset ||= 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
  })
  // Not `once`, which rejects when the listener resets the connection.
  const closed = new Promise(resolve => socket.once('close', resolve))
  await once(socket, 'connect')
  for (const chunk of chunks) {
    await new Promise(resolve => socket.write(chunk, resolve))
    await nextTurn()
  }
  socket.end()
  socket.once('end', () => socket.destroy())
  await closed
  return { text: received.replace(/Date: [^\r]*/g, 'Date: …').replace(lateRefusal, '$1'), wasReset }
}

/**
 * The refusal of malformed bytes behind another request. When their sender ends its side, it depends on the disk whether
 * the refusal still leaves.
 */
const lateRefusal = /(.)HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n[\s\S]*$/

export type FastPathFuzz = {
  readonly requests: number
  /** Those that the fast path took in one chunk. */
  readonly taken: number
  readonly accepted: number
  readonly wrong: readonly string[]
}

/**
 * Compares the fast path with node:http: both must read the same from each chunk that it takes, and a listener must give
 * the same answers with it as without it, however the bytes are cut.
 *
 * @param options.withIt a listener with the fast path; `options.without` one of the same connection without it.
 */
export async function fuzzFastPath(options: {
  readonly withIt: Address
  readonly without: Address
  readonly account: SenderAccount
  readonly random: Random
  readonly requests: number
  readonly now: () => number
  readonly atOnce?: number
}): Promise<FastPathFuzz> {
  const { withIt, without, account, random, requests, now, atOnce = 16 } = options
  const wrong: string[] = []
  let sent = 0
  let taken = 0
  let accepted = 0

  /** Sends the same to both. Sends it again if they differ and a connection was reset. */
  async function compared(parts: readonly Buffer[]): Promise<readonly [Exchange, Exchange]> {
    for (let tries = 1; ; tries++) {
      const [one, other] = await Promise.all([exchange(withIt, parts), exchange(without, parts)])
      const wasReset = one.wasReset || other.wasReset
      if (one.text === other.text || !wasReset || tries === 5) return [one, other]
    }
  }

  async function work(): Promise<void> {
    const readByNode = createNodeReader()
    while (sent < requests && wrong.length < 10) {
      sent++
      const text = fuzzedText(random, account, now())
      const bytes = Buffer.from(text, 'latin1')
      const plain = readPlainRequest(bytes)
      if (plain !== null) {
        taken++
        const mine = {
          method: 'POST',
          target: plain.target,
          rawHeaders: plain.rawHeaders,
          body: plain.body.toString('latin1'),
        }
        const theirs = await readByNode(bytes)
        if (JSON.stringify(theirs) !== JSON.stringify({ requests: [mine], failed: false }))
          wrong.push(`read: ${JSON.stringify(text)} as ${JSON.stringify(theirs)}`)
      }
      const cuts = random.chance(0.5)
        ? []
        : [random.int(bytes.length), random.int(bytes.length)].sort((a, b) => a - b)
      const chunks = [0, ...cuts].map((cut, index) => bytes.subarray(cut, [...cuts, bytes.length][index]))
      const parts = chunks.filter(chunk => chunk.length > 0)
      const [one, other] = await compared(parts)
      if (one.text.includes('{"ok":true}')) accepted++
      if (one.text !== other.text)
        wrong.push(
          `answer to ${JSON.stringify(text)} cut at ${cuts}: ${JSON.stringify(one)}, not ${JSON.stringify(other)}`,
        )
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { requests: sent, taken, accepted, wrong }
}
