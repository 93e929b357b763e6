import { isObject } from '#shared/json/exact-json.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { parameterKinds } from '#shared/model/parameter-kinds.ts'
import { nodeOf } from './schema-node.ts'

/** Deeper parts of an example are left out. */
const maxDepth = 5

const texts: ReadonlyMap<string | null, string> = new Map([
  ['date', '2026-11-29'],
  ['date-time', '2026-11-29T08:00:00Z'],
  ['email', 'maya@example.com'],
  ['uuid', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
  ['uri', 'https://example.com'],
])

function exampleOf(schema: unknown, root: unknown, depth: number, name: string): unknown {
  if (isObject(schema)) {
    const [first]: readonly unknown[] = Array.isArray(schema.examples) ? schema.examples : []
    const given = schema.example ?? first ?? schema.default
    if (given !== undefined && given !== null) return given
  }
  if (depth > maxDepth) return null
  const node = nodeOf(schema, root)
  switch (node.kind) {
    case 'text':
      return texts.get(node.format) ?? name
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'choice':
      return node.values[0] ?? null
    case 'list':
      return [exampleOf(node.element, root, depth + 1, name)]
    case 'object': {
      const required = node.fields.filter(field => field.required)
      const shown = required.length > 0 ? required : node.fields.slice(0, 2)
      return Object.fromEntries(
        shown.map(field => [field.name, exampleOf(field.schema, root, depth + 1, field.name)]),
      )
    }
    case 'union':
      return exampleOf(node.shapes[0], root, depth + 1, name)
    case 'any':
      return node.label === 'object' ? {} : node.label === 'list' ? [] : name
  }
}

/** Returns an example of a parameter's value: from its schema, or by its type. */
export function exampleValue({ name, type, isList, schema, value }: Parameter): unknown {
  if (value !== undefined) return value
  const of = schema ?? { type: parameterKinds[type].schemaType }
  const one = exampleOf(of, of, 0, name)
  return isList === true ? [one] : one
}
