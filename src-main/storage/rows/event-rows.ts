import { sequenceOfEventId } from '#main/lib/sequence.ts'
import type { LoggedEvent } from '../event-log.ts'
import type { NewRunRow } from './run-rows.ts'

const isRepeat = 1
const hasOldSecret = 2
/** The first line of the column `headers` is `reading`: most events have none, and a column takes time with each. */
const hasReading = 4

/** Returns the value of the column `repeat`. */
export function flagsOf({ repeat, oldSecret, reading }: LoggedEvent): number {
  return (
    (repeat ? isRepeat : 0) |
    (oldSecret === true ? hasOldSecret : 0) |
    (reading === undefined ? 0 : hasReading)
  )
}

/** Returns the fields of an event that its flags and its headers encode. */
export function fieldsOfFlags(
  flags: number,
  headers: string,
): Pick<LoggedEvent, 'repeat' | 'oldSecret' | 'headerLines' | 'reading'> {
  const hasLine = (flags & hasReading) !== 0
  const end = hasLine ? headers.indexOf('\n') : -1
  return {
    repeat: (flags & isRepeat) !== 0,
    ...((flags & hasOldSecret) !== 0 && { oldSecret: true }),
    headerLines: headers.slice(end + 1),
    ...(hasLine && { reading: headers.slice(0, end) }),
  }
}

/** The longest text of a field, in UTF-16 units; the listener's own limits are far below. */
const longest = 64 * 1024 * 1024

/** Returns the length of the texts of a run. */
function textOf({ data, summary, ended }: NewRunRow): number {
  return (data?.length ?? 0) + summary.length + (ended?.steps.length ?? 0)
}

/** @throws RangeError for a run that would make its whole batch fail. */
export function requireStorable(run: NewRunRow): void {
  const { queuedAt, dueAt = 0, ended, deduplicationKey } = run
  if (![queuedAt, dueAt, ended?.endedAt ?? 0, deduplicationKey?.until ?? 0].every(Number.isSafeInteger))
    throw new RangeError('The times of a run must be whole milliseconds.')
  if (textOf(run) > longest) throw new RangeError('The run is too large to be stored.')
}

/** Returns the seq of an event. @throws RangeError for one that would make its whole batch fail. */
export function seqToStore(event: LoggedEvent): number {
  const seq = sequenceOfEventId(event.eventId)
  if (seq === null) throw new RangeError(`Not an event id: ${event.eventId}`)
  if (!Number.isSafeInteger(event.receivedAt)) throw new RangeError('receivedAt must be whole milliseconds.')
  if (event.bodyText.length > longest || event.headerLines.length > longest) {
    throw new RangeError('The event is too large to be stored.')
  }
  return seq
}
