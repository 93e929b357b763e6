import type { CatalogueEntry } from '#main/assistant/tools.ts'
import { isNestedDeeper } from '#main/json/json-depth.ts'
import { argumentIssues } from '#main/outbound/arguments.ts'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import type { CallArguments } from '#shared/model/call.ts'

const maxDepth = 100

/** The decision about a call that the model asks for. */
export type Judgement =
  | { readonly kind: 'unknown_tool' }
  /** The arguments are not a JSON object. */
  | { readonly kind: 'unreadable'; readonly target: CatalogueEntry }
  /** It is made at once. Wrong arguments are refused by the call itself, before a request. */
  | { readonly kind: 'run'; readonly target: CatalogueEntry; readonly given: CallArguments }
  | { readonly kind: 'ask'; readonly target: CatalogueEntry; readonly given: CallArguments }

/**
 * Decides on a call: a GET runs, everything else asks, unless the person has said “always”, which never holds for a
 * DELETE. A call that cannot be made is not asked about.
 *
 * @param catalogue the tools of the workspace. @param always ids of actions.
 */
export function judgeCall(
  { name, argumentsText }: { readonly name: string; readonly argumentsText: string },
  catalogue: readonly CatalogueEntry[],
  always: readonly string[],
): Judgement {
  const target = catalogue.find(({ tool }) => tool.name === name)
  if (target === undefined) return { kind: 'unknown_tool' }
  const given = readArguments(argumentsText)
  if (given === null) return { kind: 'unreadable', target }
  const { actionId, annotations } = target.tool
  const isAllowed = annotations.readOnly || (!annotations.destructive && always.includes(actionId))
  const isRefused = argumentIssues(target.action.parameters, given).length > 0
  return { kind: isAllowed || isRefused ? 'run' : 'ask', target, given }
}

/** Returns the arguments that a model wrote; null if they are not a JSON object. */
export function readArguments(text: string): CallArguments | null {
  if (text.trim() === '') return {}
  if (isNestedDeeper(text, maxDepth)) return null
  const value = tryParseExact(text)
  return isObject(value) ? value : null
}
