import type { ToolWarning } from './assistant.ts'
import type { Tool } from './tool.ts'

/** Words by which a description says when to use a tool. */
const whenWords =
  /\b(when|whenever|if|before|after|once|use (this|it)|call (this|it)|to (find|get|look|create|check))\b/i

/** A shorter description cannot say what a tool does and when to use it. */
const minDescription = 20
/** A parameter's description must say more than its name does. */
const minParameterText = 3

/**
 * Returns what may make a model misunderstand each tool, by the tool's name: a description that does not say when to use
 * it, a parameter described by no more than its name, a description that another tool has too.
 */
export function toolWarnings(
  tools: readonly Pick<Tool, 'name' | 'description' | 'inputSchema'>[],
): ReadonlyMap<string, readonly ToolWarning[]> {
  const counts = new Map<string, number>()
  for (const { description } of tools)
    counts.set(normalized(description), (counts.get(normalized(description)) ?? 0) + 1)
  return new Map(
    tools.map(({ name, description, inputSchema }) => {
      const warnings: ToolWarning[] = []
      if (description.length < minDescription || !whenWords.test(description)) warnings.push('no_when')
      if (hasThinParameter(inputSchema)) warnings.push('thin_parameter')
      if ((counts.get(normalized(description)) ?? 0) > 1) warnings.push('similar_tool')
      return [name, warnings]
    }),
  )
}

function hasThinParameter({ properties }: Tool['inputSchema']): boolean {
  return Object.entries(Object(properties)).some(([name, property]) => {
    const description: unknown = Object(property).description
    return typeof description !== 'string' || isThin(name, description)
  })
}

function isThin(name: string, description: string): boolean {
  const text = normalized(description)
  return text.length < minParameterText || text === normalized(name)
}

/** Returns the letters and digits of a text in lower case. */
function normalized(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
