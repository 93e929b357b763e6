import { inputSchemaOf } from '#main/assistant/input-schema.ts'
import type { ActionRecord } from '#main/storage/config.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { stemsIn } from './words.ts'

/** The stems of what an assistant sees of a tool. */
export type ToolWords = {
  /** The more a stem says about the tool, the larger its weight. */
  readonly weights: ReadonlyMap<string, number>
  /** The different stems of the title. */
  readonly title: readonly string[]
}

/**
 * The weight of one occurrence. The first paragraph of a description says what the tool does; what follows is often the
 * same for all tools of an API.
 */
const weightOf = {
  name: 3,
  title: 4,
  opening: 1.5,
  details: 0.3,
  parameterName: 0.6,
  parameterDescription: 0.3,
} as const
const maxOpening = 400
/** Characters of the descriptions of all parameters. */
const maxParameterText = 8000

/** Returns the stems of a tool. It takes at most a few milliseconds. */
export function wordsOfTool({ toolName, name, description, parameters }: ActionRecord): ToolWords {
  const weights = new Map<string, number>()
  function add(text: string, weight: number): void {
    for (const word of stemsIn(text)) weights.set(word, (weights.get(word) ?? 0) + weight)
  }
  const paragraph = description.search(/\n\s*\n/)
  const opening = description.slice(
    0,
    Math.min(paragraph === -1 ? description.length : paragraph, maxOpening),
  )
  const { properties } = inputSchemaOf(parameters)
  const inputs = isObject(properties) ? Object.entries(properties) : []
  const descriptions = inputs.map(([, schema]) =>
    isObject(schema) && typeof schema.description === 'string' ? schema.description : '',
  )
  add(toolName, weightOf.name)
  add(name, weightOf.title)
  add(opening, weightOf.opening)
  add(description.slice(opening.length), weightOf.details)
  add(inputs.map(([input]) => input).join(' '), weightOf.parameterName)
  add(descriptions.join('\n').slice(0, maxParameterText), weightOf.parameterDescription)
  return { weights, title: [...new Set(stemsIn(name))] }
}
