import { isObject } from '#shared/json/exact-json.ts'
import { maxSamplesText } from '../limits.ts'
import { hideSecrets } from '../problem.ts'
import { entriesOf, field, oncePerObject, type Resolve } from './json-value.ts'
import type { FlatSchema, Schemas } from './schemas.ts'

/** Levels of a sample that is made from a schema. */
const maxLevels = 8
/** Values and characters of one sample. A larger example of a document is not taken. */
const maxValues = 2000
const maxCharacters = 64 * 1024
/** Values of all samples of a document. */
const maxInAll = 500_000
const maxArray = 5

export type Sampler = ReturnType<typeof createSampler>

/** Makes samples of the values that schemas describe. Their size is bounded, and a schema within itself is left out. */
export function createSampler(schemas: Schemas, resolve: Resolve) {
  let left = maxInAll
  let textLeft = maxSamplesText
  let values = 0
  let characters = 0

  function begin(): void {
    values = 0
    characters = 0
  }

  /** @throws TooLarge */
  function count(text = ''): void {
    left--
    characters += text.length
    textLeft -= text.length
    if (++values > maxValues || characters > maxCharacters || left < 0 || textLeft < 0) throw new TooLarge()
  }

  /** Copies an example, without signing secrets. @throws TooLarge */
  function copy(value: unknown, level = 0): unknown {
    count(typeof value === 'string' ? value : '')
    if (typeof value === 'string') return hideSecrets(value)
    if (Array.isArray(value)) return level > 4 * maxLevels ? [] : value.map(item => copy(item, level + 1))
    if (!isObject(value)) return value
    if (level > 4 * maxLevels) return {}
    return objectOf(
      Object.entries(value).map(([name, item]) => {
        count(name)
        return [hideSecrets(name), copy(item, level + 1)]
      }),
    )
  }

  /** Returns a sample, or undefined for a schema within itself. @throws TooLarge */
  function make(schema: unknown, within: readonly FlatSchema[]): unknown {
    const flat = schemas.flatten(schema)
    if (within.includes(flat)) return undefined
    count()
    const given = givenValue(flat)
    if (given !== undefined && !isObject(given)) return copy(given)
    const inner = [...within, flat]
    const [first] = flat.alternatives
    const [chosen] = first ?? []
    const type = typeOf(flat)
    if (type === null && chosen !== undefined) return withDiscriminator(make(chosen, inner), flat, chosen)
    if (type === 'object') {
      const own = isObject(given) ? copy(given) : {}
      const isWhole = isObject(given)
      const merged = chosen === undefined ? undefined : make(chosen, inner)
      const made: [string, unknown][] = []
      // A loop, because a sample can be too large long before the last property.
      for (const [name, property] of inner.length > maxLevels ? [] : flat.properties) {
        if ((isWhole && !flat.required.has(name)) || hasOwn(own, name)) continue
        const value = make(property, inner)
        count(name)
        if (value !== undefined) made.push([hideSecrets(name), value])
      }
      const all = objectOf([...made, ...entriesOf(merged), ...entriesOf(own)])
      return chosen === undefined ? all : withDiscriminator(all, flat, chosen)
    }
    if (type === 'array') {
      const item = flat.items === undefined || inner.length > maxLevels ? undefined : make(flat.items, inner)
      return item === undefined ? [] : [item]
    }
    return scalarOf(type, flat)
  }

  return {
    /** Returns the example of a media type, or a sample of its schema; `tooLarge` if neither has a bounded size. */
    ofMedia(media: unknown): unknown {
      // Beginning a sample of a schema with many fields takes time too.
      if (left < 0 || textLeft < 0) return tooLarge
      const examples = field(media, 'examples')
      const resolved = resolve(isObject(examples) ? firstValue(examples) : undefined)
      const listed = 'value' in resolved ? field(resolved.value, 'value') : undefined
      for (const example of [field(media, 'example'), listed]) {
        if (example === undefined) continue
        begin()
        const copied = bounded(() => copy(example))
        if (copied !== undefined) return copied
      }
      begin()
      const made = bounded(() => make(field(media, 'schema'), []) ?? null)
      return made === undefined ? tooLarge : made
    },
  }
}

/** Many media types can share their examples. */
const firstValue = oncePerObject(values => Object.values(values)[0])

/** Stands for a sample that would be too large. */
export const tooLarge = Symbol('too large')

class TooLarge extends Error {}

function bounded(make: () => unknown): unknown {
  try {
    return make()
  } catch (error) {
    if (error instanceof TooLarge) return undefined
    throw error
  }
}

/** Returns what a schema says about its value. */
function givenValue({ keywords, values }: FlatSchema): unknown {
  const examples = keywords.get('examples')
  const all = [
    values.length === 1 ? values[0] : undefined,
    keywords.get('example'),
    Array.isArray(examples) ? examples[0] : undefined,
    keywords.get('default'),
    values.find(value => value !== null),
  ]
  const given = all.find(value => value !== undefined)
  return Array.isArray(given) ? given.slice(0, maxArray) : given
}

/** Returns the type of a sample; null if the schema has none of its own. */
function typeOf({ types, properties, hasItems, isFreeForm }: FlatSchema): string | null {
  if (types.has('object') || properties.size > 0) return 'object'
  if (types.has('array') || (types.size === 0 && hasItems)) return 'array'
  return [...types][0] ?? (isFreeForm ? 'object' : null)
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T09:30:00Z',
  date: '2026-01-31',
  time: '09:30:00Z',
  duration: 'P1DT2H',
  email: 'ada@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  uri: 'https://example.com',
  url: 'https://example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

function scalarOf(type: string | null, { keywords }: FlatSchema): unknown {
  const format = keywords.get('format')
  const minimum = keywords.get('minimum')
  switch (type) {
    case 'string':
      return typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : 'string'
    case 'integer':
    case 'number':
      return typeof minimum === 'number' && Number.isSafeInteger(minimum) && minimum > 1 ? minimum : 1
    case 'boolean':
      return true
    default:
      return null
  }
}

/** Sets the property that tells the alternatives apart to the value of the chosen one. */
function withDiscriminator(sample: unknown, { keywords }: FlatSchema, chosen: unknown): unknown {
  const discriminator = keywords.get('discriminator')
  const property = field(discriminator, 'propertyName')
  const reference = field(chosen, '$ref')
  if (typeof property !== 'string' || typeof reference !== 'string' || !isObject(sample)) return sample
  const named = reference.split('/').at(-1) ?? ''
  const mapped = entriesOf(field(discriminator, 'mapping')).find(
    ([, target]) => target === reference || target === named,
  )
  return objectOf([...Object.entries(sample), [property, mapped?.[0] ?? named]])
}

const hasOwn = (value: unknown, name: string) => isObject(value) && Object.hasOwn(value, name)

/** Unlike Object.fromEntries, keeps the place of a key that is repeated. */
function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(new Map(entries))
}
