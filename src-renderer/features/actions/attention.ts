import type { Action } from '#shared/model/action.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import type { EnvironmentVariable } from '#shared/model/environment.ts'

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
