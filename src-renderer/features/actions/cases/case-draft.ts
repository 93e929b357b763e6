import { parseJson } from '#shared/json/parse-json.ts'
import type { Case, CaseRule } from '#shared/model/case.ts'
import { inputOf, textOf } from './case-rows.ts'

/** A rule as the form has it. */
export type RuleRow = {
  readonly id: string
  /** Whether the case will have it. */
  readonly isOn: boolean
  readonly path: string
  readonly rule: CaseRule
  /** As it is typed: JSON for `equals`, a number for `count`, else a text. */
  readonly value: string
  /** Whether its path was typed here, and can still be. */
  readonly isAdded: boolean
  /** Whether its rule or value was chosen by the user. */
  readonly isChosen: boolean
}

/** A case as the form has it. */
export type CaseDraft = {
  readonly name: string
  readonly argumentsText: string
  readonly isStatusOn: boolean
  /** `200`, or a class such as `2xx`. */
  readonly status: string
  readonly rules: readonly RuleRow[]
}

let made = 0
const newId = () => `rule-${made++}`

export const ruleRow = (row: Pick<RuleRow, 'path' | 'rule' | 'value'> & Partial<RuleRow>): RuleRow => ({
  ...{ id: newId(), isOn: true, isAdded: false, isChosen: false },
  ...row,
})

/** Returns the draft of a case. */
export function draftOf(one: Case): CaseDraft {
  const { name, argumentsText, expect } = inputOf(one)
  return {
    ...{ name, argumentsText, isStatusOn: expect.status !== null, status: String(expect.status ?? '2xx') },
    rules: one.expect.fields.map(({ path, rule, ...value }) =>
      ruleRow({ path, rule, value: typedValue(rule, textOf(value) ?? ''), isAdded: true, isChosen: true }),
    ),
  }
}

/** Returns the value of a rule as it is typed. */
export function typedValue(rule: CaseRule, valueText: string): string {
  if (rule !== 'type' && rule !== 'matches') return valueText
  return String(parseJson(valueText) ?? '')
}

/** Returns the value of a rule as JSON text; undefined for none. */
function valueTextOf({ rule, value }: RuleRow): string | undefined {
  if (rule === 'exists' || rule === 'absent') return undefined
  if (rule === 'type' || rule === 'matches') return JSON.stringify(value)
  return value.trim() === '' ? undefined : value
}

/** Returns a draft as the service takes it. */
export function inputOfDraft({ name, argumentsText, isStatusOn, status, rules }: CaseDraft) {
  const fields = rulesSent(rules).map(row => {
    const valueText = valueTextOf(row)
    return { path: row.path, rule: row.rule, ...(valueText !== undefined && { valueText }) }
  })
  return { name, argumentsText, expect: { status: isStatusOn ? statusOf(status) : null, fields } }
}

/** Returns the rules that the case will have. The service names those in its problems by their places. */
export const rulesSent = (rules: readonly RuleRow[]): readonly RuleRow[] => rules.filter(({ isOn }) => isOn)

const classes = ['2xx', '3xx', '4xx', '5xx'] as const

/** Returns a status; one that the service refuses for a text that is none. */
function statusOf(text: string): number | (typeof classes)[number] {
  const typed = text.trim().toLowerCase()
  return classes.find(one => one === typed) ?? (/^\d{1,9}$/.test(typed) ? Number(typed) : 0)
}

/** Returns a name that no other case of the action has: “Refund in part 2”. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let number = 2; ; number++) {
    const next = `${name} ${number}`
    if (!taken.has(next)) return next
  }
}
