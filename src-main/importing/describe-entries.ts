import { variablesIn } from '#shared/model/action-headers.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import type { ImportDetails, SkippedBecause } from '#shared/model/import-preview.ts'
import type { JsonPath } from './json-path.ts'
import type { Plan } from './plan.ts'
import type { SortedEntry } from './sort-entries.ts'

/** @param lines of the entries' paths. */
export function describeEntries(
  { actions, eventTypes }: Plan['entries'],
  lines: ReadonlyMap<JsonPath, number>,
): Pick<ImportDetails, 'actions' | 'eventTypes'> {
  const lineOf = (path: JsonPath) => lines.get(path) ?? 1
  const placeOf = ({ path, skippedBecause }: SortedEntry<unknown>) => ({
    line: lineOf(path),
    skippedBecause: reasonOf(skippedBecause, lineOf),
  })
  return {
    actions: actions.map(entry => {
      const { toolName, method, path, isEnabled, headers } = entry.fields
      const environmentVariables = [...new Set(Object.values(headers ?? {}).flatMap(variablesIn))]
      return { toolName, method, path, isEnabled, environmentVariables, ...placeOf(entry) }
    }),
    eventTypes: eventTypes.map(entry => {
      const { eventName, samplePayload = null } = entry.fields
      return { eventName, variables: variablesOf(samplePayload).length, ...placeOf(entry) }
    }),
  }
}

function reasonOf(
  why: SortedEntry<unknown>['skippedBecause'],
  lineOf: (path: JsonPath) => number,
): SkippedBecause | null {
  if (why === null) return null
  return why === 'present' ? { kind: 'present' } : { kind: 'repeated', line: lineOf(why) }
}
