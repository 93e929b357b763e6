import { formatBytes, formatMs } from '../../ui/format.ts'
import type { ShownEvent } from './shown-event.ts'

export type Step = {
  readonly name: string
  readonly detail: string
  /** A step that was not taken is `off`. */
  readonly tone: 'ok' | 'off'
}

/** What became of an event, from its arrival on. */
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
