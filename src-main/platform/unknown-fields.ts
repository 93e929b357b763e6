import type { UnknownField } from '#main/storage/config.ts'
import { isObject } from '#shared/json/exact-json.ts'
import type { SomeShapes } from '#shared/model/platform/agent.ts'

type Path = UnknownField['path']

/** Returns the fields of a JSON value that a schema has dropped from it. */
export function droppedFields(raw: unknown, parsed: unknown, path: Path = []): UnknownField[] {
  if (Array.isArray(raw) && Array.isArray(parsed))
    return raw.flatMap((item, index) => droppedFields(item, parsed[index], [...path, index]))
  if (!isObject(raw) || !isObject(parsed)) return []
  return Object.entries(raw).flatMap(([key, value]) =>
    Object.hasOwn(parsed, key)
      ? droppedFields(value, Reflect.get(parsed, key), [...path, key])
      : [{ path: [...path, key], value }],
  )
}

/** Returns a JSON value with fields put back at their paths. A field whose object is gone is left out. */
export function withFields(value: unknown, fields: readonly UnknownField[]): unknown {
  if (fields.length === 0) return value
  const byStep = Map.groupBy(fields, ({ path }) => path[0])
  const inside = (step: string | number, child: unknown) =>
    withFields(
      child,
      (byStep.get(step) ?? []).map(field => ({ ...field, path: field.path.slice(1) })),
    )
  if (Array.isArray(value)) return value.map((item, index) => inside(index, item))
  if (!isObject(value)) return value
  const known = Object.entries(value).map(([key, child]) => [key, inside(key, child)] as const)
  const added = fields.flatMap(({ path: [key, ...more], value: field }) =>
    more.length === 0 && key !== undefined && !Object.hasOwn(value, key)
      ? [[String(key), field] as const]
      : [],
  )
  return Object.fromEntries([...known, ...added])
}

/** Returns unknown fields after a change of shapes: those of a list's entry follow it, and go when it goes. */
export function followEntries(
  unknown: readonly UnknownField[],
  before: SomeShapes,
  after: SomeShapes,
): UnknownField[] {
  const lists = {
    'conversation-actions': movesOf(
      before['conversation-actions']?.map(({ trigger }) => trigger),
      after['conversation-actions']?.map(({ trigger }) => trigger),
    ),
    'text-responses': movesOf(
      before['text-responses']?.map(({ key }) => key),
      after['text-responses']?.map(({ key }) => key),
    ),
  }
  return unknown.flatMap(field => {
    const [shape, index, ...rest] = field.path
    if ((shape !== 'conversation-actions' && shape !== 'text-responses') || typeof index !== 'number')
      return [field]
    const place = lists[shape](index)
    return place === undefined ? [] : [{ ...field, path: [shape, place, ...rest] }]
  })
}

/** Returns a function that gives the new index of an entry; undefined if the entry is gone. */
function movesOf(before: readonly string[] = [], after: readonly string[] = []) {
  const places = new Map(after.map((identity, index) => [identity, index]))
  return (index: number): number | undefined => places.get(before[index] ?? '')
}
