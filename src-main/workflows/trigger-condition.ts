import { isExactNumber, numberText } from '#shared/json/exact-json.ts'
import type { Condition, Operator } from '#shared/model/condition.ts'
import { isOddPath } from '#shared/model/variable-path.ts'
import { compareTimes } from '#shared/time.ts'
import { compare, equalityKey, evaluate } from '#shared/workflows/conditions.ts'
import { createRenderer, InvalidVariable } from '#shared/workflows/renderer.ts'
import {
  type Budget,
  BudgetSpent,
  costOfTemplate,
  isOfService,
  resolve,
  type Scope,
} from '#shared/workflows/scope.ts'
import {
  replaceVariables,
  soleVariable,
  textOf,
  variablesIn,
  variablesOf,
  wrongOf,
  wrongVariable,
} from '#shared/workflows/templates.ts'

/**
 * UTF-16 units that the conditions of all triggers may read of an event while its sender waits, and the condition of one
 * trigger. A unit takes at most 5 ns, so that the sender waits for less than a millisecond.
 */
export const maxReadOfEvent = 128 * 1024
export const maxReadOfTrigger = 32 * 1024

type Comparison = Extract<Condition, { operator: Operator }>

/** The cost of a comparison, and of a value in a list or an object, besides the texts. */
const costOfPart = 16

/**
 * Returns whether an event fits, and takes the work from the budget.
 *
 * @throws BudgetSpent, InvalidVariable and RenderedTooLarge.
 */
export type Fits = (values: EventValues, budget: Budget) => boolean

/** The values of an event. Each is looked up once, for all triggers. */
export type EventValues = {
  readonly scope: Scope
  /** How much is read of a value. */
  readonly most: number
  /** @throws InvalidVariable for a path that looks like an expression. */
  at(path: string): EventValue
}

type EventValue = {
  /** Undefined for a variable without a value. */
  readonly value: unknown
  /** How much there is to read: infinite if it is more than anybody may. Null until it is measured. */
  size: number | null
}

/** @param scope of `keyScope`. @param most that is read of a value. */
export function eventValues(scope: Scope, most: number): EventValues {
  const known = new Map<string, EventValue>()
  return {
    scope,
    most,
    at(path) {
      const before = known.get(path)
      if (before !== undefined) return before
      const value = resolve(path, scope)
      if (value === undefined && isOddPath(path)) throw new InvalidVariable(wrongVariable(`{{${path}}}`))
      const found = { value, size: null }
      known.set(path, found)
      return found
    },
  }
}

/**
 * Returns a function for the condition of a trigger. It decides as `evaluate` does. The usual comparison of a variable
 * with a constant is prepared, since an event may have to be compared by a thousand triggers.
 */
export function preparedCondition(condition: Condition): Fits {
  if ('all' in condition) {
    const parts = condition.all.map(preparedCondition)
    return (values, budget) => parts.every(fits => fits(values, budget))
  }
  if ('any' in condition) {
    const parts = condition.any.map(preparedCondition)
    return (values, budget) => parts.some(fits => fits(values, budget))
  }
  const { operator, operand } = condition
  const path = soleVariable(condition.value)
  if (path === null || isOfService(path) || !hasConstant(condition)) return rendered(condition)
  const operandSize = sizeUpTo(operand, Number.POSITIVE_INFINITY)
  // The most common condition. Only a time equals another text.
  if (operator === 'equals' && typeof operand === 'string' && !isTime(operand))
    return (values, budget) => {
      const found = values.at(path)
      pay(budget, costOfPart + sizeCompared(found, operator, operandSize, values.most, budget))
      const { value = '' } = found
      return typeof value === 'string' ? value === operand : compare(operator, value, operand)
    }
  return (values, budget) => {
    const found = values.at(path)
    pay(budget, costOfPart + sizeCompared(found, operator, operandSize, values.most, budget))
    return compare(operator, found.value === undefined ? '' : found.value, operand)
  }
}

/** A value that a template must become for an event to fit: `key` is its `equalityKey`. */
export type Needed = { readonly template: string; readonly key: string }

/** The needs of a condition. `isSafe`: no event makes it throw, unless its values are too long. */
type Needs = { readonly isSafe: boolean; readonly needed: readonly (readonly Needed[])[] }

/**
 * Returns what templates must become for a condition to hold, whatever else it compares: one of each list. Those behind a
 * part that may throw are left out, since its run has to fail with what is wrong.
 */
export const neededBy = (condition: Condition) => needsOf(condition).needed

