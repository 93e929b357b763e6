import { readArguments } from '#main/assistant/read-arguments.ts'
import { type CatalogueEntry, digestOf, toolsOfActions } from '#main/assistant/tools.ts'
import { argumentIssues, type TakenArguments, takenArguments } from '#main/outbound/arguments.ts'
import type { Config } from '#main/storage/config.ts'
import type { AskedCall } from './model-stream.ts'

/** The decision about a call that the model asks for. */
export type Authorization =
  | { readonly kind: 'unknown_tool' }
  /** The model was cut off while it wrote the arguments. */
  | { readonly kind: 'cut'; readonly target: CatalogueEntry }
  /** The arguments are not a JSON object. */
  | { readonly kind: 'unreadable'; readonly target: CatalogueEntry }
  /** It is made at once. Wrong arguments are refused by the call itself, before a request. */
  | ({ readonly kind: 'run'; readonly target: CatalogueEntry } & TakenArguments)
  | ({ readonly kind: 'ask'; readonly target: CatalogueEntry } & TakenArguments)

/**
 * Decides on a call: a GET runs, everything else asks, unless the person has said “always”, which never holds for a
 * DELETE. A call that cannot be made is not asked about.
 *
 * @param find returns the tool of the workspace with a name.
 */
export function authorizeCall(
  { name, argumentsText, isCut }: AskedCall,
  find: (name: string) => CatalogueEntry | undefined,
  always: Always,
): Authorization {
  const target = find(name)
  if (target === undefined) return { kind: 'unknown_tool' }
  if (isCut) return { kind: 'cut', target }
  const written = readArguments(argumentsText)
  if (written === null) return { kind: 'unreadable', target }
  const { parameters } = target.action
  const taken = takenArguments(parameters, written)
  const isAllowed = target.tool.annotations.readOnly || isAlwaysAllowed(always, target)
  const isRefused = argumentIssues(parameters, taken.given).length > 0
  return { kind: isAllowed || isRefused ? 'run' : 'ask', target, ...taken }
}

/**
 * The permissions of “always”: what the calls of an action sent when a person gave it, as a digest by actionId. It ends
 * with any change of that.
 */
export type Always = Readonly<Record<string, string>>

/** Returns whether “always” holds for a tool; never for a DELETE. */
export function isAlwaysAllowed(always: Always, target: CatalogueEntry): boolean {
  const { actionId, annotations } = target.tool
  return !annotations.destructive && Object.hasOwn(always, actionId) && always[actionId] === digestOf(target)
}

/** Returns the ids of the actions for which “always” holds now. */
export function alwaysAllowed(always: Always, config: Config): string[] {
  const actionIds = Object.keys(always)
  if (actionIds.length === 0) return []
  return toolsOfActions(config, new Set(actionIds))
    .filter(target => isAlwaysAllowed(always, target))
    .map(({ tool }) => tool.actionId)
}
