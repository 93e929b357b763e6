import type { Action } from '#shared/model/action.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import type { EnvironmentVariable } from '#shared/model/environment-variable.ts'
import { filterRows } from '../../ui/list-search.ts'

export const shows = ['all', 'enabled', 'attention'] as const
export type Show = (typeof shows)[number]

export type ActionRow = Action & {
  /** Why it needs attention, as sentences. */
  readonly attention: readonly string[]
}

export function isShown({ isEnabled, attention }: ActionRow, show: Show): boolean {
  if (show === 'all') return true
  return show === 'enabled' ? isEnabled : attention.length > 0
}

/** Returns the actions whose name, tool name, path or method contains each word of the filter. */
export function selectActions(rows: readonly ActionRow[], filter: string, show: Show): readonly ActionRow[] {
  const shown = rows.filter(row => isShown(row, show))
  return filterRows(shown, filter, row => `${row.name}\n${row.toolName}\n${row.path}\n${row.method}`)
}

/** Returns the names of the variables that are not set. */
export function unsetNames(variables: readonly EnvironmentVariable[]): ReadonlySet<string> {
  return new Set(variables.filter(({ sources }) => sources.length === 0).map(({ name }) => name))
}

/** Returns what keeps an action from working, as sentences. An unusual name does not: the editor shows a hint for it. */
export function attentionOf(action: Pick<Action, 'headers'>, unset: ReadonlySet<string>): string[] {
  const missing = new Set(Object.values(action.headers ?? {}).flatMap(variablesIn))
  return [...missing].filter(name => unset.has(name)).map(name => `The variable ${name} is not set.`)
}
