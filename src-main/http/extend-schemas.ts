import { isDeepStrictEqual } from 'node:util'
import type { OpenAPI } from '@orpc/contract'

type Schema = OpenAPI.SchemaObject
type Schemas = Record<string, Schema>

/**
 * Returns named schemas in which each object that has all properties of another one extends it: `allOf` of that one and
 * what is its own. Of several, it extends the one with the most properties.
 */
export function extendSchemas(schemas: Schemas): Schemas {
  const objects = Object.entries(schemas).filter(
    ([, { type, properties }]) => type === 'object' && properties,
  )
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const [base] = objects
        .filter(([other, part]) => other !== name && isPart(part, schema))
        .sort(([, a], [, b]) => sizeOf(b) - sizeOf(a))
      return [name, base === undefined ? schema : extended(schema, ...base)]
    }),
  )
}

const sizeOf = ({ properties = {} }: Schema) => Object.keys(properties).length

function isPart(part: Schema, { properties = {}, required = [] }: Schema): boolean {
  const own = part.properties ?? {}
  const names = Object.keys(own)
  return (
    names.length > 2 &&
    names.length < Object.keys(properties).length &&
    names.every(
      name =>
        isDeepStrictEqual(properties[name], own[name]) &&
        required.includes(name) === (part.required ?? []).includes(name),
    )
  )
}

function extended(schema: Schema, name: string, base: Schema): Schema {
  const isOwn = (property: string) => !Object.hasOwn(base.properties ?? {}, property)
  const { properties = {}, required = [], ...rest } = schema
  return {
    ...rest,
    allOf: [{ $ref: `#/components/schemas/${name}` }],
    properties: Object.fromEntries(Object.entries(properties).filter(([property]) => isOwn(property))),
    required: required.filter(isOwn),
  }
}
