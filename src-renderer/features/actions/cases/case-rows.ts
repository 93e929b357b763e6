import type { Case, CaseDifference, CaseRule } from '#shared/model/case.ts'

/** A rule of a case with the verdict of its newest result. */
export type ExpectedRow = {
  readonly path: string
  readonly rule: CaseRule
  /** As JSON; undefined for a rule without a value. */
  readonly valueText: string | undefined
  /** `unknown`: it was not called, or the service keeps only an earlier difference. */
  readonly state: 'passed' | 'failed' | 'unknown'
  /** Set if it has failed. */
  readonly difference?: CaseDifference
}

type Rule = Pick<ExpectedRow, 'path' | 'rule' | 'valueText'>

/** Returns what a case expects, the status first. */
export function rulesOf({ expect: { status, fields } }: Pick<Case, 'expect'>): Rule[] {
  const ofStatus: Rule[] =
    status === null ? [] : [{ path: '$status', rule: 'equals', valueText: JSON.stringify(status) }]
  return [
    ...ofStatus,
    ...fields.map(({ path, rule, ...value }) => ({ path, rule, valueText: textOf(value) })),
  ]
}

/** Returns the value of a rule as JSON text. */
export function textOf(field: {
  readonly value?: unknown
  readonly valueText?: string | undefined
}): string | undefined {
  return field.valueText ?? JSON.stringify(field.value)
}

/** Whether the case, and not only its action, was changed after its newest result. */
export const isCaseNewer = ({ last, updatedAt }: Pick<Case, 'last' | 'updatedAt'>): boolean =>
  last?.isOld === true && updatedAt > last.at

/**
 * Returns what a case expects with what is known of each rule.
 *
 * @param known all differences of its newest result; null if only the first one was kept.
 */
export function expectedRows(one: Case, known: readonly CaseDifference[] | null): ExpectedRow[] {
  const { last } = one
  const rules = rulesOf(one)
  if (last === null || last.reason === 'not_called' || isCaseNewer(one))
    return rules.map(rule => ({ ...rule, state: 'unknown' }))
  const differences = known ?? (last.difference === null ? [] : [last.difference])
  let found = 0
  return rules.map(rule => {
    const difference = differences[found]
    if (difference !== undefined && isOf(difference, rule)) {
      found++
      return { ...rule, state: 'failed', difference }
    }
    // Differences are in the order of the rules, so those before the first one have passed.
    const isKnown = known !== null || last.ok || found === 0
    return { ...rule, state: isKnown ? 'passed' : 'unknown' }
  })
}

/** Whether a difference is of a rule. A long value is only the beginning of its text there. */
function isOf({ path, rule, expected }: CaseDifference, one: Rule): boolean {
  if (path !== one.path || rule !== one.rule) return false
  if (typeof expected === 'string' && expected.endsWith('…')) return true
  return one.valueText === undefined || sameValue(JSON.stringify(expected), one.valueText)
}

const sameValue = (one: string | undefined, other: string) =>
  one !== undefined && JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other))

/** Returns a case as the service takes it, with all digits of its values. */
export function inputOf({ name, argumentsText, arguments: args, expect }: Case) {
  return {
    name,
    argumentsText: argumentsText ?? JSON.stringify(args),
    expect: {
      status: expect.status,
      fields: expect.fields.map(({ path, rule, ...value }) => {
        const valueText = textOf(value)
        return { path, rule, ...(valueText !== undefined && { valueText }) }
      }),
    },
  }
}
