import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { timeProblem } from '#shared/time.ts'
import { type RuleRow, ruleRow } from './case-draft.ts'
import type { FieldOf } from './kept-answer.ts'

/** The longest value that is proposed to stay the same, as JSON. */
const maxSame = 200
/** Names of fields whose values are others with each call. */
const changing =
  /(?:^|[._\]])(?:id|uuid|guid|key|hash|etag|nonce|cursor|signature|session|at|on|time|timestamp|date|now)$|token$|secret$|password$/i
/** The same in camel case. */
const changingCamel = /[a-z\d](?:Id|At|Time|Date)$/
const dateOnly = /^\d{4}-\d\d-\d\d$/
const madeUp = /^(?:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|[\da-f]{24,})$/i

/**
 * Returns what to expect of a field, from its value: the same value, or for what changes with each call only that it is
 * there, or that it is a date.
 *
 * @param sent the values of the arguments as JSON, which an answer may repeat.
 */
export function proposeRule(
  path: string,
  valueText: string,
  sent: ReadonlySet<string>,
): Pick<RuleRow, 'rule' | 'value'> {
  const value = parseJson(valueText)
  if (Array.isArray(value)) return { rule: 'type', value: 'array' }
  if (isObject(value)) return { rule: 'type', value: 'object' }
  if (typeof value === 'string' && isDate(value)) return { rule: 'type', value: 'date' }
  const isMadeUp = typeof value === 'string' && madeUp.test(value)
  if (
    !sent.has(valueText) &&
    (changing.test(path) || changingCamel.test(path) || isMadeUp || valueText.length > maxSame)
  )
    return { rule: 'exists', value: '' }
  return { rule: 'equals', value: valueText }
}

/** Whether the rule `type` takes a text for a date. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d/.test(text)) return false
  return timeProblem(dateOnly.test(text) ? `${text}T00:00:00Z` : text) === null
}

/** Returns rules for the fields of an answer that it has, one for each path. */
export function proposeRules(
  paths: readonly string[],
  answer: FieldOf,
  sent: ReadonlySet<string>,
): RuleRow[] {
  return [...new Set(paths)].flatMap(path => {
    const valueText = answer(path)
    return valueText === null ? [] : [ruleRow({ path, ...proposeRule(path, valueText, sent) })]
  })
}

/** Returns the values of arguments as JSON. */
export function sentValues(argumentsText: string): ReadonlySet<string> {
  const given = tryParseExact(argumentsText)
  return new Set(isObject(given) ? Object.values(given).map(value => JSON.stringify(value)) : [])
}
