import type { Action } from '#shared/model/action.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import type { EnvironmentVariable } from '#shared/model/environment.ts'

export const shows = ['all', 'enabled', 'attention'] as const
export type Show = (typeof shows)[number]

export type ActionRow = Action & {
  /** Why it needs a look, as sentences. */
  readonly attention: readonly string[]
}

type ActionCounts = Readonly<Record<Show, number>>

export function countActions(rows: readonly ActionRow[]): ActionCounts {
  return {
    all: rows.length,
    enabled: rows.filter(row => isShown(row, 'enabled')).length,
    attention: rows.filter(row => isShown(row, 'attention')).length,
  }
}

function isShown({ isEnabled, attention }: ActionRow, show: Show): boolean {
  if (show === 'all') return true
  return show === 'enabled' ? isEnabled : attention.length > 0
}

/** The actions whose name, tool name, path or method has each of the words, in their order. */
export function selectActions(rows: readonly ActionRow[], filter: string, show: Show): readonly ActionRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0 && show === 'all') return rows
  return rows.filter(row => {
    if (!isShown(row, show)) return false
    const text = `${row.name}\n${row.toolName}\n${row.path}\n${row.method}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
}

/** The row so many places away, the first or last at the ends; the first where none is chosen. */
export function stepFrom(rows: readonly ActionRow[], actionId: string | null, by: number): ActionRow | null {
  const at = rows.findIndex(row => row.actionId === actionId)
  if (at === -1) return rows[0] ?? null
  return rows[Math.max(0, Math.min(rows.length - 1, at + by))] ?? null
}

/** Names of variables that are set nowhere, of those that the service knows of. */
export function unsetNames(variables: readonly EnvironmentVariable[]): ReadonlySet<string> {
  return new Set(variables.filter(({ sources }) => sources.length === 0).map(({ name }) => name))
}

/**
 * Returns what keeps an action from working, as sentences; none for most. A name that is not snake_case works: the
 * editor gives a hint beside it.
 */
export function attentionOf(action: Pick<Action, 'headers'>, unset: ReadonlySet<string>): string[] {
  const missing = new Set(Object.values(action.headers ?? {}).flatMap(variablesIn))
  return [...missing].filter(name => unset.has(name)).map(name => `The variable ${name} is not set.`)
}
