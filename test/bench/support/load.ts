/**
 * A load generator as light as it can be, so that it takes little of the machine away from the server:
 * requests are signed and written out beforehand, each with a body, timestamp and signature of its own,
 * and sent over plain sockets, one at a time on each.
 *
 * Reads one JSON object from its arguments and prints one: requests per second, and latencies in ms.
 */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { z } from 'zod'

const Options = z.object({
  url: z.string(),
  secret: z.string(),
  connections: z.int(),
  /** How many requests are timed, after `warmup` others. */
  requests: z.int(),
  warmup: z.int(),
  bodyBytes: z.int(),
  scheme: z.enum(['custom-connection', 'github']).default('custom-connection'),
  ca: z.string().optional(),
  /** Whether each request has a connection of its own. */
  fresh: z.boolean().default(false),
})
const options = Options.parse(JSON.parse(process.argv[2] ?? ''))
const { hostname, port, pathname } = new URL(options.url)
const ca = options.ca === undefined ? null : readFileSync(options.ca)
const total = options.warmup + options.requests

function makeRequest(index: number): Buffer {
  const id = `${process.pid}-${index}`
  const withoutNote = JSON.stringify({
    event: 'order.created',
    data: { id, email: 'ada@example.com', total: 129.9, note: '' },
  })
  const note = 'x'.repeat(Math.max(0, options.bodyBytes - withoutNote.length))
  const body = JSON.stringify({
    event: 'order.created',
    data: { id, email: 'ada@example.com', total: 129.9, note },
  })
  return Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUser-Agent: load\r\nContent-Type: application/json\r\n` +
      `${proofOf[options.scheme](body, id)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

const hmac = (text: string) => createHmac('sha256', options.secret).update(text).digest('hex')
/** The headers of a request under each scheme. */
const proofOf = {
  'custom-connection': (body: string) => {
    const timestamp = String(Date.now())
    return `x-service-timestamp: ${timestamp}\r\nx-service-signature: sha256=${hmac(`${timestamp}.${body}`)}\r\n`
  },
  github: (body: string, id: string) =>
    `x-github-event: push\r\nx-github-delivery: ${id}\r\nx-hub-signature-256: sha256=${hmac(body)}\r\n`,
}
const requests = Array.from({ length: total }, (_, index) => makeRequest(index))

const latencies = new Float64Array(options.requests)
let sent = 0
let answered = 0
let refused = 0
let startedAt = 0

function finish(): void {
  const seconds = (performance.now() - startedAt) / 1000
  latencies.sort()
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)]
  console.log(
    JSON.stringify({
      perSecond: options.requests / seconds,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
      refused,
    }),
  )
  process.exit(0)
}

function drive(): void {
  let sentAt = performance.now()
  const socket =
    ca === null ? connect(Number(port), hostname) : connectTls({ host: hostname, port: Number(port), ca })
  socket.setNoDelay()
  const next = () => {
    const request = requests[sent]
    if (request === undefined) return
    sent++
    if (!options.fresh) sentAt = performance.now()
    socket.write(request)
  }
  socket.on(ca === null ? 'connect' : 'secureConnect', next)
  socket.on('data', answer => {
    // Answers are short and come whole: "HTTP/1.1 200".
    if (answer.toString('latin1', 9, 12) !== '200') refused++
    answered++
    if (answered === options.warmup) startedAt = performance.now()
    else if (answered > options.warmup) latencies[answered - options.warmup - 1] = performance.now() - sentAt
    if (answered === total) finish()
    if (!options.fresh) return next()
    socket.destroy()
    drive()
  })
  socket.on('error', error => {
    console.error(error)
    process.exit(1)
  })
}
for (let index = 0; index < options.connections; index++) drive()
