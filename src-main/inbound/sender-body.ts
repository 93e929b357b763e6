import type { PreparedTemplate } from '#main/signing/prepare-sender.ts'
import { inboundErrors } from '#shared/errors/inbound.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { dataAt, decodedData } from '#shared/model/sender/reading.ts'
import type { DataSource, EventNameSource } from '#shared/model/sender/sender-template.ts'
import { InvalidJson, nothing, readInnerJson, readJson } from './body.ts'
import { type BodyProblem, listProblem, listText } from './body-problem.ts'
import { type NamingRequest, type ReadName, readEventName } from './event-name.ts'
import { type BodyRoot, readRoot } from './read-root.ts'

/** Events in one request. */
const maxEvents = 1000

/** The contents of a signed body. Each part has a problem or null beside its value. */
export type SenderBody = Pick<BodyRoot, 'isForm' | 'text'> & {
  /** Whether it has no event, and its connection accepts that. It has no problem then. */
  readonly isEmpty: boolean
  readonly json: { readonly problem: BodyProblem | null; readonly root: unknown }
  /** The name of the event; of a list, that of the first. */
  readonly eventName: ReadName
  /** The data of the event; of a list, that of the first. */
  readonly data: { readonly problem: BodyProblem | null; readonly value: Record<string, unknown> }
  /** The events of a list; null where the body is one event. */
  readonly events: readonly ListedEvent[] | null
}

/** An event of a list. */
export type ListedEvent = { readonly eventName: string; readonly data: Record<string, unknown> }

/** Reads the name and the data of an event, or of a list of events, where its sender has them. Never throws. */
export function readSenderBody(
  prepared: Pick<PreparedTemplate, 'template' | 'readsForms'>,
  request: NamingRequest,
  body: Buffer,
): SenderBody {
  const { template } = prepared
  const { problem, root, isForm, text } = readRoot(prepared, request.rawHeaders, body)
  const { items } = template.data !== 'body' && 'items' in template.data ? template.data : { items: null }
  const read =
    items === null
      ? { ...readEvent(template, request, root), events: null }
      : readEvents(items, template.eventName, request, root)
  const first = problem ?? read.eventName.problem
  const isEmpty = template.empty === 'accept' && first?.code === 'missing_event' && first.index === undefined
  return { isForm, text, isEmpty, json: { problem, root }, ...read }
}

/** Returns the first problem of a body; null for an event, and for an accepted body without one. */
export function bodyProblemOf({ isEmpty, json, eventName, data }: SenderBody): BodyProblem | null {
  return isEmpty ? null : (json.problem ?? eventName.problem ?? data.problem)
}

function readEvent(
  { eventName, data, decodesData }: PreparedTemplate['template'],
  request: NamingRequest,
  root: unknown,
): Pick<SenderBody, 'eventName' | 'data'> {
  return {
    eventName: readEventName(eventName, request, root),
    data: readData(data, root, decodesData === true),
  }
}

/** Reads data from the JSON value of a body. Absent data is an empty object. */
function readData(source: DataSource, root: unknown, decodes: boolean): SenderBody['data'] {
  const path = source === 'body' || 'items' in source ? null : source.path
  const problem = path === null ? null : listProblem(path, root)
  if (problem !== null) return { problem, value: nothing }
  const found = dataAt(source, root)
  const value = decodes ? decodedData(found, root, readInnerJson) : found
  const what = path === null ? 'body' : `field ${path}`
  if (value instanceof InvalidJson) return invalidData(`The ${what} is JSON that is nested too deep.`)
  if (isObject(value)) return { problem: null, value }
  if (path !== null && (value === undefined || value === null)) return { problem: null, value: nothing }
  return invalidData(
    Array.isArray(value)
      ? `The ${what} is ${listText(value)}, and lists of events are taken only where the data is said to be their items. It must be a JSON object.`
      : `The ${what} must be a JSON object.`,
  )
}

const invalidData = (detail: string): SenderBody['data'] => ({
  problem: { code: 'invalid_data', detail },
  value: nothing,
})

type Events = Pick<SenderBody, 'eventName' | 'data' | 'events'>

/**
 * Reads each item of a list as an event. The first problem is that of all: nothing of such a request is stored.
 *
 * @param items the path of the list, or `body`. @param root undefined for a body that cannot be read.
 */
function readEvents(items: string, source: EventNameSource, request: NamingRequest, root: unknown): Events {
  const what = items === 'body' ? 'body' : `field ${items}`
  const list = listAt(items, root)
  if (list === undefined || list === null)
    return withoutEvents('missing_event', `The ${what}, which has the list of events, is missing.`)
  if (!Array.isArray(list)) return withoutEvents('invalid_data', `The ${what} must be a list of events.`)
  if (list.length === 0) return withoutEvents('missing_event', `The ${what} is an empty list of events.`)
  if (list.length > maxEvents)
    return withoutEvents(
      'too_many_events',
      `The ${what} is ${listText(list)}. ${inboundErrors.too_many_events.message}`,
    )
  const events: ListedEvent[] = []
  for (const [index, item] of list.entries()) {
    const at = (problem: BodyProblem) => ({
      ...problem,
      index,
      detail: `Event ${index} of the list: ${problem.detail}`,
    })
    if (!isObject(item))
      return refused(at({ code: 'invalid_data', detail: 'It must be a JSON object.' }), 'data')
    const name = readEventName(source, request, root, item)
    if (name.problem !== null) return refused(at(name.problem), 'eventName')
    events.push({ eventName: name.value, data: item })
  }
  const { eventName, data } = events[0] ?? { eventName: '', data: nothing }
  return { events, eventName: { problem: null, value: eventName }, data: { problem: null, value: data } }
}

/** Returns the list at a path, also where a field holds it as JSON text, as forms do. */
function listAt(items: string, root: unknown): unknown {
  const found = dataAt({ items }, root)
  const read = typeof found === 'string' ? readJson(found) : found
  return Array.isArray(read) ? read : found
}

const withoutEvents = (code: BodyProblem['code'], detail: string) => refused({ code, detail }, 'eventName')

function refused(problem: BodyProblem, part: 'eventName' | 'data'): Events {
  const name = { problem: null, value: '' }
  const data = { problem: null, value: nothing }
  return part === 'data'
    ? { events: [], eventName: name, data: { problem, value: nothing } }
    : { events: [], eventName: { problem, value: '' }, data }
}
