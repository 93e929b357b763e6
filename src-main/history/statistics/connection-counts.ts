import type { CountedEvent, CountedRejection, Counters } from '#main/occurrences/kind.ts'
import { type Measured, notMeasured } from '#main/storage/measured.ts'
import { recentBuckets, recentMs, type SavedCounts } from '#main/storage/statistics.ts'
import { isTest } from '#shared/model/call.ts'
import type { LastHour } from '#shared/model/connection-status.ts'
import { type ConnectionStatistics, hoursShown } from '#shared/model/statistics.ts'
import { createEventNameRows } from './event-names.ts'
import { createHourTable, hourOf } from './hour-table.ts'
import { createNewestTimes } from './newest-times.ts'
import { createRecentRuns } from './recent-runs.ts'

/** Maximum number of event names that are counted for one connection. The least recently seen one makes room. */
const maxEventNames = 500

const row = { accepted: 0, rejected: 1, calls: 2, callsOk: 3, oldSecret: 4, callsNotMade: 5 } as const
const rowNames = ['accepted', 'rejected', 'calls', 'callsOk', 'oldSecret', 'callsNotMade'] as const
const firstNameRow = 6

/** The rows of the last hour. */
const recentRow = { accepted: 0, refused: 1, calls: 2, callsFailed: 3, callsNotMade: 4 } as const
const recentNames = ['accepted', 'refused', 'calls', 'callsFailed', 'callsNotMade'] as const
type Recent = (typeof recentNames)[number]
/** The codes of refusals that do not say that a sender does something wrong. */
const noMistakes: ReadonlySet<string> = new Set(['unavailable', 'connection_disabled'])
const recentOf = (ms: number) => Math.floor(ms / recentMs)

type CountedName = { readonly eventName: string; readonly count: number; readonly lastAt: number }

export type CountsSummary = {
  readonly accepted: number
  readonly calls: number
  /** Milliseconds since 1970; 0 without an event. */
  readonly lastEventAt: number
  readonly lastEventName: string
}

/** In milliseconds since 1970; 0 for never. */
export type LastTimes = {
  /** When its last event came. */
  readonly lastEventAt: number
  /** When a replaced secret was used last. */
  readonly oldSecretAt: number
}

/**
 * Counts what happened on one connection, by clock hours (UTC). Counting happens for every event, so it costs only
 * look-ups and increments and keeps only the newest object.
 */
export type ConnectionCounts = Counters & {
  /** Returns the last attempt if it has no diagnosis; otherwise null. */
  undiagnosed(): string | null
  /** Returns the counts of the 24 hours up to that of `now`. */
  read(now: number): Omit<ConnectionStatistics, 'connectionId' | 'status' | 'lastHour'>
  /** Returns what lists filter and order by: a small part of `read`. */
  summary(now: number): CountsSummary
  lastTimes(): LastTimes
  /** Returns the counts of the last hour, to 5 minutes. */
  lastHour(now: number): LastHour
  /** Counts a run of a workflow that has ended. */
  runEnded(workflowId: string, at: number, hasFailed: boolean): void
  /** The measurements of its newest events. */
  measured: Measured
  /** Returns the count of each name in those hours, possibly zero, in no order. */
  eventNames(now: number): CountedName[]
  save(now: number): SavedCounts
}

