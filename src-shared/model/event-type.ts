import { z } from 'zod'
import { EventTypeId, Moment } from './identifiers.ts'
import { EventName } from './inbound-event.ts'
import { hasAtMost } from './text.ts'

/** A JSON object of fields, as a sender would put it into `data`. */
export const SamplePayload = z.record(z.string(), z.json())

/** A declared inbound event (specification: Event type). Declaring is optional and never blocks an event. */
export const EventType = z.object({
  eventTypeId: EventTypeId,
  eventName: EventName,
  label: z.string().nullable(),
  samplePayload: SamplePayload.nullable(),
  variables: z
    .array(z.string())
    .describe('The {{variables}} that the sample payload gives, as dot-paths without braces.'),
  createdAt: Moment,
  updatedAt: Moment,
})
export type EventType = z.infer<typeof EventType>

const Label = z
  .string()
  .trim()
  .refine(text => hasAtMost(120, text), 'A label has at most 120 characters.')
  .describe('At most 120 characters; an empty one is none.')

export const NewEventType = z.object({
  eventName: EventName,
  label: Label.nullish(),
  samplePayload: SamplePayload.nullish(),
})
export type NewEventType = z.output<typeof NewEventType>

export const EventTypeChange = NewEventType.partial()
export type EventTypeChange = z.output<typeof EventTypeChange>
