import { type JunitOutcome, junitXml } from '../../junit.ts'
import type { Check } from '../../model/receiver-check.ts'
import { adviceWords } from '../words.ts'
import { type Report, rowOf } from './report.ts'

/** Returns a report as JUnit XML, for a build. A check to look at counts as a failure. */
export function junitReport({ actionName, method, url, at, check, answers }: Report): string {
  const cases = check.checks.map(one => {
    const output = answers?.get(one.id)
    return {
      classname: `receiver_check.${one.id}`,
      name: rowOf(one).title,
      ms: one.tookMs ?? 0,
      outcome: outcomeOf(one),
      ...(output !== undefined && { output }),
    }
  })
  return junitXml({
    name: 'Receiver check',
    suites: [{ name: `${actionName}: ${method} ${url}`, at, cases }],
  })
}

function outcomeOf(check: Check): JunitOutcome | null {
  const { expected, got, verdict, why } = rowOf(check)
  if (verdict === 'passed') return null
  if (verdict === 'skipped') return { kind: 'skipped', message: why }
  const change = check.advice === null ? '' : adviceWords[check.advice.code].change
  const text = [`Expected ${expected}, got ${got}.`, why, change].filter(part => part !== '').join(' ')
  return { kind: 'failure', type: verdict, message: text }
}
