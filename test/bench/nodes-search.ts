/** How long searches in PostgreSQL take for a text that one of 100,000 stored events has, and for one that none has. */
import { createHash } from 'node:crypto'
import { eventIdOf, sequenceOfTime } from '#main/lib/sequence.ts'
import type { EventLog, LoggedEvent } from '#main/storage/event-log.ts'
import { withPostgres } from './support/postgres-events.ts'
import { median, percentile } from './support/statistics.ts'

const connectionId = 'conn_0'

/** Milliseconds of a search to its last page. */
export type NodesSearchBench = { readonly rareP99Ms: number; readonly absentP99Ms: number }

export async function run({
  events = 100_000,
  searches = 1000,
  mostSeconds = 15,
} = {}): Promise<NodesSearchBench> {
  return withPostgres(async ({ pool, openEmpty }) => {
    const log = await openEmpty()
    const newest = await fill(log, events)
    const began = performance.now()
    for (let upTo = -1; upTo < newest; ) {
      await log.textIndex.step()
      const [row] = await pool.query('SELECT indexed_up_to FROM event_log')
      upTo = Number(row?.indexed_up_to)
    }
    console.log(`indexed ${Math.round((events / (performance.now() - began)) * 1000)} events/s`)
    await pool.query('ANALYZE event; ANALYZE event_text')
    const [size] = await pool.query(
      "SELECT pg_total_relation_size('event_text')::float8 / pg_total_relation_size('event') AS ratio",
    )
    console.log(`the index takes ${Number(size?.ratio).toFixed(2)} of the space of the events`)
    /** Prints how long something takes. Returns the 99th percentile. */
    const measure = async (title: string, act: (turn: number) => Promise<unknown>) => {
      const took: number[] = []
      const until = performance.now() + mostSeconds * 1000
      for (let turn = 0; turn < searches && performance.now() < until; turn++) {
        const began = performance.now()
        await act(turn)
        took.push(performance.now() - began)
      }
      const p99 = percentile(took, 0.99)
      console.log(`${title}, ms   p50 ${median(took).toFixed(1)}   p99 ${p99.toFixed(1)}`)
      return p99
    }
    /** Searches to the last page. */
    const search = async (text: string, wanted: number) => {
      let found = 0
      for (let before: string | null | undefined; before !== null; ) {
        const page = await log.list(connectionId, { text, limit: 50, before })
        found += page.events.length
        before = page.nextBefore
      }
      if (found !== wanted) throw new Error(`${found} events have ${text}, not ${wanted}.`)
    }
    await measure('a statement that does nothing', () => pool.query('SELECT'))
    const rareWord = (turn: number) => wordOf(2 * ((turn * 7919) % (events / 2)))
    const bench = {
      rareP99Ms: await measure('a rare text (target: p99 at most 20)', turn => search(rareWord(turn), 1)),
      absentP99Ms: await measure('an absent text (target: p99 at most 20)', turn =>
        search(wordOf(events + turn), 0),
      ),
    }
    await log.close()
    return bench
  })
}

/** A word that only one event has. */
const wordOf = (event: number) => createHash('md5').update(`word ${event}`).digest('hex').slice(0, 12)
const words =
  'alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike Größe café tango'.split(' ')

/** Stores events of two connections, one a second until some minutes ago. Returns the number of the last. */
async function fill(log: EventLog, events: number): Promise<number> {
  const first = Date.now() - events * 1000 - 300_000
  const eventOf = (number: number): LoggedEvent => {
    const word = (place: number) => words[(number * 7 + place * 13 + (number >> 5) * place) % words.length]
    const receivedAt = first + number * 1000
    const note = Array.from({ length: 60 }, (_, place) => word(place)).join(' ')
    const data = { orderId: 1_000_000 + number, id: wordOf(number), email: `user${number}@example.com`, note }
    return {
      ...{ eventId: eventIdOf(sequenceOfTime(receivedAt)), connectionId: `conn_${number % 2}` },
      ...{
        eventName: number % 3 ? 'order.created' : 'order.paid',
        receivedAt,
        repeat: false,
        replayOf: null,
      },
      ...{
        headerLines: 'Content-Type: application/json',
        bodyText: JSON.stringify({ event: 'order', data }),
      },
    }
  }
  for (let from = 0; from < events; from += 1000)
    await Promise.all(
      Array.from({ length: Math.min(1000, events - from) }, (_, at) => log.append(eventOf(from + at))),
    )
  return sequenceOfTime(first + (events - 1) * 1000)
}

if (import.meta.main) await run()
