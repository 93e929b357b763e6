import type { LoggedEvent } from '#main/storage/event-log.ts'
import { ExactJson } from '#shared/json/exact-json.ts'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { readEventText } from './event-text.ts'
import { parseHeaderLines } from './signed-headers.ts'

/** What a reader of the log sees; everything that the original text says is derived here. */
export function toStoredEvent(event: LoggedEvent, declared: ReadonlySet<string>): StoredEvent {
  const { dataText, notes } = readEventText(event.bodyText)
  return {
    eventId: event.eventId,
    eventName: event.eventName,
    data: new ExactJson(dataText),
    dataText,
    bodyText: event.bodyText,
    receivedAt: new Date(event.receivedAt).toISOString(),
    declared: declared.has(event.eventName),
    repeat: event.repeat,
    oldSecret: event.oldSecret === true,
    replayOf: event.replayOf,
    notes,
    headers: parseHeaderLines(event.headerLines),
  }
}
