import type { EventType } from '#shared/model/event-type.ts'
import { compactJson } from '../../ui/format-json.ts'

/** An event for the code: its name, and its data as JSON text. */
export type SampleEvent = { readonly eventName: string; readonly data: string }

/** The event for a connection without event types. */
const example: SampleEvent = { eventName: 'order.paid', data: '{"order_id":"ORD-20418"}' }

/** Returns the declared event types with their samples, or an example if there are none. */
export function sampleEvents(
  eventTypes: readonly Pick<EventType, 'eventName' | 'samplePayload' | 'sampleText'>[],
): readonly [SampleEvent, ...SampleEvent[]] {
  const [first = example, ...rest] = eventTypes.map(({ eventName, samplePayload, sampleText }) => ({
    eventName,
    data: sampleText === null ? JSON.stringify(samplePayload ?? {}) : compactJson(sampleText),
  }))
  return [first, ...rest]
}
