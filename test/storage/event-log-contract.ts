import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deduplicationKey } from '#main/storage/deduplication-key.ts'
import type {
  EventLog,
  EventLogQuery,
  EventSummary,
  EventSummaryQuery,
  LoggedEvent,
} from '#main/storage/event-log.ts'
import { ServiceError } from '#shared/errors.ts'
import { bodyOf, countOf, type EventParts, eventMaker } from './event-log-events.ts'

export type OpenedEventLog = {
  readonly log: EventLog
  /** Returns another handle on the same data, as another process has it. */
  second(): Promise<EventLog>
  /** Closes the log and opens it once more, on the same data. */
  reopen(): Promise<EventLog>
  /** Closes the log and deletes its data. */
  dispose(): Promise<void>
}
export type OpenEventLog = (options: { clock: () => number }) => Promise<OpenedEventLog>

const day = 86_400_000
const forever = { maxEvents: 10_000_000, maxDays: 3650 }

/** Tests that every implementation of EventLog must pass. */
export function describeEventLog(name: string, open: OpenEventLog): void {
  describe(name, () => {
    let opened: OpenedEventLog
    let log: EventLog
    let now: number
    let make: (parts?: EventParts) => LoggedEvent

    /** @returns a function that closes it. */
    const openNew = async () => {
      now = Date.UTC(2026, 0, 1)
      make = eventMaker(() => now)
      opened = await open({ clock: () => now })
      log = opened.log
      return () => opened.dispose()
    }
    /** Opens a log for each test of a group. */
    const ownLogs = () => beforeEach(openNew)
    /** Opens one log for a group of tests, which takes less time: each finds conn_a empty. */
    const sharedLog = () => {
      beforeAll(openNew)
      afterEach(() => log.clear('conn_a'))
    }

    /** Appends all at once. */
    const append = async (...parts: EventParts[]): Promise<LoggedEvent[]> => {
      const events = parts.map(make)
      await Promise.all(events.map(event => log.append(event)))
      return events
    }
    const appendMany = (count: number, parts: EventParts = {}) =>
      append(...Array.from({ length: count }, () => parts))
    const page = async (query: Partial<EventLogQuery> = {}, connectionId = 'conn_a') =>
      log.list(connectionId, { limit: 200, ...query })
    const ids = async (query: Partial<EventLogQuery> = {}, connectionId = 'conn_a') =>
      (await page(query, connectionId)).events.map(event => event.eventId)
    const idsOf = (events: LoggedEvent[]) => events.map(event => event.eventId)
    /** How many events of conn_a a text finds. */
    const found = async (text: string) => (await page({ text })).events.length

    describe('append, list, get', () => {
      ownLogs()

      it('returns appended events, newest first', async () => {
        const events = await append({ repeat: true }, { replayOf: 'evt_00000000001' }, { headerLines: '' })
        expect((await page()).events).toEqual(events.toReversed())
        expect(await log.get('conn_a', events[1]!.eventId)).toEqual(events[1])
      })

      it('keeps connections apart', async () => {
        const [mine, other] = await append({ connectionId: 'conn_a' }, { connectionId: 'conn_b' })
        expect(await ids()).toEqual([mine!.eventId])
        expect(await log.get('conn_a', other!.eventId)).toBeNull()
        expect(await ids({}, 'conn_unknown')).toEqual([])
      })

      it('finds no event for an invalid id', async () => {
        expect(await log.get('conn_a', 'nonsense')).toBeNull()
        expect(await log.get('conn_a', 'evt_zzzzzzzzzzz')).toBeNull()
        expect(await log.remove('conn_a', 'nonsense')).toBe(false)
      })

      it('refuses an id that is not newer than those before, and continues', async () => {
        const [first] = await append({})
        await expect(log.append(first!)).rejects.toThrow(RangeError)
        await expect(log.append({ ...make(), eventId: 'nonsense' })).rejects.toThrow(RangeError)
        await append({})
        expect(await countOf(log, 'conn_a')).toBe(2)
      })

      it('keeps simultaneous events in order across a restart', async () => {
        const events = await appendMany(3000)
        log = await opened.reopen()
        expect(await allIds(log, 200)).toEqual(idsOf(events).toReversed())
        expect(await countOf(log, 'conn_a')).toBe(3000)
      })

      it('makes appended events durable on close', async () => {
        const waiting = Array.from({ length: 50 }, () => log.append(make()))
        log = await opened.reopen()
        await Promise.all(waiting)
        expect(await countOf(log, 'conn_a')).toBe(50)
      })

      it('refuses events once it is closed', async () => {
        const closed = log
        log = await opened.reopen()
        await expect(closed.append(make())).rejects.toMatchObject({ code: 'unavailable' })
      })
    })

    describe('paging', () => {
      sharedLog()

      it.each([1, 7, 50, 200])('lists every event once with pages of %i', async limit => {
        const events = await appendMany(201)
        expect(await allIds(log, limit)).toEqual(idsOf(events).toReversed())
      })

      it('has no next page after a last page that is exactly full', async () => {
        await appendMany(10)
        expect((await page({ limit: 10 })).nextBefore).toBeNull()
        expect((await page({ limit: 9 })).nextBefore).not.toBeNull()
      })

      it('continues in place when events come and go between two pages', async () => {
        const events = idsOf(await appendMany(10))
        const first = await page({ limit: 5 })
        expect(first.nextBefore).toBe(events[5])
        await appendMany(3)
        await log.remove('conn_a', events[5]!)
        await log.remove('conn_a', events[3]!)
        expect(await ids({ before: first.nextBefore! })).toEqual([events[4], events[2], events[1], events[0]])
      })

      it('accepts a `before` that never existed', async () => {
        const events = idsOf(await appendMany(2))
        expect(await ids({ before: 'evt_zzzzzzzzzz0'.replace('zzzzzzzzzz0', '29zzzzzzzzz') })).toEqual(
          events.toReversed(),
        )
        expect(await ids({ before: 'evt_00000000000' })).toEqual([])
      })

      it.each([0, 201, 1.5, Number.NaN])('refuses a limit of %d', async limit => {
        await expect(page({ limit })).rejects.toThrow(ServiceError)
      })

      it('refuses a `before` that is not an event id', async () => {
        await expect(page({ before: "' OR 1=1" })).rejects.toMatchObject({ code: 'invalid_input' })
      })
    })

    describe('filter by name', () => {
      sharedLog()

      it('finds exactly this name, page by page', async () => {
        const events = await append(
          ...Array.from({ length: 30 }, (_, n) => ({ eventName: n % 3 ? 'paid' : 'sent' })),
        )
        const sent = idsOf(events.filter(event => event.eventName === 'sent')).toReversed()
        expect(await ids({ eventName: 'sent' })).toEqual(sent)
        expect(await allIds(log, 4, { eventName: 'sent' })).toEqual(sent)
        expect(await ids({ eventName: 'sen' })).toEqual([])
        expect(await ids({ eventName: 'Sent' })).toEqual([])
        expect(await ids({ eventName: '' })).toEqual([])
      })

      it.each([
        'a\0b',
        '\ud800',
        'x\udfff\ud83d',
        '😀',
        '"',
        "'; DROP TABLE events; --",
        '%',
        '_',
        '*',
        '\\',
        '\n',
        'é'.repeat(255),
      ])('keeps and finds the name %j', async eventName => {
        const [event] = await append({ eventName })
        await append({ eventName: `${eventName}x` })
        expect((await page({ eventName })).events).toEqual([event])
      })
    })

    describe('text', () => {
      sharedLog()

      it('finds text anywhere in the body without regard to case', async () => {
        await append(
          { bodyText: bodyOf({ note: 'The PARCEL was Lost' }) },
          { bodyText: bodyOf({ note: 'nothing' }) },
        )
        for (const text of [
          'parcel',
          'PARCEL',
          'the parcel was lost',
          'cel w',
          'st"',
          'lo',
          't',
          '{',
          '"NOTE":"the',
        ]) {
          expect
            .soft([text, await found(text)])
            .toEqual([text, text === '{' || text === 't' ? 2 : text === 'lo' ? 1 : 1])
        }
        for (const text of ['parcels', 'parcel  was', 'xy', 'q'])
          expect.soft([text, await found(text)]).toEqual([text, 0])
      })

      it('searches every text literally', async () => {
        const texts = [
          '50%',
          'a_b',
          'AND OR NOT',
          'NEAR(a b)',
          'col:x',
          "it's",
          'a*',
          '^a',
          '(((',
          '-x',
          'a" OR "b',
          '+++',
          '[a-z]',
        ]
        await append(...texts.map(note => ({ bodyText: JSON.stringify({ note }) })))
        for (const text of texts) {
          if (text.includes('"')) continue
          expect.soft([text, await found(text)]).toEqual([text, 1])
        }
        expect(await found('a" or "b')).toBe(1)
        expect(await found('50_')).toBe(0)
        expect(await found('a%b')).toBe(0)
      })

      it('finds JSON escapes both decoded and as written', async () => {
        await append({
          bodyText: String.raw`{"a":"caf\u00e9","b":"a\/b","c":"say \"hi\"","d":"\ud83d\ude00","e":"C:\\temp"}`,
        })
        for (const text of [
          'café',
          'CAFÉ',
          'a/b',
          'say "hi"',
          '😀',
          String.raw`caf\u00E9`,
          String.raw`a\/b`,
          'c:\\temp',
        ]) {
          expect.soft([text, await found(text)]).toEqual([text, 1])
        }
        expect(await found('\temp')).toBe(0)
      })

      it('finds other scripts', async () => {
        await append({ bodyText: bodyOf({ note: 'Größe Ελλάς ΟΔΥΣΣΕΥΣ Москва 東京都 👩‍👩‍👧 İstanbul' }) })
        const texts = [
          'GRÖSSE'.replace('SS', 'ß'),
          'größe',
          'ελλάσ',
          'οδυσσευς',
          'ΟΔΥΣ',
          'москва',
          'МОСК',
          '東京',
          '東京都',
          '👩‍👧',
          '👩',
          'İSTAN',
        ]
        for (const text of texts) expect.soft([text, await found(text)]).toEqual([text, 1])
      })

      it('stores bodies from their bytes as it does from their texts', async () => {
        const texts = ['first', 'Größe "L" 東京 👩‍👩‍👧', '\ufeffafter a mark \0', 'x'.repeat(100_000), 'last']
        const events = texts.map(note => make({ bodyText: bodyOf({ note }) }))
        const withBytes = (event: LoggedEvent) => ({
          ...event,
          bodyBytes: new TextEncoder().encode(event.bodyText),
        })
        await Promise.all(events.map((event, at) => log.append(at % 2 === 0 ? event : withBytes(event))))
        await log.append(withBytes(make({ bodyText: '\ufeff' })))
        const [last, ...others] = (await page()).events
        expect([last?.bodyText, ...others.reverse()]).toEqual(['\ufeff', ...events])
        expect(await found('größe')).toBe(1)
      })

      it('survives lone surrogates and U+0000 in body and text', async () => {
        const bodyText = 'before \0 after \ud800 end'
        const [event] = await append({ bodyText })
        expect((await page()).events).toEqual([event])
        for (const text of ['after', '\0 after', '\ud800', 'fter \ud800 e', 'end']) {
          expect.soft([text, await found(text)]).toEqual([text, 1])
        }
      })

      it('finds numbers and identifiers, and parts of them', async () => {
        await append(
          { bodyText: bodyOf({ id: 12345678, key: 'a1b2c3d4e5' }) },
          { bodyText: bodyOf({ id: 87654321 }) },
        )
        for (const text of ['12345678', '2345678', '345', 'B2C3D4', '"id":1234', 'a1b2c3d4e5']) {
          expect.soft([text, await found(text)]).toEqual([text, 1])
        }
        expect(await found('13579135')).toBe(0)
      })

      it('combines with a name and with paging', async () => {
        const parts = Array.from({ length: 90 }, (_, n) => ({
          eventName: n % 2 ? 'odd' : 'even',
          bodyText: bodyOf({ note: n % 3 ? 'apple' : 'orange' }),
        }))
        const events = await append(...parts)
        const wanted = idsOf(events.filter((_, n) => n % 2 && n % 3)).toReversed()
        expect(await allIds(log, 7, { eventName: 'odd', text: 'apple' })).toEqual(wanted)
        expect(await ids({ eventName: 'odd', text: '' })).toHaveLength(45)
      })

      it('finds an event as soon as it is appended', async () => {
        for (let n = 0; n < 40; n++) {
          await append({ bodyText: bodyOf({ n: `needle${n}x` }) })
          expect(await found(`needle${n}x`)).toBe(1)
        }
      })

      it('ends a page of large bodies early', async () => {
        const large = { bodyText: bodyOf({ a: 'x'.repeat(2 ** 20) }) }
        const events = await append(...Array.from({ length: 9 }, () => large))
        const { events: first, nextBefore } = await page({ limit: 200 })
        expect(first.reduce((sum, { bodyText }) => sum + bodyText.length, 0)).toBeLessThanOrEqual(4 * 2 ** 20)
        expect(nextBefore).toBe(first.at(-1)?.eventId)
        expect(await allIds(log, 200)).toEqual(idsOf(events).toReversed())
      })

      it('finds text in a body of 1 MiB', async () => {
        const [event] = await append({ bodyText: bodyOf({ a: 'x'.repeat(2 ** 20), b: 'needle 1234567' }) })
        expect(await ids({ text: 'Needle 12345' })).toEqual([event!.eventId])
        expect((await log.get('conn_a', event!.eventId))?.bodyText).toBe(event!.bodyText)
      })
    })

    describe('summaries', () => {
      ownLogs()

      const everything = { connectionIds: null, above: -1, below: Number.MAX_SAFE_INTEGER, limit: 200 }
      /** Reads all pages. */
      async function summaries(query: Partial<EventSummaryQuery> = {}): Promise<EventSummary[]> {
        const found: EventSummary[] = []
        let { above, below } = { ...everything, ...query }
        while (below > above + 1) {
          const page = await log.summaries({ ...everything, ...query, below })
          found.push(...page.events)
          below = page.checkedAbove + 1
        }
        return found
      }
      const numberOf = (event: LoggedEvent | undefined) => Number.parseInt(event!.eventId.slice(4), 36)

      it('are of all connections, of some, or of one, newest first', async () => {
        const events = await append(
          ...['conn_a', 'conn_b', 'conn_c', 'conn_a', 'conn_b'].map(connectionId => ({ connectionId })),
        )
        const of = (...connectionIds: string[]) =>
          idsOf(events.filter(event => connectionIds.includes(event.connectionId))).toReversed()
        expect((await summaries()).map(({ eventId }) => eventId)).toEqual(idsOf(events).toReversed())
        for (const connectionIds of [['conn_a'], ['conn_a', 'conn_c'], ['conn_none', 'conn_b'], []]) {
          const found = await summaries({ connectionIds, limit: 1 })
          expect(found.map(({ eventId }) => eventId)).toEqual(of(...connectionIds))
        }
      })

      it('say what lists show, without the body', async () => {
        const bodyText = bodyOf({ order_id: 'ORD-7', note: 'Größe' }, 'order.paid')
        const [event] = await append({ eventName: 'order.paid', bodyText, repeat: true })
        const { bodyText: _body, headerLines: _headers, ...facts } = event!
        const bytes = Buffer.byteLength(bodyText)
        expect(await summaries()).toEqual([{ ...facts, bytes, subject: 'ORD-7', excerpt: null }])
        expect((await summaries({ text: 'GRÖSSE'.replace('SS', 'ß') }))[0]?.excerpt).toContain('Größe')
      })

      it('end between two numbers', async () => {
        const events = await append({}, {}, {}, {})
        const [first, , , last] = events.map(numberOf)
        const found = await summaries({ above: first!, below: last! })
        expect(await log.countBetween({ connectionIds: null, above: first!, below: last! })).toBe(2)
        expect(await log.countBetween({ ...everything, connectionIds: ['conn_a'] })).toBe(4)
        expect(await log.countBetween({ ...everything, connectionIds: ['conn_b'] })).toBe(0)
        expect(found.map(({ eventId }) => eventId)).toEqual(idsOf(events.slice(1, 3)).toReversed())
      })

      it('are counted in equal parts of a range, by reading few of them and by the index of many', async () => {
        await append({})
        await log.clear('conn_a')
        const more = Array.from({ length: 200 }, () => ({ connectionId: 'conn_b' }))
        const events = await append({}, {}, { connectionId: 'conn_b' }, ...more)
        const numbers = events.map(numberOf)
        const [above, below] = [numbers[0]! - 1, numbers.at(-1)! + 1]
        for (const width of [Math.ceil((below - above - 1) / 2), Math.ceil((below - above - 1) / 40)])
          for (const connectionIds of [null, ['conn_a'], ['conn_b', 'conn_none']]) {
            const expected = new Array(Math.ceil((below - above - 1) / width)).fill(0)
            for (const [index, { connectionId }] of events.entries())
              if (connectionIds?.includes(connectionId) ?? true)
                expected[Math.floor((numbers[index]! - above - 1) / width)]++
            expect(await log.countParts({ connectionIds, above, below }, width)).toEqual(expected)
          }
        const middle = { connectionIds: null, above: numbers[1]!, below: numbers[4]! }
        expect(await log.countParts(middle, numbers[4]! - numbers[1]!)).toEqual([2])
      })

      it('find a name and a text over connections, and nothing that was cleared', async () => {
        const texts = ['needle 123456', 'hay', 'Needle 1234567']
        const parts = ['conn_a', 'conn_b'].flatMap(connectionId =>
          texts.map((note, n) => ({ connectionId, eventName: `e${n}`, bodyText: bodyOf({ note }) })),
        )
        const events = await append(...parts)
        const find = async (query: Partial<EventSummaryQuery>) =>
          (await summaries(query)).map(({ eventId }) => eventId)
        const where = (wanted: (event: LoggedEvent) => boolean) => idsOf(events.filter(wanted)).toReversed()
        expect(await find({ text: 'needle 12345' })).toEqual(
          where(({ bodyText }) => bodyText.toLowerCase().includes('needle')),
        )
        expect(await find({ eventName: 'e1' })).toEqual(where(({ eventName }) => eventName === 'e1'))
        expect(await find({ eventName: 'e2', text: 'needle' })).toEqual(
          where(({ eventName }) => eventName === 'e2'),
        )
        await log.clear('conn_a')
        expect(await find({ text: 'needle' })).toEqual(
          where(({ connectionId, eventName }) => connectionId === 'conn_b' && eventName !== 'e1'),
        )
      })

      it('say how far a page has looked that is not full, and go on below', async () => {
        await append({ eventName: 'rare' })
        await appendMany(10_500)
        for (let below = Number.MAX_SAFE_INTEGER; below > 0; ) {
          const page = await log.summaries({ ...everything, eventName: 'rare', below })
          if (page.checkedAbove > -1) expect(page.searched?.count).toBeGreaterThan(0)
          else expect(page.searched).toBeNull()
          below = page.checkedAbove + 1
        }
        expect(await summaries({ eventName: 'rare' })).toHaveLength(1)
      })
    })

    describe('remove', () => {
      ownLogs()

      it('removes one event, once', async () => {
        const [first, second] = await append({}, {})
        expect(await log.remove('conn_b', first!.eventId)).toBe(false)
        expect(await log.remove('conn_a', first!.eventId)).toBe(true)
        expect(await log.remove('conn_a', first!.eventId)).toBe(false)
        expect(await ids()).toEqual([second!.eventId])
        expect(await countOf(log, 'conn_a')).toBe(1)
        expect(await found('event')).toBe(1)
      })
    })

    describe('clear', () => {
      it('clears the events that were accepted before it and are not written yet', async () => {
        const appended = Array.from({ length: 50 }, () => log.append(make()))
        expect(await log.clear('conn_a')).toBe(50)
        await Promise.all(appended)
        expect((await log.list('conn_a', { limit: 10 })).events).toEqual([])
      })

      ownLogs()

      it('hides all events of the connection at once, and for good', async () => {
        const [first] = await append({}, { connectionId: 'conn_b' }, {})
        expect(await log.clear('conn_a')).toBe(2)
        expect(await ids()).toEqual([])
        expect(await log.get('conn_a', first!.eventId)).toBeNull()
        expect(await log.remove('conn_a', first!.eventId)).toBe(false)
        expect(await found('event')).toBe(0)
        expect(await ids({ eventName: 'order.created' })).toEqual([])
        expect(await countOf(log, 'conn_a')).toBe(0)
        expect(await log.clear('conn_a')).toBe(0)
        expect(await countOf(log, 'conn_b')).toBe(1)
        log = await opened.reopen()
        expect(await countOf(log, 'conn_a')).toBe(0)
        expect(await log.clear('conn_unknown')).toBe(0)
      })

      it('shows later events', async () => {
        await appendMany(600)
        expect(await log.clear('conn_a')).toBe(600)
        const events = await appendMany(2)
        expect(await ids()).toEqual(idsOf(events).toReversed())
        expect(await countOf(log, 'conn_a')).toBe(2)
        log = await opened.reopen()
        expect(await ids({ text: 'event' })).toEqual(idsOf(events).toReversed())
      })
    })

    describe('retention', () => {
      ownLogs()

      const countBecomes = (count: number) => expect.poll(() => countOf(log, 'conn_a')).toBe(count)

      it('keeps the newest events within the bound', async () => {
        log.setRetention('conn_a', { ...forever, maxEvents: 100 })
        const events = await appendMany(1500)
        await appendMany(10, { connectionId: 'conn_b' })
        await countBecomes(100)
        expect(await ids()).toEqual(idsOf(events).slice(-100).toReversed())
        expect(await countOf(log, 'conn_b')).toBe(10)
      })

      it('applies a later bound, and the newest of several', async () => {
        const events = await appendMany(700)
        log.setRetention('conn_a', { ...forever, maxEvents: 10 })
        log.setRetention('conn_a', { ...forever, maxEvents: 5 })
        await countBecomes(5)
        expect(await ids()).toEqual(idsOf(events).slice(-5).toReversed())
      })

      it('stays near the bound under load', async () => {
        log.setRetention('conn_a', { ...forever, maxEvents: 1000 })
        let most = 0
        for (let round = 0; round < 40; round++) {
          await appendMany(250)
          most = Math.max(most, await countOf(log, 'conn_a'))
        }
        expect(most).toBeLessThanOrEqual(1000 + 256 + 250)
        await countBecomes(1000)
      })

      it('prunes events that are too old as time goes by', async () => {
        log.setRetention('conn_a', { ...forever, maxDays: 2 })
        await appendMany(300)
        now += day
        const [young] = await append({})
        await countBecomes(301)
        now += day + 1
        const [newest] = await append({})
        await countBecomes(2)
        expect(await ids()).toEqual([newest!.eventId, young!.eventId])
      })

      it('prunes events after a restart that are too old by then', async () => {
        await appendMany(3)
        now += 3 * day
        log = await opened.reopen()
        log.setRetention('conn_a', { ...forever, maxDays: 2 })
        await countBecomes(0)
      })
    })

    describe('a second handle', () => {
      ownLogs()

      it('lists, finds and counts what another one has stored, and removes it', async () => {
        const other = await opened.second()
        const [first, second] = await append({ bodyText: bodyOf({ note: 'zebra' }) }, {})
        const third = make()
        await other.append(third)
        expect(await ids()).toEqual([third.eventId, second!.eventId, first!.eventId])
        expect(idsOf((await other.list('conn_a', { limit: 9 })).events)).toEqual(await ids())
        expect(idsOf((await other.list('conn_a', { limit: 9, text: 'zebra' })).events)).toEqual([
          first!.eventId,
        ])
        expect(await other.get('conn_a', second!.eventId)).toEqual(second)
        expect(await countOf(other, 'conn_a')).toBe(3)
        expect(await other.remove('conn_a', second!.eventId)).toBe(true)
        expect(await log.get('conn_a', second!.eventId)).toBeNull()
        expect(await countOf(log, 'conn_a')).toBe(2)
        expect(await other.clear('conn_a')).toBe(2)
        expect([await ids(), await countOf(log, 'conn_a')]).toEqual([[], 0])
      })

      it('keeps a key of another one', async () => {
        const other = await opened.second()
        const key = () => deduplicationKey('conn_a', 'event 1', now, day)
        const event = make()
        expect((await log.append(event, [], key()))?.isRepeated).toBe(false)
        expect(await other.append(make(), [], key())).toMatchObject({
          ...{ isRepeated: true, repeatOf: event.eventId },
        })
        const again = await Promise.all([log, other].map(one => one.append(make(), [], key())))
        expect(again.map(started => started?.isRepeated)).toEqual([true, true])
        expect(await ids()).toEqual([event.eventId])
      })
    })

    describe('as a whole', () => {
      ownLogs()

      it('counts many connections', async () => {
        const parts = Array.from({ length: 500 }, (_, n) => ({ connectionId: `conn_${n % 100}` }))
        await append(...parts)
        for (let n = 0; n < 100; n += 9) expect(await countOf(log, `conn_${n}`)).toBe(5)
        expect(await countOf(log, 'conn_unknown')).toBe(0)
      })

      it('is writable, also when asked often', async () => {
        expect(await Promise.all(Array.from({ length: 10 }, () => log.isWritable()))).not.toContain(false)
      })
    })
  })
}

/** The ids of all pages, in order. */
async function allIds(log: EventLog, limit: number, query: Partial<EventLogQuery> = {}): Promise<string[]> {
  const ids: string[] = []
  let before: string | undefined
  do {
    const page = await log.list('conn_a', { ...query, limit, before })
    expect(page.events.length).toBeLessThanOrEqual(limit)
    ids.push(...page.events.map(event => event.eventId))
    before = page.nextBefore ?? undefined
  } while (before !== undefined)
  return ids
}
