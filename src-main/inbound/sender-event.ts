import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { type Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { namePlacesOf } from '#shared/model/sender/sender-template.ts'
import { parsePath } from '#shared/model/variable-path.ts'
import { eventBody } from './post-event.ts'

/** An event as a sender posts it: the headers beside the signature, and the body. */
export type SenderEvent = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

/**
 * Returns an event as a sender writes it, with its name and its data where the scheme looks for them. Numbers keep their
 * digits.
 *
 * @param dataText a JSON object; undefined for none.
 */
export function senderEvent(sender: Sender, eventName: string, dataText: string | undefined): SenderEvent {
  if (sender.scheme === 'custom-connection') return { headers: {}, body: eventBody(eventName, dataText) }
  const [{ eventName: name, data }] = templatesOf(sender)
  const value = dataText === undefined ? {} : parseExact(dataText)
  const path = data === 'body' ? '' : 'path' in data ? data.path : data.items
  const root = data === 'body' ? value : withValue({}, parsePath(path) ?? [], value)
  const [place] = namePlacesOf(name)
  if (place !== undefined && 'header' in place)
    return { headers: { [place.header.toLowerCase()]: eventName }, body: JSON.stringify(root) }
  if (place === undefined || !('path' in place)) return { headers: {}, body: JSON.stringify(root) }
  return { headers: {}, body: JSON.stringify(withValue(root, parsePath(place.path) ?? [], eventName)) }
}

/** Returns the header that names the event of a body which is sent as it is. */
export function nameHeader(sender: Sender, eventName: string): Record<string, string> {
  if (sender.scheme === 'custom-connection' || eventName === '') return {}
  const [{ eventName: name }] = templatesOf(sender)
  const [place] = namePlacesOf(name)
  return place !== undefined && 'header' in place ? { [place.header.toLowerCase()]: eventName } : {}
}

/** Returns an object with a value at a path, whose steps become keys of objects. */
function withValue(root: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  const before = isObject(root) ? root : {}
  const inner = Object.hasOwn(before, step) ? before[step] : {}
  return { ...before, [step]: withValue(inner, rest, value) }
}
