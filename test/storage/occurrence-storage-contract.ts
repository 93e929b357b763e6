import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type {
  OccurrenceBounds,
  OccurrenceQuery,
  OccurrenceStorage,
  StoredOccurrence,
} from '#main/storage/occurrence-storage.ts'

export type OpenedOccurrences = {
  readonly storage: OccurrenceStorage
  /** Returns another handle on the same data, as another process has it. */
  second(): Promise<OccurrenceStorage>
  /** Closes the storage and opens it once more, on the same data. */
  reopen(): Promise<OccurrenceStorage>
  /** Closes the storage and deletes its data. */
  dispose(): Promise<void>
}
export type OpenOccurrences = (options: {
  clock: () => number
  bounds: Readonly<Record<string, OccurrenceBounds>>
}) => Promise<OpenedOccurrences>

const dayMs = 86_400_000
const searched = ['toolName', 'bodyText', 'message', 'status', 'arguments', 'response.body']
const bounds = {
  call: { most: 3, maxAgeMs: 30 * dayMs, searched },
  refusal: { most: 100, maxAgeMs: 7 * dayMs, searched },
}

/** Tests that every implementation of OccurrenceStorage must pass. */
export function describeOccurrenceStorage(name: string, open: OpenOccurrences): void {
  describe(name, () => {
    let opened: OpenedOccurrences
    let storage: OccurrenceStorage
    let now: number
    let newest: number

    beforeEach(async () => {
      now = Date.UTC(2026, 0, 1)
      newest = now * 1024
      opened = await open({ clock: () => now, bounds })
      storage = opened.storage
    })
    afterEach(() => opened.dispose())

    const make = (changes: Partial<StoredOccurrence> = {}): StoredOccurrence => {
      const number = ++newest
      return {
        ...{ number, kind: 'call', connectionId: 'conn_a', subject: 'act_a', at: now },
        ...{ summary: '{"ok":true}', details: '{"body":"\\u0000 ✓"}', finding: null },
        ...changes,
      }
    }
    async function write(...parts: Partial<StoredOccurrence>[]): Promise<StoredOccurrence[]> {
      const occurrences = parts.map(make)
      await storage.write({ occurrences, findings: [], now })
      return occurrences
    }
    const pageOf = (changes: Partial<OccurrenceQuery> = {}) =>
      storage.list({ kinds: ['call', 'refusal'], connectionIds: null, limit: 100, ...changes })
    const list = async ({
      kind = 'call',
      connectionId = 'conn_a',
      subject,
    }: {
      kind?: string
      connectionId?: string | null
      subject?: string
    } = {}) =>
      (
        await pageOf({
          kinds: [kind],
          connectionIds: [connectionId],
          subjects: subject === undefined ? undefined : [subject],
        })
      ).occurrences
    const summaryOf = ({ details: _, ...summary }: StoredOccurrence) => summary

    it('returns written records, newest first, also after a restart', async () => {
      const written = await write({}, { finding: '{"code":"old_secret"}' })
      expect(await list()).toEqual(written.toReversed())
      storage = await opened.reopen()
      expect(await list()).toEqual(written.toReversed())
      expect(await storage.get('call', written[0]?.number ?? 0)).toEqual(written[0])
    })

    it('is read, counted and deleted through another handle', async () => {
      const other = await opened.second()
      const [call, refusal] = await write({}, { kind: 'refusal', connectionId: 'conn_b' })
      const filter = { kinds: ['call', 'refusal'], connectionIds: null }
      expect((await other.list({ ...filter, limit: 9 })).occurrences).toEqual([refusal, call])
      expect(await other.get('call', call?.number ?? 0)).toEqual(call)
      await other.write({ occurrences: [], findings: [{ number: refusal?.number ?? 0, finding: '{}' }], now })
      expect((await list({ kind: 'refusal', connectionId: 'conn_b' }))[0]?.finding).toBe('{}')
      await other.forget(['conn_a'])
      expect(await list()).toEqual([])
      expect((await storage.count(filter)).counts).toHaveLength(1)
    })

    it('keeps kinds, connections and subjects apart', async () => {
      const [call, refusal, other, service] = await write(
        ...[{}, { kind: 'refusal' }, { connectionId: 'conn_b' }, { connectionId: null }],
      )
      expect(await list()).toEqual([call])
      expect(await list({ kind: 'refusal' })).toEqual([refusal])
      expect(await list({ connectionId: 'conn_b' })).toEqual([other])
      expect(await list({ connectionId: null })).toEqual([service])
      expect(await list({ subject: 'act_b' })).toEqual([])
      expect(await storage.get('refusal', call?.number ?? 0)).toBeNull()
    })

    it('finds nothing of what no record can have', async () => {
      await write({})
      for (const text of ['\0', '\ud800', '\x01']) {
        expect(await list({ subject: text })).toEqual([])
        expect((await pageOf({ cause: text })).occurrences).toEqual([])
      }
    })

    it('searches over kinds and connections by the source in the summary, newest first', async () => {
      const bySource = (source: string, changes: Partial<StoredOccurrence> = {}) => ({
        summary: JSON.stringify({ source }),
        details: '{"arguments":{"id":12345678901234567890.10},"body":"long"}',
        ...changes,
      })
      const [first, , refused, none, second] = await write(
        bySource('mcp'),
        bySource('test'),
        bySource('mcp', { kind: 'refusal', connectionId: null }),
        { details: '{}' },
        bySource('conversation', { connectionId: 'conn_b' }),
        bySource('mcp', { connectionId: 'conn_c' }),
      )
      const search = async (changes: Partial<OccurrenceQuery> = {}) =>
        (
          await pageOf({
            connectionIds: ['conn_a', 'conn_b', null],
            sources: ['mcp', 'conversation'],
            details: 'arguments',
            ...changes,
          })
        ).occurrences
      const numbers = async (changes: Partial<OccurrenceQuery> = {}) =>
        (await search(changes)).map(({ number }) => number)
      const all = [second?.number, none?.number, refused?.number, first?.number]
      expect(await numbers()).toEqual(all)
      expect(await numbers({ limit: 2 })).toEqual(all.slice(0, 2))
      expect(await numbers({ below: none?.number })).toEqual(all.slice(2))
      expect(await numbers({ above: refused?.number })).toEqual(all.slice(0, 2))
      expect(await numbers({ kinds: ['refusal'] })).toEqual([refused?.number])
      expect((await search())[0]?.details).toBe('{"id":12345678901234567890.10}')
      expect((await search())[1]?.details).toBe('{}')
      expect((await search({ details: 'none' }))[0]?.details).toBe('{}')
    })

    it('searches a text in the summary, the details and the finding, over one connection and over all', async () => {
      const [inSummary, inDetails, inFinding] = await write(
        { summary: '{"toolName":"Look_Up"}' },
        { details: '{"bodyText":"{\\"name\\":\\"look_up\\"}"}', connectionId: 'conn_b' },
        { finding: '{"message":"LOOK_UP"}', connectionId: null },
        { summary: '{"toolName":"other"}' },
      )
      const numbers = async (changes: Partial<OccurrenceQuery>) =>
        (await pageOf({ text: 'look_up', ...changes })).occurrences.map(({ number }) => number)
      expect(await numbers({})).toEqual([inFinding, inDetails, inSummary].map(one => one?.number))
      expect(await numbers({ connectionIds: ['conn_a'] })).toEqual([inSummary?.number])
      expect(await numbers({ connectionIds: ['conn_b', null] })).toEqual(
        [inFinding, inDetails].map(one => one?.number),
      )
      expect(await numbers({ text: '"name":"look' })).toEqual([inDetails?.number])
    })

    it('searches neither durations nor names of fields, only what its kind declares', async () => {
      const facts = { kind: 'refusal', summary: '{"tookMs":4.01,"totalMs":401,"toolName":"x"}' }
      const timings = '"timings":{"dnsMs":4.01},"at":"2026-04-01"'
      const [status, given, body] = await write(
        { ...facts, summary: '{"status":401,"tookMs":1}' },
        { ...facts, details: `{"arguments":{"order_id":401.0},${timings}}` },
        { ...facts, details: `{"response":{"body":"{\\"id\\":401}","bytes":10},${timings}}` },
        { ...facts, details: `{"response":{"body":"4.01 s","bytes":401},${timings}}` },
        { ...facts, finding: '{"code":"old_secret","tookMs":401}' },
      )
      const numbers = async (text: string) => (await pageOf({ text })).occurrences.map(({ number }) => number)
      expect(await numbers('401')).toEqual([body, given, status].map(one => one?.number))
      expect(await numbers('401.0')).toEqual([given?.number])
      expect(await numbers('tookms')).toEqual([])
      expect((await storage.count({ kinds: ['refusal'], connectionIds: null, text: '401' })).counts).toEqual([
        {
          ...{ kind: 'refusal', connectionId: 'conn_a', cause: null, count: 3 },
          ...{ first: status?.number, last: body?.number },
        },
      ])
    })

    it('lists what has a cause or has none, of some subjects, and counts each by connection, cause and bucket', async () => {
      const failed = { kind: 'refusal', summary: '{"ok":false,"status":500,"source":"mcp"}' }
      const [, first, second, found, other] = await write(
        ...[{ kind: 'refusal', summary: '{"ok":true,"source":"test"}' }, failed, failed],
        { ...failed, finding: '{"code":"old \u2713"}', subject: 'act_b' },
        { ...failed, connectionId: null },
        { ...failed, connectionId: 'conn_b', kind: 'call' },
      )
      const of = { kinds: ['refusal'], connectionIds: ['conn_a', null] }
      const listed = async (changes: Partial<OccurrenceQuery>) =>
        (await pageOf({ ...of, ...changes })).occurrences.map(({ number }) => number - (first?.number ?? 0))
      for (const connectionIds of [of.connectionIds, null]) {
        expect(await listed({ connectionIds, failed: true })).toEqual([3, 2, 1, 0])
        expect(await listed({ connectionIds, failed: true, limit: 2, below: other?.number })).toEqual([2, 1])
        expect(await listed({ connectionIds, failed: false })).toEqual([-1])
        expect(await listed({ connectionIds, failed: true, cause: 'http_500' })).toEqual([3, 1, 0])
        expect(await listed({ connectionIds, subjects: ['act_b', 'act_c'] })).toEqual([2])
        expect(await listed({ connectionIds, sources: ['test'] })).toEqual([-1])
        const among = new Set(['http_500', 'timeout'])
        expect(await listed({ connectionIds, causes: { areWanted: true, among } })).toEqual([3, 1, 0])
        expect(await listed({ connectionIds, causes: { areWanted: false, among } })).toEqual([2, -1])
        expect(
          await listed({ connectionIds, limit: 1, failed: true, causes: { areWanted: false, among } }),
        ).toEqual([2])
      }

      const is = (connectionId: string | null, cause: string, from = first, to = from) => ({
        ...{ kind: 'refusal', connectionId, cause, count: to === from ? 1 : 2 },
        ...{ first: from?.number, last: to?.number },
      })
      const expected = [
        is('conn_a', 'http_500', first, second),
        is('conn_a', 'old \u2713', found),
        is(null, 'http_500', other),
      ]
      const buckets = { from: first?.number ?? 0, width: 2 }
      const range = { above: buckets.from - 1, below: buckets.from + 4 }
      // By the index alone, and by reading each record.
      for (const sources of [undefined, ['mcp']]) {
        const filter = { ...of, ...range, failed: true, sources }
        const { counts, isComplete } = await storage.count(filter)
        expect(isComplete).toBe(true)
        expect(counts.toSorted((one, two) => one.first - two.first)).toEqual(expected)
        expect(await storage.count({ ...filter, failed: false })).toEqual({ counts: [], isComplete: true })
        const parts = await storage.countBuckets(filter, buckets)
        expect(parts.isComplete).toBe(true)
        expect(parts.counts.toSorted((one, two) => one.bucket - two.bucket)).toEqual(
          [0, 1].map(bucket => ({ kind: 'refusal', failed: true, bucket, count: 2 })),
        )
        const causes = { areWanted: false, among: new Set(['http_500']) }
        expect((await storage.count({ ...filter, causes })).counts).toEqual([
          is('conn_a', 'old \u2713', found),
        ])
        const ofCause = await storage.countBuckets({ ...filter, cause: 'http_500' }, buckets)
        expect(ofCause.counts.map(({ count }) => count).toSorted()).toEqual([1, 2])
        expect(await storage.countBuckets({ ...filter, failed: false }, buckets)).toMatchObject({
          counts: [],
        })
      }
      const all = await storage.countBuckets({ ...of, above: -1 }, { from: buckets.from - 1, width: 1 })
      expect(all.counts.filter(({ failed }) => !failed)).toEqual([
        { kind: 'refusal', failed: false, bucket: 0, count: 1 },
      ])
    })

    it('reads page by page, and says at the last one that nothing older follows', async () => {
      const written = await write(
        ...Array.from({ length: 7 }, (_, n) => ({ kind: 'refusal', connectionId: `conn_${n % 3}` })),
      )
      for (const connectionIds of [null, ['conn_0', 'conn_1', 'conn_2']]) {
        const found: number[] = []
        let below = Number.MAX_SAFE_INTEGER
        while (below > 0) {
          const page = await pageOf({ connectionIds, limit: 3, below })
          found.push(...page.occurrences.map(({ number }) => number))
          below = page.checkedAbove + 1
        }
        expect(found).toEqual(written.map(({ number }) => number).toReversed())
      }
    })

    it('replaces an existing record, and adds later findings', async () => {
      const [first, second] = await write({}, {})
      if (first === undefined || second === undefined) throw new Error('Two were written.')
      const replaced = { ...first, summary: '{"ok":false}' }
      const findings = [{ number: second.number, finding: '{"code":"key_empty"}' }]
      await storage.write({ occurrences: [replaced], findings, now })
      expect(await list()).toEqual([{ ...second, finding: '{"code":"key_empty"}' }, replaced])
    })

    it('returns the newest of each subject, and the newest of all, oldest first', async () => {
      const [refusal] = await write({ kind: 'refusal', connectionId: null })
      const [, newer, other] = await write({}, {}, { subject: 'act_b' })
      const each = await storage.newestOfEach({ kind: 'call', connectionId: 'conn_a' })
      expect(each.toSorted((one, two) => one.number - two.number)).toEqual(
        [newer, other].map(one => one && summaryOf(one)),
      )
      const wanted = { kind: 'call', connectionId: 'conn_a', subjects: ['act_b', 'act_none', 'a"\0'] }
      expect(await storage.newestOfEach(wanted)).toEqual([other && summaryOf(other)])
      expect(await storage.newestOfEach({ ...wanted, subjects: [] })).toEqual([])
      expect(await storage.latest(2)).toEqual([newer, other].map(one => one && summaryOf(one)))
      expect((await storage.latest(10))[0]).toEqual(refusal && summaryOf(refusal))
    })

    it('keeps the newest records of each connection within the bound', async () => {
      const written = await write({}, {}, {}, {}, {})
      await write({ connectionId: 'conn_b' })
      expect(await list()).toEqual(written.slice(-3).toReversed())
      expect(await list({ connectionId: 'conn_b' })).toHaveLength(1)
    })

    it('deletes records that are too old for their kind', async () => {
      const at = now - 8 * dayMs
      const [call, , refusal] = await write({ at }, { kind: 'refusal', at }, { kind: 'refusal' })
      storage = await opened.reopen()
      expect(await list({ kind: 'refusal' })).toEqual([refusal])
      expect(await list()).toEqual([call])
    })

    it('forgets connections, but not the records of the service', async () => {
      const of = (connectionId: string | null) => list({ connectionId })
      await write({}, { connectionId: 'conn_b' }, { connectionId: 'conn_c' }, { connectionId: null })
      await storage.forget(['conn_a'])
      expect(await of('conn_a')).toEqual([])
      await storage.keepOnly(['conn_c'])
      expect([await of('conn_b'), await of('conn_c'), await of(null)].map(found => found.length)).toEqual([
        0, 1, 1,
      ])
    })
  })
}
