/**
 * Whether a log of a million events answers as fast as one of ten thousand.
 * `node test/bench/event-log-scale.ts`: prints a table, the last column being the ratio of the two times.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { eventIdOf, sequenceOfTime, timeOfSequence } from '#main/lib/sequence.ts'
import type { EventLog, EventLogQuery, LoggedEvent } from '#main/storage/event-log.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { countOf } from '../storage/event-log-events.ts'

const large = 'conn_large'
const small = 'conn_small'
const smallEvents = 500
const queriesPerKind = 200
/** Events with the rare name, and with the rare text, in a log of any size. */
const rareEvents = 20

const names = [
  'order.created',
  'order.paid',
  'order.shipped',
  'customer.created',
  'invoice.sent',
  'parcel.lost',
]
const notes = ['The parcel was handed over', 'Left at the door', 'Paid by card', 'Waiting for the carrier']

type Kind = { name: string; connectionId?: string; query: () => EventLogQuery }
export type ScaleResult = { kind: string; milliseconds: number[]; ratio: number }

export async function run({
  sizes = [10_000, 1_000_000],
}: {
  sizes?: number[]
} = {}): Promise<ScaleResult[]> {
  const times = new Map<string, number[]>()
  for (const size of sizes) {
    const folder = await mkdtemp(join(tmpdir(), 'event-log-scale-'))
    try {
      for (const [kind, time] of await measure(join(folder, 'events.sqlite'), size)) {
        times.set(kind, [...(times.get(kind) ?? []), time])
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  }
  const results = [...times].map(([kind, milliseconds]) => ({
    kind,
    milliseconds,
    ratio: milliseconds.at(-1)! / milliseconds[0]!,
  }))
  console.log(
    `median of ${queriesPerKind} queries, in milliseconds`.padEnd(48),
    ...sizes.map(size => String(size).padStart(9)),
    '   ratio',
  )
  for (const { kind, milliseconds, ratio } of results) {
    console.log(
      kind.padEnd(48),
      ...milliseconds.map(time => time.toFixed(3).padStart(9)),
      ratio.toFixed(2).padStart(8),
    )
  }
  return results
}

async function measure(file: string, size: number): Promise<Map<string, number>> {
  const log = await openSqliteEventLog({
    file,
    onError: error => console.error(error),
  })
  try {
    const ids = await fill(log, size)
    await indexed(file, ids.at(-1)!)
    const times = new Map<string, number>()
    for (const kind of kindsOf(ids)) times.set(kind.name, await medianTime(log, kind))
    times.set('number of events', await median(() => countOf(log, large)))
    return times
  } finally {
    await log.close()
  }
}

function kindsOf(ids: string[]): Kind[] {
  const limit = 50
  const random = generator(7)
  const anywhere = () => ids[Math.floor(random() * ids.length)]!
  return [
    { name: 'first page', query: () => ({ limit }) },
    { name: 'a page anywhere', query: () => ({ limit, before: anywhere() }) },
    { name: 'common name', query: () => ({ limit, eventName: 'order.paid' }) },
    {
      name: 'common name, a page anywhere',
      query: () => ({ limit, eventName: 'order.paid', before: anywhere() }),
    },
    { name: 'rare name', query: () => ({ limit, eventName: 'account.closed' }) },
    { name: 'common text', query: () => ({ limit, text: 'Parcel was' }) },
    { name: 'rare text', query: () => ({ limit, text: 'zebra crossing' }) },
    { name: 'absent text', query: () => ({ limit, text: 'xylophone' }) },
    {
      name: 'seven digits',
      query: () => ({ limit, text: String(orderId(Math.floor(random() * ids.length))) }),
    },
    {
      name: 'half an identifier',
      query: () => ({ limit, text: customer(Math.floor(random() * ids.length)).slice(4, 14) }),
    },
    { name: 'name and text', query: () => ({ limit, eventName: 'order.paid', text: 'at the door' }) },
    {
      name: 'rare name and common text',
      query: () => ({ limit, eventName: 'account.closed', text: 'at the door' }),
    },
    { name: 'two letters', query: () => ({ limit, text: 'pa' }) },
    {
      name: 'small connection, common text',
      connectionId: small,
      query: () => ({ limit, text: 'Parcel was' }),
    },
    {
      name: 'small connection, absent text',
      connectionId: small,
      query: () => ({ limit, text: 'the parcel door' }),
    },
    {
      name: 'small connection, rare name',
      connectionId: small,
      query: () => ({ limit, eventName: 'account.closed' }),
    },
  ]
}

async function medianTime(log: EventLog, { connectionId = large, query }: Kind): Promise<number> {
  return median(() => log.list(connectionId, query()))
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < queriesPerKind; round++) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[queriesPerKind >> 1]!
}

async function fill(log: EventLog, size: number): Promise<string[]> {
  const first = Date.UTC(2026, 0, 1)
  const ids: string[] = []
  const rareEvery = Math.floor(size / rareEvents)
  const smallEvery = Math.floor(size / smallEvents)
  let pending: Promise<unknown>[] = []
  for (let n = 0; n < size; n++) {
    const event = eventOf(n, sequenceOfTime(first + n), n % rareEvery === 0)
    ids.push(event.eventId)
    pending.push(log.append(event))
    if (n % smallEvery === 0) {
      pending.push(
        log.append({ ...event, connectionId: small, eventId: eventIdOf(sequenceOfTime(first + n) + 1) }),
      )
    }
    if (pending.length >= 5000) {
      await Promise.all(pending)
      pending = []
    }
  }
  await Promise.all(pending)
  return ids
}

function eventOf(n: number, seq: number, rare: boolean): LoggedEvent {
  const receivedAt = timeOfSequence(seq)
  const eventName = rare ? 'account.closed' : names[n % names.length]!
  const note = rare ? 'Seen at the zebra crossing, left at the door' : notes[hash(n, 3) % notes.length]!
  const data = {
    orderId: orderId(n),
    customer: customer(n),
    amount: (hash(n, 4) % 100_000) / 100,
    currency: 'EUR',
    note,
    at: new Date(receivedAt).toISOString(),
  }
  return {
    eventId: eventIdOf(seq),
    connectionId: large,
    eventName,
    bodyText: JSON.stringify({ event: eventName, data }),
    headerLines: 'Content-Type: application/json\nHost: 127.0.0.1:8787\nx-service-timestamp: 1767225600000',
    receivedAt,
    repeat: false,
    replayOf: null,
  }
}

const orderId = (n: number) => 1_000_000 + (hash(n, 1) % 9_000_000)
const customer = (n: number) =>
  `cus_${hash(n, 2).toString(16).padStart(8, '0')}${hash(n, 5).toString(16).padStart(8, '0')}`

/** A number of 32 bits that looks random and is the same every time. */
function hash(n: number, salt: number): number {
  let h = Math.imul(n ^ (salt * 0x9e3779b1), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

function generator(seed: number): () => number {
  let n = seed
  return () => hash(n++, 9) / 2 ** 32
}

/** Resolves when the search index has come to the last event. */
async function indexed(file: string, lastId: string): Promise<void> {
  const last = Number.parseInt(lastId.slice(4), 36)
  for (;;) {
    const index = new DatabaseSync(`${file}.index`, { readOnly: true })
    const { watermark } = index.prepare('SELECT watermark FROM state').get() ?? {}
    index.close()
    if (Number(watermark) >= last) return
    await setTimeout(200)
  }
}

if (import.meta.main) await run()