/** @param saved the counts from before a restart. */
export function createConnectionCounts(saved: SavedCounts | null = null): ConnectionCounts {
  const table = createHourTable(firstNameRow + 4, forgetFuture)
  const recent = createHourTable(recentNames.length, undefined, recentBuckets)
  const runs = createRecentRuns(saved?.recent)
  const names = createEventNameRows(maxEventNames, firstNameRow, table.clear)
  const answerTimes = createNewestTimes(saved?.answerTimes)
  const callTimes = createNewestTimes(saved?.callTimes)
  let lastEventId = ''
  let lastEventName = ''
  let lastEventAt = 0
  let lastOldSecretAt = 0
  let lastRejection: CountedRejection | null = null
  let measured = saved?.measured ?? notMeasured

  function forgetFuture(): void {
    lastEventId = ''
    lastOldSecretAt = 0
    lastRejection = null
  }

  function restore(before: SavedCounts): void {
    const put = (into: number, counts: readonly number[]) =>
      counts.forEach((count, index) => {
        if (count > 0) table.add(into, before.upToHour - hoursShown + 1 + index, count)
      })
    for (const name of rowNames) put(row[name], before[name])
    for (const name of recentNames)
      before.recent[name].forEach((count, index) => {
        if (count > 0) recent.add(recentRow[name], before.recent.upTo - recentBuckets + 1 + index, count)
      })
    lastOldSecretAt = before.lastOldSecretAt
    for (const { eventName, lastAt, hours } of before.eventNames) put(names.rowOf(eventName, lastAt), hours)
    lastEventId = before.lastEvent?.eventId ?? ''
    lastEventName = before.lastEvent?.eventName ?? ''
    lastEventAt = before.lastEvent?.at ?? 0
    lastRejection = before.lastRejection
  }
  if (saved !== null) restore(saved)

  const lastEvent = () =>
    lastEventId === '' ? null : { eventId: lastEventId, eventName: lastEventName, at: lastEventAt }
  const lastTimes = () => ({
    lastEventAt: lastEventId === '' ? 0 : lastEventAt,
    oldSecretAt: lastOldSecretAt,
  })
  const rejectionUpTo = (hour: number) => (table.sum(row.rejected, hour) > 0 ? lastRejection : null)

  function accepted(event: CountedEvent, tookMs: number, oldSecret = false): void {
    const { at } = event
    const hour = hourOf(at)
    table.add(row.accepted, hour)
    recent.add(recentRow.accepted, recentOf(at))
    table.add(names.rowOf(event.eventName, at), hour)
    answerTimes.add(tookMs)
    if (oldSecret) {
      table.add(row.oldSecret, hour)
      lastOldSecretAt = at
    }
    lastEventId = event.id
    lastEventName = event.eventName
    lastEventAt = at
  }

  return {
    accepted,
    repeated: (event, tookMs) => accepted(event, tookMs),
    rejected(rejection) {
      table.add(row.rejected, hourOf(rejection.at))
      if (!noMistakes.has(rejection.code)) recent.add(recentRow.refused, recentOf(rejection.at))
      lastRejection = rejection
    },
    runFailed: () => false,
    diagnosed(attemptId, diagnosis) {
      if (lastRejection?.attemptId !== attemptId) return false
      lastRejection = { ...lastRejection, diagnosis }
      return true
    },
    undiagnosed: () => (lastRejection?.diagnosis === null ? lastRejection.attemptId : null),
    called({ at, ok, totalMs, source, isForAlert }) {
      const hour = hourOf(at)
      table.add(row.calls, hour)
      if (ok) table.add(row.callsOk, hour)
      callTimes.add(totalMs)
      if (isTest(source) || isForAlert) return
      recent.add(recentRow.calls, recentOf(at))
      if (!ok) recent.add(recentRow.callsFailed, recentOf(at))
    },
    notCalled({ at, source, isForAlert }) {
      table.add(row.callsNotMade, hourOf(at))
      if (!isTest(source) && !isForAlert) recent.add(recentRow.callsNotMade, recentOf(at))
      return true
    },
    runEnded: (workflowId, at, hasFailed) => runs.add(workflowId, recentOf(at), hasFailed),
    read(now) {
      const hour = table.lastShown(hourOf(now))
      const rejected = table.hours(row.rejected, hour)
      const calls = table.hours(row.calls, hour)
      const callsOk = table.hours(row.callsOk, hour)
      const totals = {
        accepted: table.sum(row.accepted, hour),
        rejected: table.sum(row.rejected, hour),
        calls: table.sum(row.calls, hour),
        callsOk: table.sum(row.callsOk, hour),
        callsNotMade: table.sum(row.callsNotMade, hour),
      }
      return {
        hours: table.hours(row.accepted, hour).map((accepted, index) => ({
          accepted,
          rejected: rejected[index] ?? 0,
          calls: calls[index] ?? 0,
          callsFailed: (calls[index] ?? 0) - (callsOk[index] ?? 0),
        })),
        ...totals,
        medianAnswerMs: answerTimes.median(totals.accepted),
        medianCallMs: callTimes.median(totals.calls),
        oldSecret: withOldSecret(table.sum(row.oldSecret, hour), lastOldSecretAt),
        lastEvent: withTime(lastEvent()),
        lastRejection: withTime(rejectionUpTo(hour)),
      }
    },
    summary(now) {
      const hour = table.lastShown(hourOf(now))
      return {
        accepted: table.sum(row.accepted, hour),
        calls: table.sum(row.calls, hour),
        lastEventAt: lastTimes().lastEventAt,
        lastEventName: lastEventId === '' ? '' : lastEventName,
      }
    },
    lastTimes,
    lastHour(now) {
      const upTo = recent.lastShown(recentOf(now))
      const sum = (name: Recent) => recent.sum(recentRow[name], upTo)
      return {
        accepted: sum('accepted'),
        refused: sum('refused'),
        calls: sum('calls'),
        callsFailed: sum('callsFailed'),
        callsNotMade: sum('callsNotMade'),
        runs: runs.read(recentOf(now)),
      }
    },
    get measured() {
      return measured
    },
    set measured(next) {
      measured = next
    },
    eventNames(now) {
      const hour = table.lastShown(hourOf(now))
      return names
        .list()
        .map(({ eventName, lastAt, row: own }) => ({ eventName, lastAt, count: table.sum(own, hour) }))
    },
    save(now) {
      const upToHour = table.lastShown(hourOf(now))
      const upTo = Math.max(recent.lastShown(recentOf(now)), runs.lastShown(recentOf(now)))
      const bucketsOf = (name: Recent) => recent.hours(recentRow[name], upTo)
      return {
        upToHour,
        accepted: table.hours(row.accepted, upToHour),
        rejected: table.hours(row.rejected, upToHour),
        calls: table.hours(row.calls, upToHour),
        callsOk: table.hours(row.callsOk, upToHour),
        callsNotMade: table.hours(row.callsNotMade, upToHour),
        oldSecret: table.hours(row.oldSecret, upToHour),
        lastOldSecretAt,
        answerTimes: answerTimes.list(table.sum(row.accepted, upToHour)),
        callTimes: callTimes.list(table.sum(row.calls, upToHour)),
        lastEvent: lastEvent(),
        lastRejection: rejectionUpTo(upToHour),
        eventNames: names.list().map(({ eventName, lastAt, row: own }) => ({
          eventName,
          lastAt,
          hours: table.hours(own, upToHour),
        })),
        recent: {
          upTo,
          accepted: bucketsOf('accepted'),
          refused: bucketsOf('refused'),
          calls: bucketsOf('calls'),
          callsFailed: bucketsOf('callsFailed'),
          callsNotMade: bucketsOf('callsNotMade'),
          runs: runs.save(upTo),
        },
        measured,
      }
    },
  }
}

function withOldSecret(count: number, lastAt: number): ConnectionStatistics['oldSecret'] {
  return count === 0 ? null : { count, lastAt: new Date(lastAt).toISOString() }
}

function withTime<T extends { readonly at: number }>(
  value: T | null,
): (Omit<T, 'at'> & { at: string }) | null {
  return value && { ...value, at: new Date(value.at).toISOString() }
}
