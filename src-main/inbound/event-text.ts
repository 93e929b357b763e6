import { type JSONPath, visit } from 'jsonc-parser'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { ExactJson } from '#shared/json/exact-json.ts'
import type { EventNote, StoredEvent } from '#shared/model/inbound-event.ts'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { parseHeaderLines } from './signed-headers.ts'

/** Details of an event that only its original text has. */
type EventText = {
  /** The original text of `data`; `{}` if it is missing or null. */
  readonly dataText: string
  readonly notes: EventNote[]
}

const reserved = new Set(['eventName', 'connectionId'])

/**
 * Reads the text of an accepted event. It takes several times as long as JSON.parse, so it runs when somebody opens an
 * event, not when an event arrives.
 */
export function readEventText(bodyText: string): EventText {
  let dataText = '{}'
  let extraFields = false
  let duplicateKeys = false
  let reservedKeys = false
  /** Names seen in each open object, innermost last. */
  const open: Set<string>[] = []
  let topLevelField = ''
  let dataFrom = -1

  function valueBegins(depth: number, offset: number): void {
    if (depth !== 1 || topLevelField !== 'data') return
    dataFrom = offset
    reservedKeys = false
  }
  function valueEnds(depth: number, end: number): void {
    // A later `data` replaces an earlier one, as it does in JSON.parse.
    if (depth === 1 && topLevelField === 'data' && dataFrom !== -1) dataText = bodyText.slice(dataFrom, end)
  }
  let depth = 0
  visit(bodyText, {
    onObjectBegin(offset) {
      valueBegins(depth, offset)
      depth++
      open.push(new Set())
    },
    onArrayBegin(offset) {
      valueBegins(depth, offset)
      depth++
    },
    onObjectProperty(name, _offset, _length, _line, _character, path: () => JSONPath) {
      const names = open.at(-1)
      if (names?.has(name)) duplicateKeys = true
      names?.add(name)
      if (depth === 1) {
        topLevelField = name
        if (name !== 'event' && name !== 'data') extraFields = true
      } else if (depth === 2 && topLevelField === 'data' && reserved.has(name) && path().length === 1) {
        reservedKeys = true
      }
    },
    onLiteralValue(value, offset, length) {
      valueBegins(depth, offset)
      if (depth === 1 && topLevelField === 'data')
        dataText = value === null ? '{}' : bodyText.slice(offset, offset + length)
    },
    onObjectEnd(offset, length) {
      depth--
      open.pop()
      valueEnds(depth, offset + length)
    },
    onArrayEnd(offset, length) {
      depth--
      valueEnds(depth, offset + length)
    },
  })
  const notes: EventText['notes'] = []
  if (extraFields) notes.push('extra_fields')
  if (duplicateKeys) notes.push('duplicate_keys')
  if (reservedKeys) notes.push('reserved_keys')
  return { dataText, notes }
}

/** Converts a logged event for the API. */
export function toStoredEvent(event: LoggedEvent, declared: ReadonlySet<string>): StoredEvent {
  const { dataText, notes } = readEventText(eventTextOf(event))
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
    duplicateOf: event.duplicateOf ?? null,
    notes,
    headers: parseHeaderLines(event.headerLines),
  }
}
