import { z } from 'zod'
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
