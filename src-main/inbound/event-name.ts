import { placeText, queryValuesOf, valuesOf } from '#main/signing/places.ts'
import { inboundErrors } from '#shared/errors/inbound.ts'
import { valueAt } from '#shared/json/value-at.ts'
import { maxEventNameCharacters } from '#shared/model/inbound-event.ts'
import { type EventNameSource, type NamePlace, namePlacesOf } from '#shared/model/sender/sender-template.ts'
import { parsePath } from '#shared/model/variable-path.ts'
import { isEventName } from './body.ts'
import { type BodyProblem, listProblem } from './body-problem.ts'

/** The parts of a request beside its body that can name its event. */
export type NamingRequest = {
  /** Alternating names and values, as in node:http. */
  readonly rawHeaders: readonly string[]
  /** The request target or the URL that the sender called. */
  readonly target: string
}

export type ReadName = { readonly problem: BodyProblem | null; readonly value: string }

/**
 * Reads the name of an event from the first place that has one.
 *
 * @param root the JSON value of the body.
 * @param item the item of a list that is the event: paths are read in it first.
 */
export function readEventName(
  source: EventNameSource,
  request: NamingRequest,
  root: unknown,
  item?: unknown,
): ReadName {
  let first: ReadName | null = null
  for (const place of namePlacesOf(source)) {
    const read = readAt(place, request, root, item)
    if (read.problem?.code !== 'missing_event') return read
    first ??= read
  }
  return first ?? refuse('missing_event', inboundErrors.missing_event.message)
}

function readAt(place: NamePlace, request: NamingRequest, root: unknown, item: unknown): ReadName {
  if ('constant' in place) return { problem: null, value: place.constant }
  const found =
    'path' in place ? readPath(place.path, root, item) : { values: valuesAt(place, request, root, item) }
  if ('problem' in found) return { problem: found.problem, value: '' }
  const [value] = found.values
  const where = nameText(place)
  if (value === undefined || value === null)
    return refuse('missing_event', `The ${where}, which has the name of the event, is missing.`)
  if (found.values.length === 1 && typeof value === 'string' && isEventName(value))
    return { problem: null, value }
  const detail = `The ${where}, which has the name of the event, must be a text of 1 to ${maxEventNameCharacters} characters.`
  return refuse('invalid_event', detail)
}

const refuse = (code: BodyProblem['code'], detail: string): ReadName => ({
  problem: { code, detail },
  value: '',
})

/** An item is one event, so a path inside it may take one of several values: its data has them all. */
function readPath(path: string, root: unknown, item: unknown) {
  const inItem = valueIn(item, path)
  if (inItem !== undefined && inItem !== null) return { values: [inItem] }
  const problem = listProblem(path, root)
  if (problem === null) return { values: [valueIn(root, path)] }
  // Of a list of events, the path leads to one item alone, so another has no name there.
  return item === undefined ? { problem } : { values: [] }
}

function valuesAt(
  place: Exclude<NamePlace, { path: string } | { constant: string }>,
  { rawHeaders, target }: NamingRequest,
  root: unknown,
  item: unknown,
): readonly unknown[] {
  if ('header' in place) return valuesOf(rawHeaders, place.header.toLowerCase())
  if ('query' in place) return queryValuesOf(target, place.query)
  for (const value of [item, root])
    for (const path of place.present)
      if ((valueIn(value, path) ?? null) !== null) return (parsePath(path) ?? []).slice(-1)
  return []
}

const valueIn = (value: unknown, path: string) => valueAt(value, parsePath(path) ?? [''])

function nameText(place: Exclude<NamePlace, { constant: string }>): string {
  if ('present' in place) return `field ${place.present.join(' or ')}`
  return placeText('header' in place ? { header: place.header.toLowerCase() } : place)
}
