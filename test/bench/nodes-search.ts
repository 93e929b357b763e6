/** How long searches in PostgreSQL take for a text that one of 100,000 stored events has, and for one that none has. */
import { createHash } from 'node:crypto'
import { eventIdOf, sequenceOfTime } from '#main/lib/sequence.ts'
import type { EventLog, LoggedEvent } from '#main/storage/event-log.ts'
import { withPostgres } from './support/postgres-events.ts'
import { median } from './support/statistics.ts'

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
    await fill(log, events)
    await pool.query('ANALYZE event')
    const measure = async (title: string, textOf: (search: number) => string, wanted: number) => {
      const took: number[] = []
      let pages = 0
      const until = performance.now() + mostSeconds * 1000
      for (let search = 0; search < searches && performance.now() < until; search++) {
        const began = performance.now()
        let found = 0
        for (let before: string | null | undefined; before !== null; pages++) {
          const page = await log.list(connectionId, { text: textOf(search), limit: 50, before })
          found += page.events.length
          before = page.nextBefore
        }
        took.push(performance.now() - began)
        if (found !== wanted) throw new Error(`${found} events have ${textOf(search)}, not ${wanted}.`)
      }
      const p99 = took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN
      console.log(
        `${title}, ms   p50 ${median(took).toFixed(1)}   p99 ${p99.toFixed(1)}   target: at most 20   pages ${(pages / took.length).toFixed(1)}`,
      )
      return p99
    }
    const bench = {
      rareP99Ms: await measure('a rare text', search => wordOf(2 * ((search * 7919) % (events / 2))), 1),
      absentP99Ms: await measure('an absent text', search => wordOf(events + search), 0),
    }
    await log.close()
    return bench
  })
}

/** A word that only one event has. */
const wordOf = (event: number) => createHash('md5').update(`word ${event}`).digest('hex').slice(0, 12)
const words =
  'alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike Größe café tango'.split(' ')

/** Stores events of two connections, one a second until now. */
async function fill(log: EventLog, events: number): Promise<void> {
  const first = Date.now() - events * 1000
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
}

if (import.meta.main) await run()
