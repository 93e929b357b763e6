import { isObject } from '../json/exact-json.ts'
import { keywordNamed } from './keywords.ts'

type Path = readonly (string | number)[]

/** A schema within another one. */
export type Subschema = { readonly value: unknown; readonly path: Path; readonly isInPlace: boolean }

/** Returns the schemas directly below a schema. A value that cannot be one is among them too. */
export function subschemasOf(schema: Readonly<Record<string, unknown>>): Subschema[] {
  return Object.entries(schema).flatMap(([name, value]): Subschema[] => {
    const keyword = keywordNamed(name)
    const isInPlace = keyword !== undefined && 'inPlace' in keyword
    const below = (steps: Path, one: unknown) => ({ value: one, path: [name, ...steps], isInPlace })
    switch (keyword?.takes) {
      case 'schema':
        return [below([], value)]
      case 'schemas':
        return Array.isArray(value) ? value.map((one: unknown, index) => below([index], one)) : []
      case 'schemasByName':
        return isObject(value) ? Object.entries(value).map(([key, one]) => below([key], one)) : []
      default:
        return []
    }
  })
}

/**
 * Returns a copy of a schema in which `change` has replaced each schema, the inner ones first. The schema must be nested
 * at most 64 levels deep.
 */
export function mapSchemas(
  schema: Readonly<Record<string, unknown>>,
  change: (schema: Record<string, unknown>) => Record<string, unknown>,
): Record<string, unknown> {
  const inner = (value: unknown): unknown => (isObject(value) ? mapSchemas(value, change) : value)
  const copied = Object.entries(schema).map(([name, value]): [string, unknown] => {
    switch (keywordNamed(name)?.takes) {
      case 'schema':
        return [name, inner(value)]
      case 'schemas':
        return [name, Array.isArray(value) ? value.map(inner) : value]
      case 'schemasByName':
        return [name, isObject(value) ? mapValues(value, inner) : value]
      default:
        return [name, value]
    }
  })
  return change(Object.fromEntries(copied))
}

function mapValues(value: Record<string, unknown>, change: (value: unknown) => unknown) {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one)]))
}
