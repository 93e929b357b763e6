import { numberText } from '../json/exact-json.ts'
import type { CaseDifference, CaseResult } from '../model/case.ts'

/** Characters of a value in a sentence. */
const maxShown = 100

/** Returns a value as JSON, shortened. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`
}

/** Returns the name of a field for people: `status` for `$status`. */
export function fieldName(path: string): string {
  return path === '$status' ? 'status' : path
}

/** Returns a sentence without a full stop that says how a field differs: `refund.amount.value is 4900, not 49`. */
export function differenceText({ path, rule, expected, actual }: CaseDifference): string {
  const name = fieldName(path)
  if (actual === undefined) return `${name} is missing`
  const got = `${name} is ${shownValue(actual)}`
  switch (rule) {
    case 'equals':
      // A class of statuses, such as 2xx, is a text.
      return `${got}, not ${path === '$status' ? String(expected) : shownValue(expected)}`
    case 'type':
      return `${got}, not ${typeText(String(expected))}`
    case 'matches':
      return `${got}, which does not match ${shownValue(expected)}`
    case 'count':
      return numberText(actual) === null
        ? `${got}, not ${itemsText(expected)}`
        : `${name} has ${itemsText(actual)}, not ${shownValue(expected)}`
    case 'absent':
    case 'exists':
      return `${name} is there: ${shownValue(actual)}`
  }
}

const itemsText = (count: unknown) => `${shownValue(count)} ${numberText(count) === '1' ? 'item' : 'items'}`

/** Returns a type with its article: `a date`, `an object`, `null`. */
export function typeText(type: string): string {
  if (type === 'null') return type
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** Returns why a case has not passed, in one sentence without a full stop; empty for one that has. */
export function failureText({ differences, error }: Pick<CaseResult, 'differences' | 'error'>): string {
  const [first] = differences
  if (error !== null) return `${error.code}: ${error.message}`
  if (first === undefined) return ''
  const more = differences.length - 1
  return `${differenceText(first)}${more === 0 ? '' : `, and ${more} more ${more === 1 ? 'field differs' : 'fields differ'}`}`
}
