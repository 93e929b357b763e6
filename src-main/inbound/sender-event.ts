import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { valueAt } from '#shared/json/value-at.ts'
import { type Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { type NamePlace, namePlacesOf, type SenderTemplate } from '#shared/model/sender/sender-template.ts'
import { parsePath } from '#shared/model/variable-path.ts'
import { eventBody } from './post-event.ts'
import { writeBody } from './write-body.ts'

/** An event as a sender posts it, without its signature. */
export type SenderEvent = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Parameters of the URL. */
  readonly query?: Readonly<Record<string, string>>
}

/**
 * Returns an event as a sender writes it, in the format of its scheme, with its name and its data where the scheme looks
 * for them. Where each item of a list is an event, the list has this one. Numbers of JSON keep their digits.
 *
 * @param dataText a JSON object; undefined for none.
 */
export function senderEvent(sender: Sender, eventName: string, dataText: string | undefined): SenderEvent {
  if (sender.scheme === 'custom-connection') return { headers: {}, body: eventBody(eventName, dataText) }
  const [template] = templatesOf(sender)
  const value = dataText === undefined ? {} : parseExact(dataText)
  const place = placeToName(template, eventName)
  const root = withEvent(template, place, eventName, value)
  const { headers, body } = writeBody(template.body ?? 'json', root)
  const named = besideBody(place, eventName)
  return { headers: { ...headers, ...named.headers }, body, ...(named.query && { query: named.query }) }
}

/** Returns the header or the parameter that names the event of a body which is sent as it is. */
export function namedOutside(sender: Sender, eventName: string): Omit<SenderEvent, 'body'> {
  if (sender.scheme === 'custom-connection' || eventName === '') return { headers: {} }
  const [template] = templatesOf(sender)
  return besideBody(placeToName(template, eventName), eventName)
}

/** Returns where a name can be written: the first place, unless a constant is the name, or no place can say it. */
function placeToName({ eventName: source }: SenderTemplate, eventName: string): NamePlace | undefined {
  const places = namePlacesOf(source)
  if (places.some(place => 'constant' in place && place.constant === eventName)) return undefined
  return places.find(
    place =>
      !('constant' in place) && (!('present' in place) || pathNamed(place.present, eventName) !== undefined),
  )
}

/** Returns the path whose own name, its last step, is that of the event. */
const pathNamed = (paths: readonly string[], eventName: string) =>
  paths.find(path => parsePath(path)?.at(-1) === eventName)

function besideBody(place: NamePlace | undefined, eventName: string): Omit<SenderEvent, 'body'> {
  if (place !== undefined && 'header' in place)
    return { headers: { [place.header.toLowerCase()]: eventName } }
  return place !== undefined && 'query' in place
    ? { headers: {}, query: { [place.query]: eventName } }
    : { headers: {} }
}

function withEvent(
  { data }: SenderTemplate,
  place: NamePlace | undefined,
  eventName: string,
  value: unknown,
): unknown {
  if (data !== 'body' && 'items' in data) {
    const list = [withName(value, place, eventName)]
    return data.items === 'body' ? list : withValue({}, parsePath(data.items) ?? [], list)
  }
  const root = data === 'body' ? value : withValue({}, parsePath(data.path) ?? [], value)
  return withName(root, place, eventName)
}

function withName(root: unknown, place: NamePlace | undefined, eventName: string): unknown {
  if (place === undefined || 'header' in place || 'query' in place || 'constant' in place) return root
  if ('path' in place) return withValue(root, parsePath(place.path) ?? [], eventName)
  const steps = parsePath(pathNamed(place.present, eventName) ?? '') ?? []
  return (valueAt(root, steps) ?? null) === null ? withValue(root, steps, {}) : root
}

/** Returns an object with a value at a path, whose steps become keys of objects. */
function withValue(root: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  const before = isObject(root) ? root : {}
  const inner = Object.hasOwn(before, step) ? before[step] : {}
  return { ...before, [step]: withValue(inner, rest, value) }
}
