import { z } from 'zod'
import { parseJson } from '../json/parse-json.ts'
import { EventTypeId, Moment } from './identifiers.ts'
import { EventName } from './inbound-event.ts'
import { AnyKey, JsonValue } from './json-value.ts'
import { hasAtMost, turnsDirection } from './text.ts'

/** A JSON object of fields, as a sender would put it into `data`. */
export const SamplePayload = z.record(AnyKey, JsonValue)

/** The fields of an event type as they are stored, without the rules for their texts. */
export const EventTypeData = z.object({
  eventName: z.string(),
  label: z.string().nullable(),
  samplePayload: SamplePayload.nullable(),
  sampleText: z
    .string()
    .nullable()
    .describe(
      'The original text of the sample payload, with all digits of its numbers; null if only its value is known.',
    ),
})
type EventTypeData = z.infer<typeof EventTypeData>

/** A declared inbound event. Declaring is optional and never blocks an event. */
export const EventType = z.object({
  eventTypeId: EventTypeId,
  ...EventTypeData.shape,
  eventName: EventName,
  variables: z
    .array(z.string())
    .describe('The {{variables}} of the sample payload, as dot-paths without braces.'),
  createdAt: Moment,
  updatedAt: Moment,
})
export type EventType = z.infer<typeof EventType>

const Label = z
  .string()
  .trim()
  .refine(text => hasAtMost(120, text), 'A label has at most 120 characters.')
  .refine(text => !turnsDirection(text), 'A label cannot have characters that turn the direction of text.')
  .describe('At most 120 characters; an empty text means no label.')

/** In characters. The same as the default limit of a body in bytes. */
const maxSampleText = 1024 * 1024

const SampleText = z
  .string()
  .max(maxSampleText, `A sample payload has at most ${maxSampleText} characters.`)
  .refine(text => parseSample(text) !== null, 'A sample payload must be a JSON object.')

/** Parses a sample's text. Returns null if it is not a JSON object. Keeps keys such as `__proto__`. */
export function parseSample(text: string): z.infer<typeof SamplePayload> | null {
  const value = parseJson(text)
  return isFields(value) ? value : null
}

function isFields(value: unknown): value is z.infer<typeof SamplePayload> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const fields = {
  ...EventTypeData.shape,
  eventName: EventName,
  label: Label.nullable(),
  sampleText: SampleText.nullable().describe(
    'The sample payload as JSON text, which is kept unchanged; takes precedence over samplePayload.',
  ),
} satisfies { [Field in keyof EventTypeData]: z.ZodType<EventTypeData[Field]> }

export const NewEventType = z.object(fields).partial().required({ eventName: true })
export type NewEventType = z.output<typeof NewEventType>

export const EventTypeChange = NewEventType.partial()
export type EventTypeChange = z.output<typeof EventTypeChange>
