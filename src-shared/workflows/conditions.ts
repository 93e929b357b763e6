import { indexOfText } from '../index-of-text.ts'
import { isExactNumber, isObject, numberText } from '../json/exact-json.ts'
import { canonicalNumber, compareNumbers, isNumberText } from '../json/exact-number.ts'
import { stringifyUpTo } from '../json/stringify-up-to.ts'
import { type Condition, type Operator, takesOperand } from '../model/condition.ts'
import { compareTimes } from '../time.ts'
import { jsonLength, type Renderer } from './renderer.ts'
import { textOf } from './templates.ts'

/** Maximum number of UTF-16 units of a value that an evaluated condition shows. A loop may compare a long one often. */
export const maxShownValue = 2000

/**
 * A condition with the values that it was decided with; parts that no longer mattered are left out. `isCut` is set if a
 * value is only the beginning of a long one, as text.
 */
export type Evaluated =
  | { holds: boolean; value: unknown; operator: Operator; operand?: unknown; isCut?: true }
  | { holds: boolean; all: Evaluated[] }
  | { holds: boolean; any: Evaluated[] }

/**
 * Evaluates a condition. Numbers are compared by their exact decimal values, and a string of digits equals a number. Two
 * times in ISO 8601 with an offset are compared as instants, other strings by their UTF-16 units. If two values cannot be
 * ordered, such as a list and a number, neither is greater.
 */
export function evaluate(condition: Condition, render: Renderer): Evaluated {
  if ('all' in condition) {
    const all = evaluateUntil(condition.all, false, render)
    return { holds: all.every(part => part.holds), all }
  }
  if ('any' in condition) {
    const any = evaluateUntil(condition.any, true, render)
    return { holds: any.some(part => part.holds), any }
  }
  const { operator } = condition
  const value = render.value(condition.value)
  const hasOperand = takesOperand(operator)
  const operand = hasOperand ? render.json(condition.operand) : undefined
  const holds = compare(operator, value, operand)
  const { shown } = render
  if (shown === null) return evaluated(holds, value, operator, operand)
  const shownOperand = hasOperand ? shown.json(condition.operand) : undefined
  return evaluated(holds, shown.value(condition.value), operator, shownOperand)
}

function evaluated(holds: boolean, value: unknown, operator: Operator, operand: unknown): Evaluated {
  const shown = shownOf(value)
  const shownOperand = shownOf(operand)
  const isCut = shown !== value || shownOperand !== operand
  // No spreads: a run may evaluate millions of conditions.
  const result: Evaluated = takesOperand(operator)
    ? { holds, value: shown, operator, operand: shownOperand }
    : { holds, value: shown, operator }
  if (isCut) result.isCut = isCut
  return result
}

/** Returns a value that is short, or the beginning of its text. @param most its UTF-16 units. */
export function shownOf(value: unknown, most = maxShownValue): unknown {
  const plain = isExactNumber(value) ? value.rawJSON : value
  const isList = typeof plain === 'object' && plain !== null
  const length = typeof plain === 'string' ? plain.length : isList ? jsonLength(plain) : 0
  if (length <= most) return value
  const text = typeof plain === 'string' ? plain : stringifyUpTo(plain, most)
  return `${text.slice(0, most)}…`
}

/** Evaluates conditions in turn and ends after the first that decides. */
function evaluateUntil(conditions: readonly Condition[], decisive: boolean, render: Renderer): Evaluated[] {
  const done: Evaluated[] = []
  for (const condition of conditions) {
    const part = evaluate(condition, render)
    done.push(part)
    if (part.holds === decisive) break
  }
  return done
}

/** Returns whether a comparison of two values holds: see `evaluate`. */
export function compare(operator: Operator, value: unknown, operand: unknown): boolean {
  switch (operator) {
    case 'equals':
      return isEqual(value, operand)
    case 'not_equals':
      return !isEqual(value, operand)
    case 'contains':
      if (Array.isArray(value)) return value.some(part => isEqual(part, operand))
      return !isObject(value) && indexOfText(textOf(value), textOf(operand)) !== -1
    case 'starts_with':
      return textOf(value).startsWith(textOf(operand))
    case 'greater':
      return (order(value, operand) ?? 0) > 0
    case 'less':
      return (order(value, operand) ?? 0) < 0
    case 'exists':
      return isPresent(value)
    case 'not_exists':
      return !isPresent(value)
  }
}

/** A variable without a value renders as an empty text, so an empty text is not present. */
function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}

function isEqual(left: unknown, right: unknown): boolean {
  const isText = typeof left === 'string' && typeof right === 'string'
  if (isText) return left === right || compareTimes(left, right) === 0
  if (typeof left === 'number' && typeof right === 'number') return left === right
  const [a, b] = [decimalOf(left), decimalOf(right)]
  if (a !== null && b !== null) return compareNumbers(a, b) === 0
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((part, index) => isEqual(part, right[index]))
  if (isObject(left) && isObject(right)) {
    const names = Object.keys(left)
    return (
      names.length === countKeys(right) &&
      names.every(name => Object.hasOwn(right, name) && isEqual(left[name], right[name]))
    )
  }
  return isScalar(left) && isScalar(right) && textOf(left) === textOf(right)
}

/**
 * Returns a text that two values have in common whenever they are equal, unless both are times. Values that are not equal
 * may have the same one. Null for a list or an object, which is never equal to another kind of value.
 */
export function equalityKey(value: unknown): string | null {
  if (!isScalar(value)) return null
  const decimal = decimalOf(value)
  return decimal === null ? textOf(value) : canonicalNumber(decimal)
}

/** The counts of `countKeys`. A list of many small objects is compared with the same large one again and again. */
const keyCounts = new WeakMap<object, number>()

/** Returns the number of an object's fields. Counts those of each object only once. */
export function countKeys(value: object): number {
  const known = keyCounts.get(value)
  if (known !== undefined) return known
  const count = Object.keys(value).length
  keyCounts.set(value, count)
  return count
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null || isExactNumber(value)
}

/** Returns below, equal to or above zero; null for values without an order. */
function order(left: unknown, right: unknown): number | null {
  const [a, b] = [decimalOf(left), decimalOf(right)]
  if (a !== null && b !== null) return compareNumbers(a, b)
  if (typeof left !== 'string' || typeof right !== 'string') return null
  return compareTimes(left, right) ?? (left < right ? -1 : Number(left > right))
}

/** Longer numbers are compared as texts, which keeps `contains` linear in the size of its list. */
const maxDecimal = 100

/** Returns the digits of a number, or of a string that is a number; null for anything else. */
function decimalOf(value: unknown): string | null {
  const text = numberText(value) ?? (typeof value === 'string' ? value : '')
  return text.length <= maxDecimal && isNumberText(text) ? text : null
}
