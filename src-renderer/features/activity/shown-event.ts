import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { formatBytes, formatCount, formatMs } from '../../ui/format.ts'
import type { EventItem } from './rows.ts'

/** An event as its details show it: its item in the list, and what is read by its id. */
export type ShownEvent = { readonly item: EventItem; readonly event: StoredEvent }

export const isStored = ({ event }: ShownEvent): boolean => event.inMemory !== true

export type Step = {
  readonly name: string
  readonly detail: string
  /** `off` for a step that did not happen. */
  readonly tone: 'ok' | 'off'
}

/** @param runs how many runs a redelivery has started; null for a repeat that is ignored. */
function notRaised(runs: number | null): Step {
  if (runs === null) return { name: 'Not raised', detail: 'an exact repeat', tone: 'off' }
  if (runs === 0) return { name: 'Not started again', detail: 'nothing had failed', tone: 'off' }
  return { name: 'Started again', detail: formatCount(runs, 'run'), tone: 'ok' }
}

/** Returns the processing steps of an event. */
export function trailOf(shown: ShownEvent): readonly Step[] {
  const { item, event } = shown
  const { bytes, tookMs } = item
  const stored: Step = isStored(shown)
    ? { name: 'Stored', detail: 'on disk', tone: 'ok' }
    : { name: 'Not stored', detail: 'in memory only', tone: 'off' }
  const raised: Step =
    item.type === 'event.repeated'
      ? notRaised(item.redelivery?.runs ?? null)
      : {
          name: 'Raised',
          detail: tookMs === null ? 'external.event' : `after ${formatMs(tookMs)}`,
          tone: 'ok',
        }
  if (event.replayOf !== null)
    return [{ name: 'Replayed', detail: formatBytes(bytes), tone: 'ok' }, stored, raised]
  return [
    { name: 'Received', detail: formatBytes(bytes), tone: 'ok' },
    { name: 'Verified', detail: event.oldSecret ? 'with the old secret' : 'signature and time', tone: 'ok' },
    stored,
    raised,
  ]
}
