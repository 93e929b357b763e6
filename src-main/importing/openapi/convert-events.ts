import { isObject } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { EventName } from '#shared/model/inbound-event.ts'
import { maxEntries } from '../limits.ts'
import { hideSecrets } from '../problem.ts'
import { type ConversionParts, type Operation, tagsOf } from './convert-operation.ts'
import { createHeaderNames, operationOf } from './event-headers.ts'
import { entriesOf, field, oncePerObject, textField } from './json-value.ts'
import { createSampler, tooLarge } from './samples.ts'
import { cut } from './texts.ts'

/** An event type in an import document. */
export type DocumentEvent = {
  readonly eventName: string
  readonly label: string | null
  readonly samplePayload: object | null
}

type Hook = {
  readonly name: string
  readonly item: unknown
  readonly path: JsonPath
  /** The tags of the operation that a callback belongs to. */
  readonly tags: readonly string[]
}
type LeftOut = { readonly name: string; readonly reason: string; readonly path: JsonPath }

const maxLabel = 120
const maxShown = 120

/**
 * Converts the webhooks and callbacks of an API to event types with sample payloads. Pure.
 *
 * An event has the name that a header of its webhook says. Webhooks with the same one become one event type, with the
 * sample of the first. The others are named after their webhook, or, if each of their payloads has another constant
 * `event` or `type`, by that.
 */
export function convertEvents(root: unknown, operations: readonly Operation[], parts: ConversionParts) {
  const { schemas, resolve } = parts
  const sampler = createSampler(schemas, resolve)
  const headerName = createHeaderNames(parts)
  const leftOut: LeftOut[] = []
  const hooks = hooksOf(root, operations, parts)
  const found = hooks.flatMap(({ name, item, path, tags }) => {
    const resolved = resolve(item)
    const shown = `webhook ${cut(hideSecrets(name), maxShown)}`
    if ('error' in resolved) {
      leftOut.push({ name: shown, reason: resolved.error, path })
      return []
    }
    const operation = operationOf(resolved.value)
    const own = tagsOf(operation)
    const body = resolve(field(operation, 'requestBody'))
    const content = 'value' in body ? field(body.value, 'content') : undefined
    const media = isObject(content) ? jsonMedia(content) : undefined
    const payload = schemas.flatten(field(media, 'schema'))
    const named = ['event', 'type'].find(one => payload.properties.has(one))
    const [constant, ...others] =
      named === undefined ? [] : schemas.flatten(payload.properties.get(named)).values
    return [
      {
        ...{ name, shown, path, named, inHeader: headerName(name, resolved.value) },
        constant: typeof constant === 'string' && others.length === 0 ? constant : null,
        label: textField(operation, 'summary'),
        tags: own.length > 0 ? own : tags,
        sample: sampler.ofMedia(media),
      },
    ]
  })
  const unnamed = found.filter(({ inHeader }) => inHeader === null)
  const constants = unnamed.map(({ constant }) => constant)
  const byConstant = constants.every(one => one !== null) && new Set(constants).size === constants.length
  const sharing = Map.groupBy(
    found.filter(({ inHeader }) => inHeader !== null),
    ({ inHeader }) => inHeader,
  )
  const origins: JsonPath[] = []
  const tags: string[][] = []
  const events = found.flatMap((hook): DocumentEvent[] => {
    const { name, inHeader, constant, shown, path, named, sample } = hook
    const [first = hook, ...others] = sharing.get(inHeader) ?? []
    if (first !== hook) return []
    const label = others.length === 0 ? hook.label : listed([hook, ...others])
    const eventName = hideSecrets(inHeader ?? (byConstant ? constant : name) ?? name)
    const parsed = EventName.safeParse(eventName)
    const reason = parsed.success ? null : (parsed.error.issues[0]?.message ?? '').replace(/\.$/, '')
    if (reason !== null || origins.length >= maxEntries) {
      leftOut.push({ name: shown, reason: reason ?? `only the first ${maxEntries} are taken`, path })
      return []
    }
    if (sample === tooLarge) leftOut.push({ name: `${shown}: sample`, reason: 'it is too large', path })
    origins.push(path)
    tags.push([...new Set([hook, ...others].flatMap(one => one.tags))])
    return [
      {
        eventName,
        label: label === null ? null : cut(hideSecrets(label), maxLabel),
        samplePayload: dataOf(sample, inHeader === null && named !== undefined),
      },
    ]
  })
  return { events, origins, tags, leftOut, count: hooks.length }
}

/** Returns what an event type of several webhooks stands for: `2 webhooks: issues-opened, issues-closed`. */
function listed(hooks: readonly Pick<Hook, 'name'>[]): string {
  const names = hooks.slice(0, maxLabel).map(({ name }) => cut(name, maxLabel))
  return `${hooks.length} webhooks: ${names.join(', ')}`
}

/** Webhooks of OpenAPI 3.1, of 3.0 as tools commonly extend it, and callbacks. A callback that many share counts once. */
function hooksOf(root: unknown, operations: readonly Operation[], { resolve }: ConversionParts): Hook[] {
  const webhooks = ['webhooks', 'x-webhooks'].flatMap(part =>
    entriesOf(field(root, part)).map(([name, item]) => ({ name, item, path: [part, name], tags: [] })),
  )
  const seen = new Set<unknown>()
  const callbacks = operations.flatMap(({ operation: { value, path } }) =>
    entriesOf(field(value, 'callbacks')).flatMap(([name, given]): Hook[] => {
      const resolved = resolve(given)
      const callback = 'value' in resolved ? resolved.value : given
      if (seen.has(callback)) return []
      seen.add(callback)
      const [entry] = entriesOf(callback)
      const at = { path: [...path, 'callbacks', name], tags: tagsOf(value) }
      return entry === undefined ? [] : [{ name, item: entry[1], ...at }]
    }),
  )
  return [...webhooks, ...callbacks]
}

/** Many webhooks can share a body. */
const jsonMedia = oncePerObject((content): unknown => {
  const types = entriesOf(content)
  return (types.find(([type]) => /[/+]json\s*(?:;|$)/i.test(type)) ?? types[0])?.[1]
})

/** Returns the fields of a payload. In one that names its event, they are in `data`. */
function dataOf(sample: unknown, hasName: boolean): object | null {
  const data = field(sample, 'data')
  if (hasName && isObject(data)) return data
  return isObject(sample) ? sample : null
}
