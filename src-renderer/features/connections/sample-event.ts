import type { EventType } from '#shared/model/event-type.ts'

/** An event that code is shown for: its name, and `data` as JSON text. */
export type SampleEvent = { readonly eventName: string; readonly data: string }

/** For a connection that declares none. */
const example: SampleEvent = { eventName: 'order.paid', data: '{"order_id":"ORD-20418"}' }

/** The declared event types with their sample payloads; an example where there are none. */
export function sampleEvents(
  eventTypes: readonly Pick<EventType, 'eventName' | 'samplePayload'>[],
): readonly [SampleEvent, ...SampleEvent[]] {
  const [first = example, ...rest] = eventTypes.map(({ eventName, samplePayload }) => ({
    eventName,
    data: JSON.stringify(samplePayload ?? {}),
  }))
  return [first, ...rest]
}
