import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { formatBytes, formatMoment, formatMs } from '../../ui/format.ts'
import { type Entry, isLiveEvent, keyOf, type LiveEvent, type StoredEntry } from './entry.ts'
import { eventRow } from './rows.ts'

/** Whether an event is on disk, only in memory, or deleted from disk. */
type Keeping = 'stored' | 'memory' | 'deleted'

/** An event with its details from the feed and from the log. */
export type ShownEvent = Readonly<
  Pick<StoredEvent, 'eventId' | 'eventName' | 'bodyText' | 'replayOf' | 'notes'>
> & {
  readonly at: string
  /** The size of the whole body. */
  readonly bytes: number
  /** Whether `bodyText` is only its start. */
  readonly isCut: boolean
  readonly keeping: Keeping
  readonly isRepeat: boolean
  /** An exact repeat that raised nothing. */
  readonly isIgnored: boolean
  readonly previousSecret: boolean
  /** Null unless it is stored. */
  readonly headers: StoredEvent['headers'] | null
  readonly tookMs: number | null
}

const utf8 = new TextEncoder()

/** @param wasStored whether the log once had it, as far as the feed knows. @returns null if neither has it. */
export function shownEvent(
  live: LiveEvent | null,
  stored: StoredEvent | null,
  wasStored: boolean,
): ShownEvent | null {
  if (stored === null && live === null) return null
  const bodyText = stored?.bodyText ?? live?.bodyText ?? ''
  const bytes = live?.bytes ?? utf8.encode(bodyText).length
  const accepted = live?.type === 'event.accepted' ? live : null
  return {
    eventId: stored?.eventId ?? live?.eventId ?? '',
    eventName: stored?.eventName ?? live?.eventName ?? '',
    at: live?.at ?? stored?.receivedAt ?? '',
    bodyText,
    bytes,
    isCut: stored === null && utf8.encode(bodyText).length < bytes,
    keeping: stored !== null ? 'stored' : wasStored ? 'deleted' : 'memory',
    isRepeat: stored?.repeat ?? accepted?.repeat ?? false,
    isIgnored: live?.type === 'event.repeated',
    replayOf: stored?.replayOf ?? (live?.type === 'event.replayed' ? live.replayOf : null),
    previousSecret: stored?.oldSecret ?? accepted?.previousSecret ?? false,
    notes: stored?.notes ?? accepted?.notes ?? [],
    headers: stored?.headers ?? null,
    tookMs: live?.tookMs ?? null,
  }
}

/** Returns whether the log may have an event. It may have been deleted since. */
export function mayBeStored(live: LiveEvent | null): boolean {
  return live === null || live.type === 'event.replayed' || (live.type === 'event.accepted' && live.stored)
}

export type Step = {
  readonly name: string
  readonly detail: string
  /** `off` for a step that did not happen. */
  readonly tone: 'ok' | 'off'
}

/** Returns the processing steps of an event. */
export function trailOf(event: ShownEvent): readonly Step[] {
  const { bytes, keeping, previousSecret, isIgnored, replayOf, tookMs } = event
  const stored: Step =
    keeping === 'stored'
      ? { name: 'Stored', detail: 'on disk', tone: 'ok' }
      : keeping === 'deleted'
        ? { name: 'No longer stored', detail: 'in memory only', tone: 'off' }
        : { name: 'Not stored', detail: 'in memory only', tone: 'off' }
  const raised: Step = isIgnored
    ? { name: 'Not raised', detail: 'an exact repeat', tone: 'off' }
    : { name: 'Raised', detail: tookMs === null ? 'external.event' : `after ${formatMs(tookMs)}`, tone: 'ok' }
  if (replayOf !== null) return [{ name: 'Replayed', detail: formatBytes(bytes), tone: 'ok' }, stored, raised]
  return [
    { name: 'Received', detail: formatBytes(bytes), tone: 'ok' },
    { name: 'Verified', detail: previousSecret ? 'with the old secret' : 'signature and time', tone: 'ok' },
    stored,
    raised,
  ]
}

/** Maximum number of events to choose from; a search finds others. */
const most = 200

/**
 * Returns the events to compare one with, newest first, those of the same name before others. The first is the one
 * before it.
 *
 * @param entries newest first.
 */
export function comparableEvents(
  entries: readonly Entry[],
  { eventId, eventName }: { readonly eventId: string; readonly eventName: string },
): readonly { readonly value: string; readonly label: string }[] {
  const events = entries.filter(
    (entry): entry is LiveEvent | StoredEntry =>
      (isLiveEvent(entry) || entry.type === 'event.stored') && keyOf(entry) !== eventId,
  )
  const same = events.filter(entry => entry.eventName === eventName)
  const older = same.filter(entry => entry.eventId < eventId)
  const newer = same.filter(entry => entry.eventId > eventId)
  const others = events.filter(entry => entry.eventName !== eventName)
  return [...older, ...newer, ...others].slice(0, most).map(entry => {
    const { title, details } = eventRow(entry, { declared: null })
    return {
      value: entry.eventId,
      label: [title, ...details.map(({ text }) => text), formatMoment(entry.at)].join(' · '),
    }
  })
}
