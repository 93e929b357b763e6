import type { OpenAPI } from '@orpc/contract'
import { isObject } from '#shared/json/exact-json.ts'

/**
 * Returns paths in which each schema that is one of the named ones is a reference to it. The generator writes some of
 * them out: an input whose schema has defaults, for example, although the output is the same.
 */
export function referToSchemas(
  paths: OpenAPI.PathsObject,
  schemas: Readonly<Record<string, object>>,
): OpenAPI.PathsObject {
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]))
  return JSON.parse(JSON.stringify(paths), (_key, value: unknown) => {
    if (!isObject(value) || !('properties' in value || 'anyOf' in value || 'items' in value)) return value
    const name = names.get(JSON.stringify(value))
    return name === undefined ? value : { $ref: `#/components/schemas/${name}` }
  })
}
