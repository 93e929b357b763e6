/**
 * The peer: what somebody would write with Fastify and SQLite. It verifies each event, answers once it is durable, and
 * commits all events that have arrived in one transaction, with the settings of the event log.
 *
 * Arguments: the database, the signing secret, and for TLS a certificate and its key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'
import { z } from 'zod'
import { eventLogSchema } from '#main/storage/local/sqlite/schemas.ts'

const [file = ':memory:', secret = '', cert, key] = process.argv.slice(2)
const maxSkewMs = 300_000
const Headers = z.object({ 'x-service-timestamp': z.string(), 'x-service-signature': z.string() })
const Body = z.object({ event: z.string(), data: z.unknown() })

const database = new DatabaseSync(file)
database.exec(`PRAGMA journal_mode = WAL; PRAGMA temp_store = MEMORY; ${eventLogSchema.pragmas}`)
// SQLite's default: no other thread runs checkpoints here.
database.exec('PRAGMA wal_autocheckpoint = 1000')
database.exec(`CREATE TABLE events (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, received_at INTEGER NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL
) STRICT`)
const insert = database.prepare('INSERT INTO events (name, received_at, headers, body) VALUES (?, ?, ?, ?)')

type Row = [name: string, receivedAt: number, headers: string, body: string]
type Batch = { readonly rows: Row[]; readonly durable: PromiseWithResolvers<void> }
let filling: Batch | null = null

/** Resolves when the row is durable. */
function store(row: Row): Promise<void> {
  if (filling === null) {
    filling = { rows: [], durable: Promise.withResolvers() }
    // After all sockets with data were read.
    setImmediate(commit, filling)
  }
  filling.rows.push(row)
  return filling.durable.promise
}

function commit({ rows, durable }: Batch): void {
  filling = null
  database.exec('BEGIN')
  for (const row of rows) insert.run(...row)
  database.exec('COMMIT')
  durable.resolve()
}

function isSigned(timestamp: string, signature: string, body: Buffer): boolean {
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  const [expected, received] = [Buffer.from(`sha256=${digest}`), Buffer.from(signature)]
  return expected.length === received.length && timingSafeEqual(expected, received)
}

const https =
  cert === undefined || key === undefined ? null : { cert: readFileSync(cert), key: readFileSync(key) }
const app = Fastify({ https })
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
)
app.post<{ Body: Buffer }>('/events', async ({ headers, body }, reply) => {
  const { 'x-service-timestamp': timestamp, 'x-service-signature': signature } = Headers.parse(headers)
  const now = Date.now()
  if (!(Math.abs(now - Number(timestamp)) <= maxSkewMs) || !isSigned(timestamp, signature, body))
    return reply.code(401).send({ ok: false })
  const text = body.toString()
  const { event } = Body.parse(JSON.parse(text))
  await store([event, now, JSON.stringify(headers), text])
  return { ok: true }
})
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url: `${origin}/events` }))
