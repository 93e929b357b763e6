import { z } from 'zod'
import { EventTypeData, SamplePayload } from '../event-type.ts'
import { AgentId, textUpTo } from './parts.ts'

const UtcMoment = z.iso.datetime('Write a time in UTC as in 2026-11-22T08:00:00.000Z.')
const Text = textUpTo(1000)

/** A conversation was started. Its fields are beside `event`, not in `data`, so an inbound endpoint forwards none. */
const ConversationStarted = z.object({
  event: z.literal('conversation.started'),
  agentId: AgentId,
  channel: Text.describe('For example web, sms or voice.'),
  timestamp: UtcMoment,
})

const LeadCaptured = z.object({
  event: z.literal('lead.captured'),
  data: z.object({ name: Text, email: Text, phone: Text }),
})

const AppointmentBooked = z.object({
  event: z.literal('appointment.booked'),
  data: z.object({ customerEmail: Text, dateTime: UtcMoment, service: Text }),
})

/** The events that the platform sends to webhooks, in their exact shapes. */
export const WebhookEvent = z.discriminatedUnion('event', [
  ConversationStarted,
  LeadCaptured,
  AppointmentBooked,
])
export type WebhookEvent = z.infer<typeof WebhookEvent>

/** The event of an alert, for a webhook that wants alerts. */
export type AlertEvent = {
  readonly event: 'alert.opened' | 'alert.closed'
  readonly data: Readonly<Record<string, unknown>>
}

/** A webhook event of the platform as an event type that can be added to a connection. */
export const PlatformEventType = z.object({
  ...EventTypeData.pick({ eventName: true, label: true }).shape,
  samplePayload: SamplePayload.describe('What an inbound endpoint forwards: the fields of `data`.'),
  body: WebhookEvent.describe('The whole body as it is sent.'),
  remark: z.string().nullable().describe('What to know before adding it.'),
})
export type PlatformEventType = z.infer<typeof PlatformEventType>
