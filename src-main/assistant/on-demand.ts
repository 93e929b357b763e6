import { z } from 'zod'
import { isObject } from '#shared/json/exact-json.ts'
import type { CallArguments } from '#shared/model/call.ts'
import { readArguments } from './read-arguments.ts'
import { type FoundTool, maxQuery } from './search/tool-search.ts'

/** The most tools that one search returns, and how many it returns if it is not told. */
const mostFound = 20
const defaultFound = 5
/** Characters of a description that a search returns. */
const maxDescription = 300
/** Characters of arguments that are written as a text. */
const maxArgumentsText = 64 * 1024

const name = { type: 'string', description: 'The name of a tool, as find_tools returns it.' } as const

/** The three tools that take the place of all others for a client that finds tools on demand. */
export const onDemandTools = {
  find: {
    name: 'find_tools',
    title: 'Find tools',
    description:
      'Finds tools by what they do, and returns the best ones first, each with its name, title, the beginning of its description and a score from 0 to 1. Describe the operation in a few English words, such as "close an issue". Other words may find other tools.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do.', maxLength: maxQuery },
        limit: {
          type: 'integer',
          description: `The most tools to return; ${defaultFound} by default.`,
          minimum: 1,
          maximum: mostFound,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
  },
  describe: {
    name: 'describe_tool',
    title: 'Describe a tool',
    description:
      'Returns the complete definition of a tool: its description and the JSON Schema of its arguments. Read it before you call the tool.',
    inputSchema: { type: 'object', properties: { name }, required: ['name'], additionalProperties: false },
  },
  call: {
    name: 'call_tool',
    title: 'Call a tool',
    description:
      'Calls a tool in an external system, and returns the result. The arguments must fit the JSON Schema that describe_tool returns.',
    inputSchema: {
      type: 'object',
      properties: { name, arguments: { type: 'object', description: 'The arguments of the tool.' } },
      required: ['name', 'arguments'],
      additionalProperties: false,
    },
  },
} as const

/** Returns whether a client calls one of the three tools. */
export function isOnDemandTool(called: string): boolean {
  return Object.values(onDemandTools).some(tool => tool.name === called)
}

const FindArguments = z.object({
  query: z.string(),
  limit: z.int().min(1).max(mostFound).default(defaultFound),
})
const DescribeArguments = z.object({ name: z.string() })
// A record of zod would copy it, and drop keys such as `__proto__`.
const Arguments = z.custom<CallArguments>(isObject, 'must be a JSON object')
const CallToolArguments = z.object({
  name: z.string(),
  arguments: z.preprocess(objectIn, Arguments).default({}),
})

/** Returns the object in a text, because some models write the arguments as one; any other value as it is. */
function objectIn(given: unknown): unknown {
  return typeof given === 'string' && given.length <= maxArgumentsText ? readArguments(given) : given
}

/** A request with one of the three tools. */
export type OnDemandRequest =
  | { readonly kind: 'find'; readonly query: string; readonly limit: number }
  | { readonly kind: 'describe'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: CallArguments }
  /** The arguments are wrong. `problem` is for the model. */
  | { readonly kind: 'invalid'; readonly problem: string }

/** Reads a call of one of the three tools; null for any other name. */
export function readOnDemand(called: string, given: CallArguments): OnDemandRequest | null {
  switch (called) {
    case onDemandTools.find.name:
      return parsed(FindArguments, given, one => ({ kind: 'find', ...one }))
    case onDemandTools.describe.name:
      return parsed(DescribeArguments, given, one => ({ kind: 'describe', ...one }))
    case onDemandTools.call.name:
      return parsed(CallToolArguments, given, one => ({ kind: 'call', ...one }))
    default:
      return null
  }
}

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  given: CallArguments,
  toRequest: (value: z.output<Schema>) => OnDemandRequest,
): OnDemandRequest {
  const { success, data, error } = schema.safeParse(given)
  if (success) return toRequest(data)
  const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { kind: 'invalid', problem: `The arguments are wrong. ${problems.join(' ')}` }
}

/** Returns what `find_tools` answers. @param name of a tool as the client calls it. */
export function foundTools(
  found: readonly FoundTool[],
  nameOf: (tool: FoundTool) => string | undefined,
): string {
  const list = found.flatMap(tool => {
    const name = nameOf(tool)
    return name === undefined ? [] : [shownTool(tool, name)]
  })
  return JSON.stringify(list)
}

/** Returns a found tool as it is shown, under the name that a client calls it by. */
export function shownTool({ action, score }: FoundTool, name: string) {
  const { name: title, description } = action
  return { name, title, description: beginningOf(description), score: Math.round(score * 100) / 100 }
}

function beginningOf(description: string): string {
  if (description.length <= maxDescription) return description
  return `${description.slice(0, maxDescription).toWellFormed()}…`
}

/** Returns what a model is told of a tool that does not exist, or that it may not call. */
export function noSuchTool(name: string): string {
  const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name
  return `There is no tool named ${JSON.stringify(shown)}. Find tools with ${onDemandTools.find.name}.`
}
