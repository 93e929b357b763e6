import { dirname, join } from 'node:path'
import {
  type Arbitrary,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  nat,
  oneof,
  option,
  record,
  uniqueArray,
} from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EventLog } from '#main/storage/event-log.ts'
import { openSqliteHistory } from '#main/storage/local/sqlite/sqlite-history.ts'
import type { OccurrenceStorage, StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { openOccurrences } from '#main/storage/postgres/occurrences.ts'
import type { RunStore } from '#main/storage/runs.ts'
import { noPostgres } from '../../support/postgres.ts'
import { eventMaker } from '../event-log-events.ts'
import { openTemporary as openSqlite } from '../sqlite/open-temporary.ts'
import { openTemporary as openPostgres } from './open-events.ts'

type Page<Next> = { readonly found: readonly unknown[]; readonly next: Next | null }

type Opened = {
  readonly log: EventLog
  readonly runs: RunStore
  readonly history: OccurrenceStorage
  /** The numbers of the events by the ids of their runs. */
  readonly eventOfRun: Map<string, number>
  readonly dispose: () => Promise<void>
}

/** Parts of the texts of events, as JSON writes them. */
const words = [
  'Größe ÄÖÜ straße',
  'CAFÉ café Caf\\u00e9 CAF\\u00C9',
  'ΟΔΟΣ οδος οδοσ',
  'İstanbul ISTANBUL ıstanbul',
  '100% of_all a%b a_b %% __',
  'back\\\\slash C:\\\\temp\\\\u0041',
  'it\'s \\"quoted\\" “so”',
  'line\\nbreak\\ttab \\u000a',
  'zero \\u0000 end',
  'raw \0 zero',
  '😀 \\ud83d\\ude00 \\uD83D\\uDE00',
  'lone \\ud83d escape',
  'lone \ud83d high and \ude00 low',
  '\x01 mark \x01\\0041',
  '日本語 テスト',
  'id 4711-ab12cd34 user7@example.com',
  'aa ab ba',
  '',
]
const names = ['order.paid', 'Order.Paid', 'parcel_lost', 'größe%', "it's", 'lone \ud83d']
const connections = ['conn_a', 'conn_b', 'conn_ü%']
const at = <T>(list: readonly T[], index: number) => list[index % list.length] as T
const noBounds = { rows: 1e9, text: 1e9, ms: 1e9 }
const searched = ['toolName', 'note', 'status', 'response.body']
const historyOptions = {
  bounds: {
    call: { most: 10_000, maxAgeMs: 1e12, searched },
    refusal: { most: 10_000, maxAgeMs: 1e12, searched },
  },
  clock: Date.now,
  onProblem(error: unknown) {
    throw error
  },
}

const count = 400
/** Makes events with ids of long ago, which can be indexed. */
const make = eventMaker(() => 1_000_000)
const events = Array.from({ length: count }, (_, index) => {
  // Few have each word, so that an index is used.
  const note = index % 4 === 0 ? `${at(words, (index / 4) * 7)} ${at(words, index >> 4)}` : 'Plain'
  return make({
    connectionId: at(connections, index % 8 < 6 ? 0 : index),
    eventName: at(names, index * 5 + (index >> 3)),
    bodyText: `{"event":"e","data":{"note":"${note}","n":${index}}}`,
    replayOf: index % 9 === 4 ? 'evt_00000000001' : null,
  })
})
const occurrences = events.map(({ connectionId, eventName, bodyText }, index): StoredOccurrence => {
  const note = at(words, index * 7)
  return {
    ...{ number: 1_000_000 + index, kind: at(['call', 'refusal'], index), at: Date.now() },
    subject: `subject_${index % 5}`,
    connectionId: index % 11 === 0 ? null : connectionId,
    summary: JSON.stringify({
      ok: index % 3 > 0,
      status: 400 + (index % 7),
      toolName: eventName,
      other: note,
    }),
    finding: index % 5 === 0 ? JSON.stringify({ code: 'wrong_secret', note: eventName }) : null,
    details: JSON.stringify({ note, response: { body: bodyText }, ms: 4711 }),
  }
})

async function fill(opened: Omit<Opened, 'eventOfRun'>): Promise<Opened> {
  const eventOfRun = new Map<string, number>()
  const appended = await Promise.all(
    events.map((event, index) => {
      const of = { workflowId: `wf_${index % 4}`, workspaceId: `ws_${index % 2}`, lane: 'lane', queuedAt: 0 }
      const { connectionId, eventName, bodyText: data } = event
      const run = { ...of, connectionId, summary: JSON.stringify({ eventName }), data }
      return opened.log.append(event, [run])
    }),
  )
  for (const [index, started] of appended.entries())
    for (const id of started?.ids ?? []) {
      eventOfRun.set(id, index)
      if (index % 10 === 0) await opened.runs.cancel(id, { endedAt: Date.now(), discard: index % 20 === 0 })
    }
  await opened.history.write({ occurrences, findings: [], now: Date.now() })
  return { ...opened, eventOfRun }
}

/** A part of a text that events have, in any case; or another text. */
const texts: Arbitrary<string> = oneof(
  {
    weight: 5,
    arbitrary: record({ word: constantFrom(...words), from: nat(20), length: nat(12), upper: boolean() }).map(
      ({ word, from, length, upper }) => {
        const part = word.slice(from % Math.max(1, word.length)).slice(0, length + 2)
        return upper ? part.toUpperCase() : part
      },
    ),
  },
  constantFrom(...'%_\\\'"\0\néä😀ςΣß', '\ud83d', '\ude00', 'SS', 'i̇', ''),
  constantFrom(
    'absent text',
    '%%%',
    'a%b',
    'a_b',
    '\\u00e9',
    'u0000',
    '\x01',
    '"note"',
    '4711',
    'order.PAID',
  ),
)
const orNot = <T>(arbitrary: Arbitrary<T>) => option(arbitrary, { nil: undefined, freq: 1 })
const filter = {
  text: oneof({ weight: 4, arbitrary: texts }, constant(undefined)),
  eventName: orNot(constantFrom(...names, 'absent')),
  limit: constantFrom(30, 100, 200),
}

describe.skipIf(noPostgres !== null)('PostgreSQL finds the same as SQLite', () => {
  let both: readonly Opened[] = []
  let index: () => Promise<boolean>
  beforeAll(async () => {
    const sqlite = await openSqlite({ searchBounds: noBounds })
    const file = join(dirname(sqlite.file), 'history.sqlite')
    const ofFile = await openSqliteHistory({ ...historyOptions, file, onNotice: () => {} })
    const postgres = await openPostgres({ searchBounds: noBounds })
    const ofTable = await openOccurrences({ ...historyOptions, pool: postgres.pool, slowPool: postgres.pool })
    index = () => postgres.log.textIndex.step(0)
    both = await Promise.all(
      [
        { ...sqlite, history: ofFile },
        { ...postgres, history: ofTable },
      ].map(one => fill({ ...one, runs: one.log.runs })),
    )
  })
  afterAll(async () => {
    for (const { history, dispose } of both) {
      await history.close()
      await dispose()
    }
  })

  /** Expects that both find the same in the same order, to the last page. @param seed of the searches. */
  async function expectSame<Search, Next>(
    seed: number,
    numRuns: number,
    searches: Arbitrary<Search>,
    pageOf: (opened: Opened, search: Search, from: Next | undefined) => Promise<Page<Next>>,
  ): Promise<void> {
    let finding = 0
    await assert(
      asyncProperty(searches, async search => {
        const [expected, found] = await Promise.all(
          both.map(async opened => {
            const found: unknown[] = []
            for (let from: Next | null | undefined; from !== null; ) {
              const page = await pageOf(opened, search, from)
              found.push(...page.found)
              from = page.next
            }
            return found
          }),
        )
        expect(found).toEqual(expected)
        if (expected?.length) finding++
      }),
      { seed, numRuns },
    )
    expect(finding).toBeGreaterThan(numRuns / 4)
  }

  const searchEvents = (seed: number) => {
    it('of the events of a connection', () => {
      const searches = record({ ...filter, connectionId: constantFrom(...connections, 'conn_none') })
      return expectSame(
        seed,
        120,
        searches,
        async ({ log }, { connectionId, ...search }, before?: string) => {
          const { events, nextBefore } = await log.list(connectionId, { ...search, before })
          return { found: events.map(({ eventId }) => eventId), next: nextBefore }
        },
      )
    })

    it('of the events of several connections', () => {
      const searches = record({
        ...filter,
        connectionIds: option(uniqueArray(constantFrom(...connections, 'conn_none'), { maxLength: 3 })),
        replays: orNot(boolean()),
      })
      return expectSame(
        seed + 1,
        50,
        searches,
        async ({ log }, search, below: number = Number.MAX_SAFE_INTEGER) => {
          const { events, checkedAbove } = await log.summaries({ ...search, above: -1, below })
          return {
            found: events.map(({ eventId, excerpt }) => [eventId, excerpt]),
            next: checkedAbove < 0 ? null : checkedAbove + 1,
          }
        },
      )
    })
  }

  describe('while all events are checked', () => searchEvents(1))

  describe('by an index', () => {
    beforeAll(async () => {
      while (!(await index()));
    })
    searchEvents(3)
  })

  it('of runs', () => {
    const searches = record({
      ...filter,
      // The ids of the runs, in which a text is found too, are not the same.
      text: filter.text.filter(text => text === undefined || !/^\w+$/.test(text)),
      workspaceId: orNot(constantFrom('ws_0', 'ws_1')),
      workflowIds: orNot(constantFrom(['wf_1'], ['wf_2', 'wf_3'])),
      connectionId: orNot(constantFrom(...connections)),
      state: orNot(constantFrom('waiting' as const, 'cancelled' as const)),
    })
    return expectSame(5, 60, searches, async ({ runs, eventOfRun }, search, before?: string) => {
      const { runs: found, nextBefore } = await runs.list({ ...search, before })
      return { found: found.map(({ runId }) => eventOfRun.get(runId)), next: nextBefore }
    })
  })

  it('of the history', () => {
    const searches = record({
      kinds: constantFrom(['call'], ['refusal'], ['call', 'refusal']),
      connectionIds: option(uniqueArray(option(constantFrom(...connections)), { maxLength: 3 })),
      subject: orNot(constantFrom('subject_1', 'subject_2')),
      cause: orNot(constantFrom('http_404', 'wrong_secret')),
      text: filter.text,
      limit: filter.limit,
    })
    return expectSame(
      4,
      100,
      searches,
      async ({ history }, search, below: number = Number.MAX_SAFE_INTEGER) => {
        const { occurrences, checkedAbove } = await history.list({ ...search, below })
        return {
          found: occurrences.map(({ number }) => number),
          next: checkedAbove < 0 ? null : checkedAbove + 1,
        }
      },
    )
  })
})
