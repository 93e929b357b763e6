import type { LoggedEvent } from '#main/storage/event-log.ts'
import { ExactJson, isObject, parseExact } from '#shared/json/exact-json.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import type { EventNote, StoredEvent } from '#shared/model/inbound-event.ts'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { parseHeaderLines } from './signed-headers.ts'

/** The fields from which the text of an event is read. */
export type EventSource = Pick<LoggedEvent, 'eventName' | 'bodyText' | 'reading'>

/** Details of an event that only its original text has. */
export type EventText = {
  /** The original text of `data`; `{}` if it is missing or null. */
  readonly dataText: string
  /** The same data with each key once; missing if `dataText` has none twice. */
  readonly plainText?: string
  readonly notes: EventNote[]
}

const reserved = ['eventName', 'connectionId']

/**
 * Reads the text of an event. It takes longer than JSON.parse, so it runs when somebody opens an event, not when an event
 * arrives.
 */
export function readEventText(bodyText: string): EventText {
  const root = parseJson(bodyText)
  return root === undefined ? { dataText: '{}', notes: [] } : readParsed(bodyText, root)
}

function readParsed(text: string, root: unknown): EventText {
  const { hasKeyTwice, dataText } = scan(text)
  const fields = isObject(root) ? root : {}
  const { data } = fields
  const notes: EventNote[] = []
  if (Object.keys(fields).some(name => name !== 'event' && name !== 'data')) notes.push('extra_fields')
  if (hasKeyTwice) notes.push('duplicate_keys')
  if (isObject(data) && reserved.some(name => Object.hasOwn(data, name))) notes.push('reserved_keys')
  return { dataText: data === undefined || data === null ? '{}' : dataText, notes }
}

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const brace = 0x7b
const comma = 0x2c

/** Finds a key that comes twice in an object of a valid JSON text, and the last value of its field `data`. */
function scan(text: string): { readonly hasKeyTwice: boolean; readonly dataText: string } {
  let hasKeyTwice = false
  /** The keys of each open object, innermost last; undefined for a list. */
  const open: (Set<string> | undefined)[] = []
  /** Where the last string is. */
  let [from, to] = [0, 0]
  /** Where the value of `data` is; it is under way while it has no end. */
  let [dataFrom, dataTo] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // `[` and `{` differ in the bit 0x20, and so do `]` and `}`.
    const isEnd = (code | 0x20) === 0x7d
    if (code === quote) {
      from = at
      at = endOfString(text, at)
      to = at + 1
    } else if (code === colon) {
      const key = keyIn(text.slice(from, to))
      const keys = open.at(-1)
      hasKeyTwice ||= keys?.has(key) === true
      keys?.add(key)
      if (open.length === 1 && key === '"data"') [dataFrom, dataTo] = [at + 1, 0]
    } else if ((code | 0x20) === brace) open.push(code === brace ? new Set() : undefined)
    else if (isEnd || code === comma) {
      if (open.length === 1 && dataTo === 0) dataTo = at
      if (isEnd) open.pop()
    }
  }
  return { hasKeyTwice, dataText: text.slice(dataFrom, dataTo).trim() }
}

/** Returns the offset of the closing quote of a string. */
function endOfString(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

/** Returns a key with its quotes, and as few escapes as possible. */
const keyIn = (text: string) => (text.includes('\\') ? JSON.stringify(parseJson(text)) : text)

/** Reads an event of any scheme. Returns null if its body is no longer JSON, because the disk damaged it. */
export function readEvent(event: EventSource): EventText | null {
  const text = eventTextOf(event)
  const root = parseJson(text)
  if (root === undefined) return null
  const read = readParsed(text, root)
  if (!read.notes.includes('duplicate_keys')) return read
  return { ...read, plainText: JSON.stringify(parseExact(read.dataText)) }
}

/** Converts a logged event for the API. */
export function toStoredEvent(
  event: LoggedEvent,
  { dataText, plainText, notes }: EventText,
  declared: ReadonlySet<string>,
): StoredEvent {
  return {
    eventId: event.eventId,
    eventName: event.eventName,
    data: new ExactJson(plainText ?? dataText),
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
