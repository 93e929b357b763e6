import { isObject } from '../json/exact-json.ts'
import { pathInside, pathText } from './variable-path.ts'

const maxVariables = 500
const maxDepth = 8

/**
 * Returns the `{{variables}}` that an event with this payload provides to a workflow, as paths without braces: all
 * fields that are not objects, including nested ones, and each array with its first element. A key that cannot be a name
 * is in brackets: `fields["odd key"]`.
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
  for (const [name, field] of fields) collect(field, pathInside(path, pathText([name])), depth + 1, paths)
}
