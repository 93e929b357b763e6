import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventValues, maxReadOfTrigger, preparedCondition } from '#main/workflows/trigger-condition.ts'
import type { Condition } from '#shared/model/condition.ts'
import { evaluate } from '#shared/workflows/conditions.ts'
import { createRenderer, InvalidVariable } from '#shared/workflows/renderer.ts'
import { BudgetSpent, type Scope } from '#shared/workflows/scope.ts'
import { anyCondition, anyValue } from '../support/any-condition.ts'

const scopeOf = (payload: Record<string, unknown>, headers: Record<string, string> = {}): Scope => ({
  ...{ payload, headers, steps: new Map() },
})

/** Returns whether an event fits, with the budget of one trigger. */
function fits(condition: Condition, payload: Record<string, unknown>, left = maxReadOfTrigger): boolean {
  return preparedCondition(condition)(eventValues(scopeOf(payload), maxReadOfTrigger), { left })
}

test('decides as the condition of a branch does', () => {
  fc.assert(
    fc.property(anyCondition, fc.record({ a: anyValue, c: anyValue }), (condition, payload) => {
      const scope = scopeOf(payload, { 'x-kind': 'opened' })
      const prepared = preparedCondition(condition)(eventValues(scope, 1e9), { left: 1e9 })
      expect(prepared).toBe(evaluate(condition, createRenderer(scope)).holds)
    }),
    { numRuns: 2000 },
  )
})

describe('the work is bounded', () => {
  const long = 'x'.repeat(maxReadOfTrigger + 1)
  const list = Array.from({ length: 10_000 }, (_, index) => ({ index }))

  test.each<[string, Condition, Record<string, unknown>]>([
    ['a long text', { value: '{{a}}', operator: 'contains', operand: 'y' }, { a: long }],
    ['a long list', { value: '{{a}}', operator: 'contains', operand: 'y' }, { a: list }],
    ['a large object', { value: '{{a}}', operator: 'equals', operand: {} }, { a: { list } }],
    ['a long text in a template', { value: 'a {{a}}', operator: 'equals', operand: 'y' }, { a: long }],
    ['a long operand', { value: '{{b}}', operator: 'equals', operand: '{{a}}' }, { a: long, b: 'b' }],
  ])('ends with BudgetSpent for %s', (_, condition, payload) => {
    expect(() => fits(condition, payload)).toThrow(BudgetSpent)
  })

  test('compares the beginning of a long text, and whether it has a value', () => {
    expect(fits({ value: '{{a}}', operator: 'equals', operand: 'xy' }, { a: long })).toBe(false)
    expect(fits({ value: '{{a}}', operator: 'starts_with', operand: 'xx' }, { a: long })).toBe(true)
    expect(fits({ value: '{{a}}', operator: 'exists' }, { a: list })).toBe(true)
  })

  test('measures a value once for all triggers', () => {
    const values = eventValues(scopeOf({ a: list.slice(0, 500) }), maxReadOfTrigger)
    const contains = preparedCondition({ value: '{{a}}', operator: 'contains', operand: 'y' })
    const first = { left: 1e6 }
    const second = { left: 1e6 }
    contains(values, first)
    contains(values, second)
    expect(1e6 - first.left).toBeGreaterThan(1.9 * (1e6 - second.left))
  })
})

test('an expression throws InvalidVariable', () => {
  for (const value of ['{{total * 2}}', '{{total*2}}', 'a {{b'])
    expect(() => fits({ value, operator: 'equals', operand: 1 }, {})).toThrow(InvalidVariable)
})
