import type { TimeSlices } from '#main/lib/time-slices.ts'
import { indexOfText } from '#shared/index-of-text.ts'
import { isExactNumber, isObject, numberText, tryParseExact } from '#shared/json/exact-json.ts'
import { compareNumbers, isNumberText } from '#shared/json/exact-number.ts'
import { stringifyUpTo } from '#shared/json/stringify-up-to.ts'
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
import { countKeys, maxShownValue, shownOf } from '#shared/workflows/conditions.ts'

type Answer = Pick<ReceivedResponse, 'status' | 'headers' | 'repeatedHeaders'>

/** UTF-16 units of all values in the differences of a case, so that those of 200 cases fit into one answer. */
const maxShownOfCase = 20_000

type Parts = {
  /** Gives others their turn between two rules: one may take as long as to parse the answer. */
  readonly slices: TimeSlices
  /** Returns an expected value without secrets; the answer has none. */
  readonly mask: (expected: unknown) => unknown
}

/**
 * Compares an answer with what a case expects. Returns the differences, that of the status first, then in the order of
 * the rules. Takes time linear in the answer for each rule.
 *
 * @param body JSON, or `{ result: text }` for any other body.
 */
export async function judgeAnswer(
  { status, fields }: CaseData['expect'],
  answer: Answer,
  body: unknown,
  { slices, mask }: Parts,
): Promise<CaseDifference[]> {
  const differences: CaseDifference[] = []
  if (!hasStatus(status, answer.status))
    differences.push({ path: '$status', rule: 'equals', expected: status, actual: answer.status })
  const whole = { status: answer.status, headers: headerValues(answer), body }
  const most = Math.min(maxShownValue, Math.floor(maxShownOfCase / (2 * fields.length)))
  const shorten = shortener(most)
  for (const { path, rule, valueText } of fields) {
    const actual = mappedValue(parseDotPath(path) ?? [], whole)
    const expected = valueText === undefined ? undefined : tryParseExact(valueText)
    if (await slices.run(() => rules[rule](actual, expected))) continue
    const shown = rule === 'count' ? (countOf(actual) ?? actual) : actual
    await slices.run(() =>
      differences.push({
        ...{ path, rule },
        ...(expected !== undefined && { expected: shorten(mask(expected)) }),
        ...(shown !== undefined && { actual: shorten(shown) }),
      }),
    )
  }
  return differences
}

/** Returns a function that shortens values, each object only once: several rules may name the same large one. */
function shortener(most: number): (value: unknown) => unknown {
  const known = new WeakMap<object, unknown>()
  return value => {
    if (typeof value !== 'object' || value === null || isExactNumber(value)) return shownOf(value, most)
    if (!known.has(value)) {
      // Takes no time for the rest of a large one.
      const text = stringifyUpTo(value, most)
      known.set(value, text.length <= most ? value : `${text.slice(0, most)}…`)
    }
    return known.get(value)
  }
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
  return isObject(value) ? countKeys(value) : null
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
      names.length === countKeys(actual) &&
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
