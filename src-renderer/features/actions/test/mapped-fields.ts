import { isOfAnswer, type MappedAnswer, mappedValue, parseDotPath } from '#shared/model/response-mapping.ts'
import { indexOfSteps, type JsonNodes } from '../../../ui/json-nodes.ts'

/** An answer whose body is read as JSON. */
type ReadAnswer = Omit<MappedAnswer, 'body'> & { readonly nodes: JsonNodes }

type MappedField = {
  readonly alias: string
  readonly path: string
  /** The value as JSON, with all digits of its numbers. `null` if the path has no value. */
  readonly json: string
  readonly kind: JsonNodes['kinds'][number]
  /** Whether the path has a value. */
  readonly isThere: boolean
}

/** Applies a mapping to the text of a response. The service's own result has lost digits in this browser. */
export function mappedFields(
  { nodes, ...head }: ReadAnswer,
  mapping: readonly { readonly alias: string; readonly path: string }[],
): MappedField[] {
  return mapping.map(({ alias, path }): MappedField => {
    const steps = parseDotPath(path) ?? ['']
    const [root, ...rest] = steps
    const index = indexOfSteps(nodes, steps) ?? (root === '$body' ? indexOfSteps(nodes, rest) : null)
    if (index !== null)
      return { alias, path, json: jsonOf(nodes, index), kind: nodes.kinds[index] ?? 'literal', isThere: true }
    const value = mappedValue(steps, { ...head, body: null })
    return {
      alias,
      path,
      json: JSON.stringify(value ?? null),
      kind: kindOf(value),
      isThere: value !== undefined,
    }
  })
}

function kindOf(value: unknown): MappedField['kind'] {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string' || typeof value === 'number')
    return typeof value === 'string' ? 'string' : 'number'
  return typeof value === 'object' && value !== null ? 'object' : 'literal'
}

/** Returns whether a mapping names the status, a header or the whole body, so that it applies to an answer that is not JSON too. */
export function namesAnswer(mapping: readonly { readonly path: string }[]): boolean {
  return mapping.some(({ path }) => isOfAnswer(parseDotPath(path) ?? []))
}

/** Returns a value of a document as JSON without white space. */
export function jsonOf(nodes: JsonNodes, index: number): string {
  const end = nodes.ends[index] ?? index + 1
  const parts: string[] = []
  /** The end of each open container, and its closing sign. */
  const open: { readonly end: number; readonly sign: string }[] = []
  for (let at = index; at < end; at++) {
    if (at > index) {
      closeUntil(at)
      if (!/[[{]$/.test(parts.at(-1) ?? '')) parts.push(',')
      const name = nodes.names[at]
      if (typeof name === 'string') parts.push(`${JSON.stringify(name)}:`)
    }
    const kind = nodes.kinds[at]
    const value = nodes.values[at] ?? ''
    if (kind === 'object' || kind === 'array') {
      parts.push(kind === 'object' ? '{' : '[')
      open.push({ end: nodes.ends[at] ?? at + 1, sign: kind === 'object' ? '}' : ']' })
    } else parts.push(kind === 'string' ? JSON.stringify(value) : value)
  }
  closeUntil(end)
  return parts.join('')

  function closeUntil(at: number): void {
    for (let last = open.at(-1); last !== undefined && last.end <= at; last = open.at(-1)) {
      parts.push(last.sign)
      open.pop()
    }
  }
}

/** Returns the fields as the JSON object that the assistant gets. */
export function mappedText(fields: readonly MappedField[]): string {
  return `{${fields.map(({ alias, json }) => `${JSON.stringify(alias)}:${json}`).join(',')}}`
}

/** Estimates the tokens of a text: about four characters of JSON or English each. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}