function needsOf(condition: Condition): Needs {
  if ('all' in condition) {
    const parts = condition.all.map(needsOf)
    const wrong = parts.findIndex(({ isSafe }) => !isSafe)
    const reached = wrong === -1 ? parts : parts.slice(0, wrong + 1)
    return { isSafe: wrong === -1, needed: reached.flatMap(({ needed }) => needed) }
  }
  if ('any' in condition) {
    const parts = condition.any.map(needsOf)
    const isBound = parts.every(({ needed }) => needed.length > 0)
    const isSafe = parts.every(part => part.isSafe)
    return { isSafe, needed: isBound ? [parts.flatMap(({ needed: [first = []] }) => first)] : [] }
  }
  const { value: template, operator, operand } = condition
  const isSafe = hasConstant(condition) && isRight(template)
  const key = isSafe && operator === 'equals' && !isTime(operand) ? equalityKey(operand) : null
  return { isSafe, needed: key === null ? [] : [[{ template, key }]] }
}

/**
 * Returns the `equalityKey` of what the template of a `Needed` becomes; undefined if that is more to read than the budget
 * has left.
 */
export function keyOf(template: string, values: EventValues, budget: Budget): string | null | undefined {
  const sole = soleVariable(template)
  if (sole !== null) return equalityKey(values.at(sole).value)
  let size = costOfTemplate
  for (const { path } of variablesOf(template)) size += measured(values.at(path), values.most, budget)
  if (size > budget.left) return undefined
  budget.left -= size
  return equalityKey(replaceVariables(template, path => textOf(values.at(path).value)))
}

const hasConstant = ({ operand }: Comparison) => !JSON.stringify(operand ?? '').includes('{{')

/** Returns whether no event makes a template throw, unless it has too long values. */
const isRight = (template: string) =>
  wrongOf(template).length === 0 &&
  variablesOf(template).every(({ path }) => !isOfService(path) && !isOddPath(path))

const isTime = (operand: unknown) => typeof operand === 'string' && compareTimes(operand, operand) !== null

const spent = new BudgetSpent()

/** Takes work that is not done yet from the budget, which stays for cheaper conditions if it is not enough. */
function pay(budget: Budget, units: number): void {
  if (units > budget.left) throw spent
  budget.left -= units
}

/** Returns how much a comparison reads of a value. */
function sizeCompared(
  found: EventValue,
  operator: Operator,
  operandSize: number,
  most: number,
  budget: Budget,
): number {
  const { value } = found
  if (operator === 'exists' || operator === 'not_exists' || value == null) return 0
  if (typeof value !== 'string') return measured(found, most, budget)
  // Of the longer of two texts, only the beginning is compared.
  return operator === 'contains' ? value.length + operandSize : Math.min(value.length, operandSize)
}

/** Returns the size of a value. The first time, measuring it is paid, too. */
function measured(found: EventValue, most: number, budget: Budget): number {
  if (found.size !== null) return found.size
  const size = sizeUpTo(found.value, most)
  found.size = size > most ? Number.POSITIVE_INFINITY : size
  budget.left -= Math.min(size, most)
  return found.size
}

/** Returns a condition that compares other templates. What they insert is measured before it is read. */
function rendered(condition: Comparison): Fits {
  const { value, operand } = condition
  const paths = [value, ...textsOf(operand)].flatMap(text => variablesIn(text).map(({ path }) => path))
  return (values, budget) => {
    for (const path of paths) pay(budget, costOfPart + measured(values.at(path), values.most, budget))
    return evaluate(condition, createRenderer({ ...values.scope, budget })).holds
  }
}

function textsOf(operand: unknown): string[] {
  if (typeof operand === 'string') return [operand]
  return typeof operand === 'object' && operand !== null ? Object.values(operand).flatMap(textsOf) : []
}

/** Returns how many UTF-16 units a JSON value has, each part counted as some more. Ends once they are more than `most`. */
function sizeUpTo(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length
  let size = 0
  const left = [value]
  while (left.length > 0 && size <= most) {
    const part = left.pop()
    size += costOfPart
    if (typeof part === 'string') size += part.length
    else if (isExactNumber(part)) size += numberText(part)?.length ?? 0
    else if (Array.isArray(part)) {
      if (part.length * costOfPart > most) return part.length * costOfPart
      for (const item of part) left.push(item)
    } else if (typeof part === 'object' && part !== null)
      for (const [name, item] of Object.entries(part)) {
        size += name.length
        left.push(item)
      }
  }
  return size
}
