import {
  numberOfAnyId,
  sequenceOfEventId,
  sequenceOfTime,
  sequenceText,
  timeOfSequence,
} from '#main/lib/sequence.ts'
import { isFiltered } from '#main/storage/event-filter.ts'
import type { EventLog } from '#main/storage/event-log.ts'
import type { Buckets } from '#main/storage/occurrence-storage.ts'
import { dayMs } from '#shared/durations.ts'
import {
  mostGroups,
  type OccurrenceBucket,
  type OccurrenceCounts,
  type OccurrenceGroup,
  type OccurrenceSelection,
  type OccurrenceType,
  typesOfOutcome,
} from '#shared/model/activity.ts'
import type { History } from './history.ts'
import { kinds, type RowItem, type StoredKind } from './kinds.ts'
import { eventFilter, recordFilter, storedKinds, type Wanted } from './wanted.ts'

type Parts = {
  readonly log: Pick<EventLog, 'summaries' | 'countBetween' | 'countParts'>
  readonly history: Pick<History, 'count' | 'countBuckets'>
  /** Returns what only the memory has. */
  readonly inMemory: (wanted: Wanted) => Promise<RowItem[]>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

type Span = Pick<OccurrenceSelection, 'since' | 'until'>
type EventFilter = NonNullable<ReturnType<typeof eventFilter>>
/** A type of occurrences with the number of one; of a call, whether it failed. */
type Counted = { readonly type: OccurrenceType; readonly failed: boolean; readonly bucket: number }

/** Events that a count by name or text, or of replays, finds at most, and milliseconds in which it reads further ones. */
const mostCounted = 1000
const countMs = 50

const typeOf = new Map<string, StoredKind>(storedKinds.map(kind => [kinds[kind].stored.name, kind]))

/** Counts and groups what a list has. */
export function createOccurrenceCounts({ log, history, inMemory, clock }: Parts) {
  async function counts(wanted: Wanted, span: Span, parts?: number): Promise<OccurrenceCounts> {
    const byKind: Partial<Record<OccurrenceType, number>> = {}
    const byCause: Record<string, number> = {}
    const add = (type: OccurrenceType, cause: string | null, count: number) => {
      byKind[type] = (byKind[type] ?? 0) + count
      if (cause !== null) byCause[cause] = (byCause[cause] ?? 0) + count
    }
    async function addRecords() {
      const records = recordFilter(wanted)
      if (records === null) return true
      const { counts, isComplete } = await history.count(records)
      for (const { kind, cause, count } of counts) {
        const type = typeOf.get(kind)
        if (type !== undefined) add(type, cause, count)
      }
      return isComplete
    }
    async function addEvents() {
      const events = eventFilter(wanted)
      if (events === null) return true
      const type = wanted.types.has('event.accepted') ? 'event.accepted' : 'event.replayed'
      return countEvents(events, wanted, count => count > 0 && add(type, null, count))
    }
    for (const item of await inMemory(wanted)) add(item.type, 'code' in item ? item.code : null, 1)
    // At once, because other threads count.
    const [buckets, ...areComplete] = await Promise.all([
      parts === undefined ? undefined : bucketsOf(wanted, span, parts),
      ...[addRecords(), addEvents()],
    ])
    const total = Object.values(byKind).reduce((sum, count) => sum + count, 0)
    const complete = areComplete.every(isComplete => isComplete)
    return { total, byKind, byCause, complete, ...(buckets !== undefined && { buckets }) }
  }

  /**
   * Counts events by the index of the log, or by reading some if a name, a text or replays are wanted. Returns whether
   * all were counted.
   *
   * @param add is called with a number of events, and the number in the id of one where they were read.
   */
  async function countEvents(
    filter: EventFilter,
    { types }: Wanted,
    add: (count: number, number?: number) => unknown,
    buckets?: Buckets,
  ): Promise<boolean> {
    const hasAccepted = types.has('event.accepted')
    if (hasAccepted && !isFiltered({ ...filter, replays: undefined })) {
      if (buckets === undefined) add(await log.countBetween(filter))
      else
        for (const [part, count] of (await log.countParts(filter, buckets.width)).entries())
          add(count, buckets.from + part * buckets.width)
      return true
    }
    const until = performance.now() + countMs
    const replays = hasAccepted ? undefined : true
    let { below } = filter
    let count = 0
    do {
      const { events, checkedAbove } = await log.summaries({ ...filter, replays, below, limit: 200 })
      for (const { eventId } of events) add(1, sequenceOfEventId(eventId) ?? 0)
      count += events.length
      below = checkedAbove + 1
      if (checkedAbove <= filter.above) return true
    } while (count < mostCounted && performance.now() < until)
    return false
  }

  /** Counts in equal parts of a span, by default the last 24 hours; null if not all can be counted. */
  async function bucketsOf(wanted: Wanted, span: Span, parts: number): Promise<OccurrenceBucket[] | null> {
    if (wanted.filters.text !== undefined) return null
    // What happens in this millisecond is counted.
    const { until = clock() + 1, since = until - dayMs } = span
    const from = sequenceOfTime(since)
    const end = Math.max(from + 1, sequenceOfTime(until))
    const buckets = { from, width: Math.ceil((end - from) / parts) }
    const range = { ...wanted, above: from - 1, below: end }
    const empty = { accepted: 0, refused: 0, calls: 0, callsFailed: 0, runsFailed: 0 }
    const found = Array.from({ length: parts }, (_, part) => ({
      ...{ from: new Date(timeOfSequence(from + part * buckets.width)).toISOString(), ...empty },
    }))
    const add = ({ type, failed, bucket }: Counted, count: number) => {
      const counted = found[bucket]
      if (counted !== undefined) for (const name of figuresOf(type, failed)) counted[name] += count
    }
    const bucketOf = (number: number) => Math.floor((number - from) / buckets.width)
    for (const { id, type } of await inMemory(range))
      add({ type, failed: true, bucket: bucketOf(numberOfAnyId(id) ?? 0) }, 1)
    async function addRecords() {
      const records = recordFilter(range)
      if (records === null) return true
      const { counts, isComplete } = await history.countBuckets(records, buckets)
      for (const { kind, failed, bucket, count } of counts) {
        const type = typeOf.get(kind)
        if (type !== undefined) add({ type, failed, bucket }, count)
      }
      return isComplete
    }
    async function addEvents() {
      const events = eventFilter(range)
      if (events === null) return true
      const of = { type: 'event.accepted', failed: false } as const
      const addOne = (count: number, number = 0) => add({ ...of, bucket: bucketOf(number) }, count)
      return countEvents(events, wanted, addOne, buckets)
    }
    const areComplete = await Promise.all([addRecords(), addEvents()])
    return areComplete.every(isComplete => isComplete) ? found : null
  }

  async function groups(wanted: Wanted): Promise<OccurrenceGroup[]> {
    const types = new Set(typesOfOutcome.failed.filter(type => wanted.types.has(type)))
    const failed = { ...wanted, types, ofRecords: { ...wanted.ofRecords, failed: true } }
    // A call that succeeds has no cause.
    const records = wanted.ofRecords.failed === false ? null : recordFilter(failed)
    const stored = records === null ? [] : (await history.count(records)).counts
    const here = (await inMemory(failed)).flatMap(item => {
      if (!('code' in item) || item.code === null) return []
      const number = numberOfAnyId(item.id) ?? 0
      return [{ ...item, kind: item.type, cause: item.code, count: 1, first: number, last: number }]
    })
    const found = new Map<string, Group>()
    for (const one of [...stored.map(one => ({ ...one, kind: typeOf.get(one.kind) })), ...here]) {
      const { kind, cause, connectionId } = one
      if (cause === null || !isFailedType(kind)) continue
      const key = JSON.stringify([kind, connectionId, cause])
      const known = found.get(key) ?? { count: 0, first: one.first, last: one.last }
      found.set(key, {
        ...{ cause, kind, connectionId, count: known.count + one.count },
        ...{ first: Math.min(known.first, one.first), last: Math.max(known.last, one.last) },
      })
    }
    return [...found.values()]
      .sort((one, other) => other.count - one.count || other.last - one.last)
      .slice(0, mostGroups)
      .map(({ first, last, ...group }) => ({
        ...{ ...group, firstAt: timeText(first), lastAt: timeText(last), newestId: sequenceText(last) },
      }))
  }

  return { counts, groups }
}

type Group = Omit<OccurrenceGroup, 'firstAt' | 'lastAt' | 'newestId'> & {
  readonly first: number
  readonly last: number
}

type Figure = Exclude<keyof OccurrenceBucket, 'from'>

/** Returns the figures of a bucket in which an occurrence counts. */
function figuresOf(type: OccurrenceType, failed: boolean): readonly Figure[] {
  switch (type) {
    case 'event.accepted':
    case 'event.repeated':
    case 'event.replayed':
      return ['accepted']
    case 'event.rejected':
      return ['refused']
    case 'call.finished':
      return failed ? ['calls', 'callsFailed'] : ['calls']
    case 'run.failed':
      return ['runsFailed']
    default:
      return []
  }
}

const failedTypes: ReadonlySet<string> = new Set(typesOfOutcome.failed)
const isFailedType = (type: string | undefined): type is OccurrenceGroup['kind'] =>
  type !== undefined && failedTypes.has(type)

const timeText = (number: number) => new Date(timeOfSequence(number)).toISOString()
