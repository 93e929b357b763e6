import { type JunitOutcome, junitXml } from '../junit.ts'
import type { CaseResult } from '../model/case.ts'
import { differenceText, failureText } from './words.ts'

/** A case of a run, with its result; null for one that was not reached. */
export type CaseRow = {
  readonly toolName: string
  readonly name: string
  readonly result: CaseResult | null
}

/**
 * Returns the cases of a run as JUnit XML, a suite for each action. A difference is a failure, and a call without an
 * answer is an error.
 *
 * @param at when the run began, as ISO 8601.
 */
export function casesJunit(connectionName: string, at: string, rows: readonly CaseRow[]): string {
  const suites = [...Map.groupBy(rows, ({ toolName }) => toolName)].map(([toolName, own]) => ({
    name: toolName,
    at,
    cases: own.map(({ name, result }) => ({
      classname: `${connectionName}/${toolName}`,
      name,
      ms: result?.totalMs ?? 0,
      outcome: outcomeOf(result),
    })),
  }))
  return junitXml({ name: `Cases of ${connectionName}`, suites })
}

function outcomeOf(result: CaseResult | null): JunitOutcome | null {
  if (result === null) return { kind: 'skipped', message: 'The run ended before this case.' }
  const { reason, error, differences } = result
  if (reason === 'passed') return null
  const message = failureText(result)
  if (reason === 'not_called') return { kind: 'error', type: error?.code ?? reason, message }
  return { kind: 'failure', type: reason, message, body: differences.map(differenceText).join('\n') }
}
