import type { EventType } from '#shared/model/event-type.ts'
import { compactJson } from '../../ui/format-json.ts'

/** An event that code is shown for: its name, and `data` as JSON text. */
export type SampleEvent = { readonly eventName: string; readonly data: string }

/** For a connection that declares none. */
const example: SampleEvent = { eventName: 'order.paid', data: '{"order_id":"ORD-20418"}' }

/** The declared event types with their sample payloads; an example where there are none. */
export function sampleEvents(
  eventTypes: readonly Pick<EventType, 'eventName' | 'samplePayload' | 'sampleText'>[],
): readonly [SampleEvent, ...SampleEvent[]] {
  const [first = example, ...rest] = eventTypes.map(({ eventName, samplePayload, sampleText }) => ({
    eventName,
    data: sampleText === null ? JSON.stringify(samplePayload ?? {}) : compactJson(sampleText),
  }))
  return [first, ...rest]
}
