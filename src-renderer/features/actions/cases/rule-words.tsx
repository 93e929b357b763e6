import { parseJson } from '#shared/json/parse-json.ts'
import type { CaseRule } from '#shared/model/case.ts'
import { formatCount } from '../../../ui/format.ts'

/** The rules as the form and the table name them, before their values. */
export const ruleLabels: Readonly<Record<CaseRule, string>> = {
  equals: 'equals',
  exists: 'exists',
  absent: 'is absent',
  type: 'is a',
  matches: 'matches',
  count: 'has items',
}

/** Characters of a value that a cell shows. */
const longest = 200

/** A rule with its value: “is a date”. */
export function RuleText({
  rule,
  valueText,
}: {
  readonly rule: CaseRule
  readonly valueText?: string | undefined
}) {
  if (valueText === undefined) return ruleLabels[rule]
  const value = parseJson(valueText)
  if (rule === 'type')
    return (
      <>
        {/^[aeiou]/.test(String(value)) ? 'is an' : value === 'null' ? 'is' : 'is a'} <b>{String(value)}</b>
      </>
    )
  if (rule === 'count') return <>has {formatCount(Number(value), 'item')}</>
  // A class of statuses is a text.
  const shown = rule === 'equals' && /^"[1-5]xx"$/.test(valueText) ? String(value) : valueText
  return (
    <>
      {ruleLabels[rule]} <JsonValue text={shown} />
    </>
  )
}

/** A JSON value in its colour, cut. */
export function JsonValue({ text }: { readonly text: string }) {
  const kind = /^"/.test(text)
    ? 'string'
    : /^[-\d]/.test(text)
      ? 'number'
      : /^[tfn]/.test(text)
        ? 'literal'
        : 'object'
  return (
    <code data-kind={kind} title={text.length > 30 ? text.slice(0, 1000) : undefined}>
      {text.slice(0, longest)}
      {text.length > longest && '…'}
    </code>
  )
}
