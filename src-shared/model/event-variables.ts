import { isObject } from '../json/exact-json.ts'

const maxVariables = 500
const maxDepth = 8

/**
 * Returns the `{{variables}}` that an event with this payload provides to a workflow, as dot-paths without braces: all
 * fields that are not objects, including nested ones, and each array with its first element. A field whose name contains
 * a dot or a brace is omitted, because it cannot be part of a path.
 */
export function variablesOf(samplePayload: Readonly<Record<string, unknown>> | null): string[] {
  const paths: string[] = []
  if (samplePayload !== null) collect(samplePayload, '', 0, paths)
  return paths
}

function collect(value: unknown, path: string, depth: number, paths: string[]): void {
  if (paths.length >= maxVariables) return
  const isContainer = isObject(value) || Array.isArray(value)
  if (path !== '' && (!isContainer || Array.isArray(value))) paths.push(path)
  if (!isContainer || depth >= maxDepth) return
  const fields: [string, unknown][] = Array.isArray(value)
    ? Object.entries(value.slice(0, 1))
    : Object.entries(value)
  for (const [name, field] of fields)
    if (!/[.{}\s]/.test(name) && name !== '')
      collect(field, path === '' ? name : `${path}.${name}`, depth + 1, paths)
}
