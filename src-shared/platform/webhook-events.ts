import { dayMs } from '../durations.ts'
import { defaultAgentId } from '../model/platform/parts.ts'
import { type PlatformEventType, WebhookEvent } from '../model/platform/webhook-event.ts'

/** Returns an example of each webhook event. @param now milliseconds since 1970. */
function examples(now: number): WebhookEvent[] {
  const tomorrow = Math.ceil((now + dayMs) / dayMs) * dayMs - 14 * 60 * 60 * 1000
  return [
    conversationStarted(defaultAgentId, new Date(now).toISOString()),
    {
      event: 'lead.captured',
      data: { name: 'Maya Lindqvist', email: 'maya@example.com', phone: '+46 70 123 45 67' },
    },
    {
      event: 'appointment.booked',
      data: {
        customerEmail: 'maya@example.com',
        dateTime: new Date(tomorrow).toISOString(),
        service: 'Consultation',
      },
    },
  ]
}

/** Returns the event of a conversation that was started on the web. @param timestamp ISO 8601, UTC. */
export function conversationStarted(agentId: string, timestamp: string): WebhookEvent {
  return { event: 'conversation.started', agentId, channel: 'web', timestamp }
}

const labels = {
  'conversation.started': 'Conversation started',
  'lead.captured': 'Lead captured',
  'appointment.booked': 'Appointment booked',
} as const satisfies Record<WebhookEvent['event'], string>

const remarks: Partial<Record<WebhookEvent['event'], string>> = {
  'conversation.started':
    'Its fields are beside `event`, not in `data`. An inbound endpoint forwards only `data`, so a workflow sees that a conversation was started, but none of these fields.',
}

/** Returns the webhook events as event types with sample payloads. @param now milliseconds since 1970. */
export function platformEventTypes(now: number): PlatformEventType[] {
  return examples(now).map(body => ({
    eventName: body.event,
    label: labels[body.event],
    samplePayload: 'data' in body ? body.data : {},
    body,
    remark: remarks[body.event] ?? null,
  }))
}

/** Returns the fields of a webhook event with example values; null if the platform has no such event. */
export function exampleFields(eventName: string, now: number): Record<string, string> | null {
  const found = examples(now).find(({ event }) => event === eventName)
  if (found === undefined) return null
  if ('data' in found) return found.data
  const { event: _event, ...fields } = found
  return fields
}

/** Parses a webhook event in its exact shape. @param fields of the event, wherever its shape has them. */
export function webhookEvent(eventName: string, fields: Readonly<Record<string, string>>) {
  const isFlat = eventName === 'conversation.started'
  return WebhookEvent.safeParse({ event: eventName, ...(isFlat ? fields : { data: fields }) })
}
