import { z } from 'zod'
import { EventTypeId, Moment } from './identifiers.ts'
import { EventName } from './inbound-event.ts'
import { hasAtMost } from './text.ts'

/** A JSON object of fields, as a sender would put it into `data`. */
export const SamplePayload = z.record(z.string(), z.json())

/** The fields of an event type as they are stored, without the rules for their texts. */
export const EventTypeData = z.object({
  eventName: z.string(),
  label: z.string().nullable(),
  samplePayload: SamplePayload.nullable(),
  sampleText: z
    .string()
    .nullable()
    .describe(
      'The sample payload as it was written, numbers with all their digits; null where only its value is known.',
    ),
})
type EventTypeData = z.infer<typeof EventTypeData>

/** A declared inbound event (specification: Event type). Declaring is optional and never blocks an event. */
export const EventType = z.object({
  eventTypeId: EventTypeId,
  ...EventTypeData.shape,
  eventName: EventName,
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

/** In characters: as long as the largest body that is accepted unless it is set otherwise. */
const maxSampleText = 1024 * 1024

const SampleText = z
  .string()
  .max(maxSampleText, `A sample payload has at most ${maxSampleText} characters.`)
  .refine(text => parseSample(text) !== null, 'A sample payload is a JSON object of fields.')

/** @returns the object of fields that a sample's text is, or null where it is none. Keys are kept as they are. */
export function parseSample(text: string): z.infer<typeof SamplePayload> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

function isFields(value: unknown): value is z.infer<typeof SamplePayload> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const fields = {
  ...EventTypeData.shape,
  eventName: EventName,
  label: Label.nullable(),
  sampleText: SampleText.nullable().describe(
    'The sample payload as JSON text, kept as it stands; wins over samplePayload.',
  ),
} satisfies { [Field in keyof EventTypeData]: z.ZodType<EventTypeData[Field]> }

export const NewEventType = z.object(fields).partial().required({ eventName: true })
export type NewEventType = z.output<typeof NewEventType>

export const EventTypeChange = NewEventType.partial()
export type EventTypeChange = z.output<typeof EventTypeChange>
