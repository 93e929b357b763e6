import { indexOfText } from '#shared/index-of-text.ts'
import { isExactNumber, isObject, numberText, tryParseExact } from '#shared/json/exact-json.ts'
import { compareNumbers, isNumberText } from '#shared/json/exact-number.ts'
import { headerValues, type ReceivedResponse } from '#shared/model/call.ts'
import {
  type CaseData,
  type CaseDifference,
  type CaseRule,
  type ExpectedStatus,
  FieldType,
} from '#shared/model/case.ts'
import { mappedValue, parseDotPath } from '#shared/model/response-mapping.ts'
import { parseTime } from '#shared/time.ts'
import { shownOf } from '#shared/workflows/conditions.ts'

type Answer = Pick<ReceivedResponse, 'status' | 'headers' | 'repeatedHeaders'>

/**
 * Compares an answer with what a case expects. Returns the differences, that of the status first, then in the order of
 * the rules. Pure; takes time linear in the answer and the rules.
 *
 * @param body JSON, or `{ result: text }` for any other body.
 */
export function judgeAnswer({ status, fields }: CaseData['expect'], answer: Answer, body: unknown) {
  const differences: CaseDifference[] = []
  if (!hasStatus(status, answer.status))
    differences.push({ path: '$status', rule: 'equals', expected: status, actual: answer.status })
  const whole = { status: answer.status, headers: headerValues(answer), body }
  for (const { path, rule, valueText } of fields) {
    const actual = mappedValue(parseDotPath(path) ?? [], whole)
    const expected = valueText === undefined ? undefined : tryParseExact(valueText)
    if (rules[rule](actual, expected)) continue
    const shown = rule === 'count' ? (countOf(actual) ?? actual) : actual
    differences.push({
      ...{ path, rule },
      ...(expected !== undefined && { expected: shownOf(expected) }),
      ...(shown !== undefined && { actual: shownOf(shown) }),
    })
  }
  return differences
}

function hasStatus(expected: ExpectedStatus, actual: number): boolean {
  if (expected === null) return true
  return typeof expected === 'number' ? actual === expected : `${Math.floor(actual / 100)}xx` === expected
}

/** Returns whether a rule holds. A field that is null is there. */
const rules: Readonly<Record<CaseRule, (actual: unknown, expected: unknown) => boolean>> = {
  equals: isSame,
  exists: actual => actual !== undefined,
  absent: actual => actual === undefined,
  type: (actual, expected) => {
    const { data } = FieldType.safeParse(expected)
    return data !== undefined && types[data](actual)
  },
  matches: (actual, expected) => typeof expected === 'string' && matches(actual, expected),
  count: (actual, expected) => countOf(actual) === Number(numberText(expected)),
}

const types: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: value => typeof value === 'string',
  number: value => numberText(value) !== null,
  boolean: value => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  null: value => value === null,
  date: value => typeof value === 'string' && isDate(value),
}

/** A date without a time of day; `parseTime` refuses it, because its instant depends on the time zone. */
const dateOnly = /^\d{4}-\d\d-\d\d$/

function isDate(text: string): boolean {
  if (isNumberText(text.slice(0, 64))) return false
  return parseTime(dateOnly.test(text) ? `${text}T00:00:00Z` : text).problem === null
}

/** Returns the number of items of a list, or of fields of an object; null for anything else. */
function countOf(value: unknown): number | null {
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : null
}

/**
 * Returns whether two JSON values are the same: numbers by their exact value, objects whatever the order of their keys.
 * It is never deeper than the expected value, whose depth was checked.
 */
function isSame(actual: unknown, expected: unknown): boolean {
  const [one, other] = [numberText(actual), numberText(expected)]
  if (one !== null && other !== null) return compareNumbers(one, other) === 0
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.length === expected.length && actual.every((item, index) => isSame(item, expected[index]))
  if (isObject(actual) && isObject(expected)) {
    const names = Object.keys(expected)
    return (
      names.length === Object.keys(actual).length &&
      names.every(name => Object.hasOwn(actual, name) && isSame(actual[name], expected[name]))
    )
  }
  return !isExactNumber(actual) && actual === expected
}

/** Returns whether a text, or the text of a number, matches a pattern in which `*` stands for any characters. */
function matches(value: unknown, pattern: string): boolean {
  const text = typeof value === 'string' ? value : numberText(value)
  if (text === null) return false
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return text === pattern
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false
  let at = first.length
  for (const part of others) {
    const found = indexOfText(text, part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= text.length - last.length
}
