import { isObject, numberText, tryParseExact } from '../json/exact-json.ts'
import { eventTextOf } from './sender/reading.ts'
import { pathText } from './variable-path.ts'

/** Longer values are not recognized at a glance. */
const maxLength = 64

const identifying = new Set(['id', 'no', 'number', 'ref', 'reference', 'code', 'sku', 'key'])
const naming = new Set(['name', 'title', 'subject', 'email'])

/**
 * Returns the value of an event's data by which a person recognizes it, such as `ORD-20418`; null if there is none. It
 * is a field that identifies something, first what the event name speaks of: `order_id` of `order.paid`.
 */
export function subjectOf(data: Readonly<Record<string, unknown>>, eventName: string): string | null {
  return subjectField(data, eventName)?.text ?? null
}

/** Returns the variable of a workflow that has this value, without braces; null if there is none. */
export function subjectVariable(data: Readonly<Record<string, unknown>>, eventName: string): string | null {
  const found = subjectField(data, eventName)
  return found === null ? null : pathText(found.keys)
}

function subjectField(data: Readonly<Record<string, unknown>>, eventName: string): Field | null {
  const [noun = ''] = wordsOf(eventName)
  const top = fieldsOf(data)
  const nested = Object.entries(data).flatMap(([name, value]) =>
    isObject(value) ? fieldsOf(value, [name]) : [],
  )
  return (
    top.find(({ words }) => words[0] === noun && endsIn(words, identifying)) ??
    top.find(({ words }) => endsIn(words, identifying)) ??
    nested.find(({ words }) => endsIn(words, identifying)) ??
    top.find(({ words }) => endsIn(words, naming)) ??
    null
  )
}

/** UTF-16 units of the longest body that is parsed for its subject: a list has many. */
export const longestWithSubject = 16 * 1024

/** Returns the subject of an event from its whole body; null for none, and for a long body. */
export function subjectOfBody(bodyText: string): string | null {
  const body = bodyText.length > longestWithSubject ? null : tryParseExact(bodyText)
  if (!isObject(body) || !isObject(body.data) || typeof body.event !== 'string') return null
  return subjectOf(body.data, body.event)
}

/** The text of data in a form or in a larger body may be a third of it. */
const longestBody = 3 * longestWithSubject

/** Returns the subject of an event of any scheme; null for none, and for a long body, which is not read. */
export function subjectOfEvent(event: Parameters<typeof eventTextOf>[0]): string | null {
  return event.bodyText.length > longestBody ? null : subjectOfBody(eventTextOf(event))
}

type Field = { readonly keys: readonly string[]; readonly words: readonly string[]; readonly text: string }

function fieldsOf(data: Readonly<Record<string, unknown>>, outer: readonly string[] = []): Field[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value.trim() : numberText(value)
    if (text === null || text === '' || text.length > maxLength) return []
    return [{ keys: [...outer, name], words: wordsOf(name), text }]
  })
}

const endsIn = (words: readonly string[], endings: ReadonlySet<string>) => endings.has(words.at(-1) ?? '')

/** Returns the words of a name, in lower case: order and id of `orderId`, `order_id` and `Order-ID`. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
}
