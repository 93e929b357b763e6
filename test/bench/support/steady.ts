/**
 * Honest senders: signed events at a steady rate over a few connections, which are opened again when they close.
 * Reads one JSON object from its arguments and prints one: latencies in ms, what was not answered 200, and how long it
 * took in seconds.
 */
import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'
import { z } from 'zod'

const Options = z.object({
  url: z.string(),
  secret: z.string(),
  perSecond: z.number(),
  seconds: z.number(),
  connections: z.int(),
})
const { url, secret, perSecond, seconds, connections } = Options.parse(JSON.parse(process.argv[2] ?? ''))
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const total = Math.round(perSecond * seconds)
const latencies: number[] = []
const refused: Record<string, number> = {}

/** Latency counts from when the event was due, so that waiting for a connection counts too. */
function send(index: number, due: number): Promise<void> {
  const body = JSON.stringify({
    event: 'order.created',
    data: { id: `${process.pid}-${index}`, total: 129.9 },
  })
  const timestamp = String(Date.now())
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return new Promise(resolve => {
    const end = (outcome: string) => {
      if (outcome === '200') latencies.push(performance.now() - due)
      else refused[outcome] = (refused[outcome] ?? 0) + 1
      resolve()
    }
    const outgoing = request(
      url,
      {
        method: 'POST',
        agent,
        timeout: 20_000,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'x-service-timestamp': timestamp,
          'x-service-signature': `sha256=${signature}`,
        },
      },
      response => {
        response.resume()
        response.on('end', () => end(String(response.statusCode)))
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer within 20 s')))
    outgoing.on('error', error => end(error.message))
    outgoing.end(body)
  })
}

const startedAt = performance.now()
const sent: Promise<void>[] = []
await new Promise<void>(resolve => {
  const timer = setInterval(() => {
    const until = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * perSecond))
    while (sent.length < until) sent.push(send(sent.length, startedAt + (sent.length / perSecond) * 1000))
    if (sent.length < total) return
    clearInterval(timer)
    resolve()
  }, 2)
})
await Promise.all(sent)
const took = (performance.now() - startedAt) / 1000
latencies.sort((a, b) => a - b)
const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? null
const answered = latencies.length
console.log(JSON.stringify({ p50: at(0.5), p99: at(0.99), max: at(1), answered, refused, seconds: took }))
process.exit(0)
