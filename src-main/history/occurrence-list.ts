import { setImmediate } from 'node:timers/promises'
import { type Matchers, matcherOf } from '#main/lib/matcher.ts'
import { numberOfAnyId, sequenceOfEventId, sequenceText } from '#main/lib/sequence.ts'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { Lookups } from '#main/occurrences/kind.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { EventLog, EventSummary } from '#main/storage/event-log.ts'
import { excerptOf } from '#main/storage/excerpt.ts'
import { normalizeForSearch, searchable } from '#main/storage/normalize-for-search.ts'
import { textAt } from '#main/storage/occurrence-filter.ts'
import type { StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { ServiceError } from '#shared/errors.ts'
import type {
  ActivityItem,
  ListedOccurrence,
  OccurrenceCounts,
  OccurrenceGroup,
  OccurrencePage,
  OccurrenceSelection,
} from '#shared/model/activity.ts'
import { subjectOfEvent } from '#shared/model/subject.ts'
import type { Activity } from './activity.ts'
import { storedDiagnosis } from './attempts.ts'
import type { History } from './history.ts'
import { kindOf, numberIn, type Occurrence, type RowItem, recalled } from './kinds.ts'
import { createListEnd } from './list-end.ts'
import { createOccurrenceCounts } from './occurrence-counts.ts'
import { searchedOf } from './searched-of.ts'
import { eventFilter, type Filters, recordFilter, type Wanted, wantedOf } from './wanted.ts'

type Paging = {
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly limit: number
}

/** The one list of what happened: events in the log, records of the history, and what only the memory has. */
export type OccurrenceList = {
  /**
   * Returns a page, newest first.
   *
   * @throws ServiceError `connection_not_found`, `workspace_not_found`, `invalid_input` for a `before` that is not an id.
   */
  list(selection: OccurrenceSelection, paging: Paging): Promise<OccurrencePage>
  /**
   * Counts what a list has. @throws as `list` does.
   *
   * @param buckets the number of equal parts of the time in which it is counted too.
   */
  count(selection: OccurrenceSelection, after?: string, buckets?: number): Promise<OccurrenceCounts>
  /** Groups what failed by cause and connection, most first. @throws as `list` does. */
  groups(selection: OccurrenceSelection): Promise<OccurrenceGroup[]>
  /** Returns the item with an id, which may have any prefix; null if nothing that is kept has it. */
  get(id: string): Promise<ListedOccurrence | null>
}

type Parts = {
  readonly store: Pick<ConfigStore, 'snapshot'>
  readonly log: Pick<EventLog, 'summaries' | 'countBetween' | 'countParts'>
  readonly history: Pick<History, 'list' | 'count' | 'countBuckets'>
  readonly activity: Pick<Activity, 'unstored' | 'tookMsOf' | 'wholeSince'>
  readonly isDeclared: Lookups['isDeclared']
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** UTF-16 units of bodies in memory that are read before other work has its turn: about a millisecond. */
const mostReadAtOnce = 64 * 1024

export function createOccurrenceList(parts: Parts): OccurrenceList {
  const { store, log, history, activity, isDeclared } = parts
  const endOf = createListEnd(parts)
  const slices = createTimeSlices({ sliceMs: 2, isBusy: () => false })
  const { counts, groups } = createOccurrenceCounts({ ...parts, inMemory })
  const resolve = (selection: OccurrenceSelection) => wantedOf(store.snapshot(), selection)

  async function eventsOf(wanted: Wanted, limit: number) {
    const filter = eventFilter(wanted)
    if (filter === null) return { items: [], checkedAbove: wanted.above, damaged: 0, searched: null }
    const { events, checkedAbove, damaged, searched } = await log.summaries({ ...filter, limit })
    return { items: events.map(itemOfEvent), checkedAbove, damaged, searched }
  }

  async function recordsOf(wanted: Wanted, limit: number) {
    const filter = recordFilter(wanted)
    if (filter === null) return { items: [], checkedAbove: wanted.above, searched: null }
    const page = await history.list({ ...filter, limit, details: 'none' })
    return { items: page.occurrences.flatMap(record => itemOfRecord(record) ?? []), ...page }
  }

  /** Returns what only the memory has. There may be 8 MiB of bodies, so they are not parsed, and other work has its turns. */
  async function inMemory(wanted: Wanted): Promise<RowItem[]> {
    const connectionIds = wanted.connectionIds && new Set(wanted.connectionIds)
    const { connections } = store.snapshot()
    const text = normalizeForSearch(wanted.filters.text ?? '')
    const matchers: Matchers<Filters, { item: RowItem; name?: string; body?: string }> = {
      eventName: eventName => one => one.name === eventName,
      cause: cause => one => 'code' in one.item && one.item.code === cause,
      // Refusals are the only items without a body that are in memory alone.
      text: () => one => searchable(one.body ?? textAt(one.item, ['code', 'message'])).includes(text),
    }
    const matches = matcherOf(matchers, wanted.filters)
    const items: RowItem[] = []
    let read = 0
    for (const occurrence of activity.unstored()) {
      read += 'bodyText' in occurrence ? occurrence.bodyText.length : 0
      if (read >= mostReadAtOnce) {
        read = 0
        await setImmediate()
      }
      const number = numberIn(occurrence.kind, occurrence.id) ?? 0
      if (number <= wanted.above || number >= wanted.below) continue
      if (connectionIds?.has(occurrence.connectionId) === false) continue
      // A deleted one's events may still be here.
      if (occurrence.connectionId !== null && !connections.has(occurrence.connectionId)) continue
      const item = itemOf(occurrence, number, null)
      const event = 'eventName' in occurrence && { name: occurrence.eventName, body: occurrence.bodyText }
      if (isRow(item) && wanted.types.has(item.type) && matches({ item, ...event })) items.push(item)
    }
    return items
  }

  function itemOfEvent(event: EventSummary): ListedOccurrence {
    const { eventId, connectionId, eventName, bytes, subject, excerpt, repeat, replayOf } = event
    const facts = {
      ...{ id: sequenceText(sequenceOfEventId(eventId) ?? 0), at: new Date(event.receivedAt).toISOString() },
      ...{ connectionId, eventId, eventName, bytes, subject, stored: true },
      declared: isDeclared(event),
      tookMs: activity.tookMsOf(eventId),
      ...(excerpt !== null && { excerpt }),
    }
    const { oldSecret = false, duplicateOf = null } = event
    return replayOf === null
      ? { ...facts, type: 'event.accepted', repeat, previousSecret: oldSecret, duplicateOf }
      : { ...facts, type: 'event.replayed', replayOf }
  }

  const itemOfRecord = (record: StoredOccurrence) => {
    const occurrence = recalled(record)
    const item = occurrence && itemOf(occurrence, record.number, record)
    return item && isRow(item) ? listed(item, undefined) : null
  }

  function itemOf(occurrence: Occurrence, number: number, record: StoredOccurrence | null): ActivityItem {
    const place = { id: sequenceText(number), at: new Date(occurrence.at).toISOString() }
    const diagnosisOf = () => record && storedDiagnosis(record)
    return kindOf(occurrence).toItem(occurrence, place, { isDeclared, diagnosisOf, notesOf: () => [] })
  }

  const newerThan = (wanted: Wanted, after: string | undefined): Wanted =>
    after === undefined ? wanted : { ...wanted, above: Math.max(wanted.above, numberOf('after', after)) }

  /** Returns what has a number above `floor`, newest first: a page and possibly more. */
  async function read(wanted: Wanted, limit: number) {
    const events = await eventsOf(wanted, limit)
    // Only as far back as the events were searched.
    const records = await recordsOf({ ...wanted, above: events.checkedAbove }, limit)
    const floor = records.checkedAbove
    const isAbove = ({ id }: { readonly id: string }) => (numberOfAnyId(id) ?? 0) > floor
    // One more than the page has, so that it is known whether another page follows.
    const rows = (await inMemory(wanted))
      .filter(isAbove)
      .sort(newestFirst)
      .slice(0, limit + 1)
    const here: ListedOccurrence[] = []
    for (const row of rows) here.push(await slices.run(() => listed(row, wanted.filters.text)))
    const found = [...events.items, ...records.items].filter(isAbove).concat(here).sort(newestFirst)
    const numbers = [events, records].map(({ searched }) => searched?.count ?? 0)
    const searched = {
      count: numbers.reduce((total, one) => total + one, 0),
      isIndexing: events.searched?.isIndexing === true,
    }
    const isShort = events.searched !== null || records.searched !== null
    return { found, floor, damaged: events.damaged, searched: isShort ? searched : null }
  }

  return {
    async list(selection, { before, after, limit }) {
      const asked = resolve(selection)
      const newer = newerThan(asked, after)
      const { above } = newer
      const below = Math.min(asked.below, before === undefined ? asked.below : numberOf('before', before))
      const { found, floor, damaged, searched } = await read({ ...newer, below }, limit)
      const items = found.slice(0, limit)
      const isMore = found.length > limit || floor > above
      const nextBefore = !isMore
        ? null
        : found.length > limit
          ? (items.at(-1)?.id ?? null)
          : sequenceText(floor + 1)
      const isWhole = nextBefore === null && above === -1
      return {
        items,
        nextBefore,
        end: isWhole ? await endOf(asked) : null,
        ...(damaged > 0 && { damaged }),
        ...(found.length <= limit && searchedOf(searched, nextBefore)),
      }
    },
    count: async (selection, after, buckets) =>
      counts(newerThan(resolve(selection), after), selection, buckets),
    groups: async selection => groups(resolve(selection)),
    async get(id) {
      const number = numberOfAnyId(id)
      if (number === null) return null
      const { found } = await read({ ...resolve({}), above: number - 1, below: number + 1 }, 1)
      return found[0] ?? null
    },
  }
}

function isRow(item: ActivityItem): item is RowItem {
  return item.type !== 'event.diagnosed' && item.type !== 'activity.missed'
}

const newestFirst = (one: { readonly id: string }, other: { readonly id: string }) =>
  one.id < other.id ? 1 : -1

/** Returns an item with the subject of its event, and an excerpt around a searched text, instead of the body. */
function listed(item: RowItem, text: string | undefined): ListedOccurrence {
  switch (item.type) {
    case 'event.accepted': {
      const { bodyText: _body, reading: _reading, notes: _notes, ...facts } = item
      return { ...facts, ...ofBody(item, text) }
    }
    case 'event.repeated':
    case 'event.replayed': {
      const { bodyText: _body, reading: _reading, ...facts } = item
      return { ...facts, ...ofBody(item, text) }
    }
    default:
      return item
  }
}

const ofBody = (event: Parameters<typeof subjectOfEvent>[0], text: string | undefined) => ({
  subject: subjectOfEvent(event),
  ...(text !== undefined && { excerpt: excerptOf(event.bodyText, text) }),
})

function numberOf(path: 'before' | 'after', id: string): number {
  const number = numberOfAnyId(id)
  if (number === null)
    throw new ServiceError('invalid_input', {
      data: { issues: [{ path, message: 'Must be the id of an item.' }] },
    })
  return number
}
