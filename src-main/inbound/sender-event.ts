import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { type Sender, templatesOf } from '#shared/model/sender/sender.ts'
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
  const root = data === 'body' ? value : withValue({}, parsePath(data.path) ?? [], value)
  if ('header' in name)
    return { headers: { [name.header.toLowerCase()]: eventName }, body: JSON.stringify(root) }
  return { headers: {}, body: JSON.stringify(withValue(root, parsePath(name.path) ?? [], eventName)) }
}

/** Returns the header that names the event of a body which is sent as it is. */
export function nameHeader(sender: Sender, eventName: string): Record<string, string> {
  if (sender.scheme === 'custom-connection' || eventName === '') return {}
  const [{ eventName: name }] = templatesOf(sender)
  return 'header' in name ? { [name.header.toLowerCase()]: eventName } : {}
}

/** Returns an object with a value at a path, whose steps become keys of objects. */
function withValue(root: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  const before = isObject(root) ? root : {}
  const inner = Object.hasOwn(before, step) ? before[step] : {}
  return { ...before, [step]: withValue(inner, rest, value) }
}
