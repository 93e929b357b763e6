const maxVariables = 500
const maxDepth = 8

/**
 * The `{{variables}}` that an event with this payload gives to a workflow, as dot-paths without braces:
 * each field that is no object, of nested ones too, and of a list itself and its first element
 * (specification: Workflow trigger payload; decisions: Workflows, variables). A field whose name has a dot
 * or a brace cannot be written as a path and is left out.
 */
export function variablesOf(samplePayload: Readonly<Record<string, unknown>> | null): string[] {
  const paths: string[] = []
  if (samplePayload !== null) collect(samplePayload, '', 0, paths)
  return paths
}

function collect(value: unknown, path: string, depth: number, paths: string[]): void {
  if (paths.length >= maxVariables) return
  const isContainer = typeof value === 'object' && value !== null
  if (path !== '' && (!isContainer || Array.isArray(value))) paths.push(path)
  if (!isContainer || depth >= maxDepth) return
  const fields: [string, unknown][] = Array.isArray(value)
    ? Object.entries(value.slice(0, 1))
    : Object.entries(value)
  for (const [name, field] of fields)
    if (!/[.{}\s]/.test(name) && name !== '')
      collect(field, path === '' ? name : `${path}.${name}`, depth + 1, paths)
}
