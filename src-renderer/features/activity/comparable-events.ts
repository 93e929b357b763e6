import { formatMoment } from '../../ui/format.ts'
import { type Entry, isLiveEvent, keyOf } from './entry.ts'
import { rowOf } from './row-of.ts'

/** More are not offered: search for it first. */
const most = 200

/**
 * The events that one can be compared with, newest first, those of its own name before all others; the first
 * is the one that came before it.
 *
 * @param entries newest first.
 */
export function comparableEvents(
  entries: readonly Entry[],
  { eventId, eventName }: { readonly eventId: string; readonly eventName: string },
): readonly { readonly value: string; readonly label: string }[] {
  const events = entries.filter(
    (entry): entry is Extract<Entry, { eventId: string }> =>
      (isLiveEvent(entry) || entry.type === 'event.stored') && keyOf(entry) !== eventId,
  )
  const same = events.filter(entry => entry.eventName === eventName)
  const older = same.filter(entry => entry.eventId < eventId)
  const newer = same.filter(entry => entry.eventId > eventId)
  const others = events.filter(entry => entry.eventName !== eventName)
  return [...older, ...newer, ...others].slice(0, most).map(entry => {
    const { title, details, at } = rowOf(entry, null)
    return {
      value: entry.eventId,
      label: [title, ...details.map(({ text }) => text), formatMoment(at)].join(' · '),
    }
  })
}
