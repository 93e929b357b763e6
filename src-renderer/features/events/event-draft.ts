import { z } from 'zod'
import type { ActivityItem } from '#shared/model/activity.ts'
import { type EventType, type NewEventType, parseSample } from '#shared/model/event-type.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import { EventName } from '#shared/model/inbound-event.ts'
import { readEventText } from '../activity/event-text.ts'

/** An event type as it stands in the form. */
export type EventDraft = Readonly<Record<Exclude<keyof NewEventType, 'samplePayload'>, string>>

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

/**
 * The text of the data of the newest event of this name among what was seen, replays and repeats included; null where
 * there is none, or it was cut.
 */
export function newestDataText(items: readonly ActivityItem[], eventName: string): string | null {
  for (const item of items.toReversed())
    if ('eventName' in item && item.eventName === eventName) {
      const text = readEventText(item.bodyText)
      if (text !== null) return text.dataText
    }
  return null
}

/** What the listener answered to a test event. `at` in milliseconds since 1970. */
export type SendOutcome = {
  readonly status: number
  readonly body?: unknown
  readonly totalMs: number
  readonly at: number
}

type SendStep = { readonly state: 'done' | 'failed' | 'skipped'; readonly text: string }

const Refusal = z.object({ error: z.string(), message: z.string() })

/** What is known to have happened to a test event, from what was answered (decisions: 200 means). */
export function sendSteps({ status, body }: SendOutcome, persistEvents: boolean): SendStep[] {
  if (status === 200)
    return [
      { state: 'done', text: 'Signature verified' },
      persistEvents
        ? { state: 'done', text: 'Stored' }
        : { state: 'skipped', text: 'Not stored: Log inbound events is off' },
      { state: 'done', text: 'external.event raised' },
    ]
  const refusal = Refusal.safeParse(body)
  const reason = refusal.success ? refusal.data.message : `It was answered ${status}.`
  return [
    { state: 'failed', text: reason },
    { state: 'skipped', text: 'No trigger was raised' },
  ]
}
