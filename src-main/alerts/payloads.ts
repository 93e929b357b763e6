import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import type { Compared, Measured } from '#main/storage/measured.ts'
import { connectionThresholds } from '#shared/model/alert.ts'
import { readsField } from '#shared/workflows/reads.ts'
import { takes } from '#shared/workflows/takes.ts'
import { sampleDigest } from './measure.ts'

/** Returns what was compared with the samples that a connection has now, without the events that are muted. */
export function comparedNow(
  { eventTypes, watch = connectionThresholds }: Pick<ConnectionRecord, 'eventTypes' | 'watch'>,
  { payloads }: Measured,
): Compared[] {
  return payloads.filter(({ eventName, sample }) => {
    if (watch.payload.mutedEvents.includes(eventName)) return false
    const type = eventTypes.find(one => one.eventName === eventName)
    return type !== undefined && sampleDigest(type) === sample
  })
}

/** Returns the ids of the workflows that an event starts, and that read one of its fields that differ. */
export function workflowsReading(
  { workflows }: Pick<Config, 'workflows'>,
  connectionId: string,
  { eventName, fields }: Compared,
): string[] {
  const changed = fields.filter(({ change }) => change !== 'added')
  if (changed.length === 0) return []
  return [...workflows.values()]
    .filter(({ trigger }) => takes(trigger, { connectionId, eventName }))
    .filter(workflow => changed.some(({ path }) => readsField(workflow, path)))
    .map(({ workflowId }) => workflowId)
}
