import { z } from 'zod'
import { type EventType, type NewEventType, parseSample } from '#shared/model/event-type.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import { EventName } from '#shared/model/inbound-event.ts'
import { eventTriggerRaised } from '../../entities/event/event-words.ts'
import { type Fields, pick } from '../../ui/draft/draft.ts'

/** An event type as it is in the form. */
export type EventDraft = Readonly<Record<Exclude<keyof NewEventType, 'samplePayload'>, string>>

/** Returns the text of a sample. If only its value is known, it is formatted. Empty for none. */
export function sampleTextOf({
  sampleText,
  samplePayload,
}: Pick<EventType, 'sampleText' | 'samplePayload'>): string {
  if (sampleText !== null) return sampleText
  return samplePayload === null ? '' : JSON.stringify(samplePayload, null, 2)
}

/** Returns the draft of an event type; an empty one for a new one. */
export function toDraft(type: EventType | null): EventDraft {
  if (type === null) return { eventName: '', label: '', sampleText: '' }
  return { eventName: type.eventName, label: type.label ?? '', sampleText: sampleTextOf(type) }
}

/** The names of the fields in a list of changes. */
export const eventFields: Required<Fields<EventDraft>> = {
  eventName: 'event name',
  label: 'label',
  sampleText: 'sample payload',
}

/** Returns what is wrong, by field. */
export function draftProblems(draft: EventDraft): Partial<Record<keyof EventDraft, string | undefined>> {
  const isSampleWrong = draft.sampleText.trim() !== '' && parseSample(draft.sampleText) === null
  return {
    eventName: EventName.safeParse(draft.eventName).error?.issues[0]?.message,
    sampleText: isSampleWrong
      ? 'A sample payload must be a JSON object of fields, as a sender puts it into data.'
      : undefined,
  }
}

/** Returns the fields that save a draft. */
export function toFields({ eventName, label, sampleText }: EventDraft) {
  return {
    eventName,
    label: label.trim() === '' ? null : label.trim(),
    sampleText: sampleText.trim() === '' ? null : sampleText,
  }
}

/** Returns the change that saves some fields of a draft. */
export function toChange(draft: EventDraft, changed: readonly (keyof EventDraft)[]) {
  return pick(toFields(draft), changed)
}

/** Returns the variables that a workflow gets: those of a valid sample, then the two of every event. */
export function draftVariables({ sampleText }: EventDraft): string[] {
  return [...new Set([...variablesOf(parseSample(sampleText)), 'eventName', 'connectionId'])]
}

/** The listener's response to a test event. `at` is in milliseconds since 1970. */
export type SendOutcome = {
  readonly status: number
  readonly body?: unknown
  readonly totalMs: number
  readonly at: number
}

type SendStep = { readonly state: 'done' | 'failed' | 'skipped'; readonly text: string }

const Refusal = z.object({ error: z.string(), message: z.string() })

/** Returns what happened to a test event, as its response tells. A 200 means that it is stored. */
export function sendSteps({ status, body }: SendOutcome, persistEvents: boolean): SendStep[] {
  if (status === 200)
    return [
      { state: 'done', text: 'Signature verified' },
      persistEvents
        ? { state: 'done', text: 'Stored' }
        : { state: 'skipped', text: 'Not stored: Log inbound events is off' },
      { state: 'done', text: eventTriggerRaised },
    ]
  const refusal = Refusal.safeParse(body)
  const reason = refusal.success ? refusal.data.message : `The response was ${status}.`
  return [
    { state: 'failed', text: reason },
    { state: 'skipped', text: 'No trigger raised' },
  ]
}
