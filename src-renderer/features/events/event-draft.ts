import { type EventType, parseSample } from '#shared/model/event-type.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import { EventName } from '#shared/model/inbound-event.ts'

/** An event type as it stands in the form. */
export type EventDraft = { readonly eventName: string; readonly label: string; readonly sampleText: string }

/** The sample as it was written, or its value written out where only that is known; empty for none. */
export function sampleTextOf({
  sampleText,
  samplePayload,
}: Pick<EventType, 'sampleText' | 'samplePayload'>): string {
  if (sampleText !== null) return sampleText
  return samplePayload === null ? '' : JSON.stringify(samplePayload, null, 2)
}

export function toDraft(type: EventType): EventDraft {
  return { eventName: type.eventName, label: type.label ?? '', sampleText: sampleTextOf(type) }
}

/** What stands in the way of saving, by field; nothing where it can be saved. */
export function draftProblems({
  eventName,
  sampleText,
}: EventDraft): Partial<Record<keyof EventDraft, string>> {
  const name = EventName.safeParse(eventName)
  const nameProblem = name.success ? undefined : name.error.issues[0]?.message
  const isSampleWrong = sampleText.trim() !== '' && parseSample(sampleText) === null
  return {
    ...(nameProblem === undefined ? {} : { eventName: nameProblem }),
    ...(isSampleWrong
      ? { sampleText: 'A sample payload is a JSON object of fields, as a sender puts it into data.' }
      : {}),
  }
}

/** What is sent to save it. */
export function toFields({ eventName, label, sampleText }: EventDraft) {
  return {
    eventName,
    label: label.trim() === '' ? null : label.trim(),
    sampleText: sampleText.trim() === '' ? null : sampleText,
  }
}

/** The variables a workflow gets: those of the sample while it is valid, then the two of every event. */
export function draftVariables({ sampleText }: EventDraft): string[] {
  return [...new Set([...variablesOf(parseSample(sampleText)), 'eventName', 'connectionId'])]
}
