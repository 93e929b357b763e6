import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExact } from '#shared/json/exact-json.ts'
import { compareNumbers } from '#shared/json/exact-number.ts'
import { Condition } from '#shared/model/condition.ts'
import { evaluate } from '#shared/workflows/conditions.ts'
import { createRenderer } from '#shared/workflows/renderer.ts'

const payload = parseExact(`{
  "eventName": "order.paid", "total": 149.00, "big": 9007199254740993, "sku": "KB-87", "digits": "007", "empty": "",
  "none": null, "paid": true, "tags": ["new", 3], "at": "2026-11-22T10:00:00Z", "customer": {"name": "Maya"}
}`) as Record<string, unknown>
const holds = (condition: unknown) =>
  evaluate(Condition.parse(condition), createRenderer({ payload, steps: new Map() })).holds

describe('a condition', () => {
  test.each([
    ['{{eventName}}', 'equals', 'order.paid', true],
    ['{{eventName}}', 'starts_with', 'order.', true],
    ['{{eventName}}', 'not_equals', 'order.paid', false],
    ['{{total}}', 'equals', 149, true],
    ['{{total}}', 'equals', '149.0', true],
    ['{{big}}', 'equals', '9007199254740992', false],
    ['{{big}}', 'greater', '9007199254740992', true],
    ['{{total}}', 'greater', 500, false],
    ['{{total}}', 'less', '500', true],
    ['{{total}}', 'greater', 'many', false],
    ['{{total}}', 'less', 'many', false],
    ['{{digits}}', 'equals', '7', false],
    ['{{digits}}', 'equals', '007', true],
    ['{{at}}', 'less', '2026-11-23T00:00:00Z', true],
    ['{{sku}}', 'contains', '-8', true],
    ['{{tags}}', 'contains', 'new', true],
    ['{{tags}}', 'contains', '3', true],
    ['{{tags}}', 'contains', 'ne', false],
    ['{{customer}}', 'contains', 'Maya', false],
    ['{{customer}}', 'equals', { name: 'Maya' }, true],
    ['{{customer}}', 'equals', { name: 'Maya', more: 1 }, false],
    ['{{paid}}', 'equals', true, true],
    ['{{paid}}', 'equals', 'true', true],
    ['{{nothing}}', 'equals', '', true],
    ['{{nothing}}', 'greater', 0, false],
    ['{{sku}}', 'equals', '{{sku}}', true],
  ])('%s %s %j is %s', (value, operator, operand, expected) => {
    expect(holds({ value, operator, operand })).toBe(expected)
  })

  const newYear = '2021-12-31T19:00:00-05:00'
  test.each([
    [newYear, 'greater', '2021-12-31T23:30:00Z', true],
    [newYear, 'less', '2021-12-31T23:30:00Z', false],
    [newYear, 'equals', '2022-01-01T00:00:00Z', true],
    [newYear, 'not_equals', '2022-01-01T00:00:00.000Z', false],
    [newYear, 'less', '2022-01-01T00:00:00Z', false],
    [newYear, 'less', '2022-01-01T00:00:00.0000001Z', true],
    [newYear, 'equals', '2022-01-01T00:00:00.0000001Z', false],
    ['20220101T000000Z', 'equals', newYear, true],
    ['2022-01-01', 'greater', '2021-12-31', true],
    // A date alone is not an instant, so it is compared as a text.
    ['2022-01-01', 'greater', '2021-12-31T23:59:59Z', true],
    ['2022-01-01', 'equals', '2022-01-01T00:00:00Z', false],
    ['2022-01-01', 'less', '2022-01-01T00:30:00+01:00', true],
    // The date does not exist, so both are compared as texts.
    ['2021-11-31T00:00:00Z', 'equals', '2021-12-01T00:00:00Z', false],
    ['2021-12-31T19:00:00', 'greater', '2021-12-31T23:30:00Z', false],
    ['2021-12-31T19:00:00', 'equals', '2021-12-31T19:00:00', true],
  ])('compares times as instants: %s %s %s is %s', (at, operator, operand, expected) => {
    const render = createRenderer({ payload: { at }, steps: new Map() })
    expect(evaluate(Condition.parse({ value: '{{at}}', operator, operand }), render).holds).toBe(expected)
  })

  test('contains a time that a list has with another offset', () => {
    const render = createRenderer({ payload: { list: ['x', newYear] }, steps: new Map() })
    const condition = { value: '{{list}}', operator: 'contains', operand: '2022-01-01T00:00:00Z' }
    expect(evaluate(Condition.parse(condition), render).holds).toBe(true)
  })

  test.each([
    ['total', true],
    ['paid', true],
    ['customer', true],
    ['empty', false],
    ['none', false],
    ['nothing', false],
  ])('{{%s}} exists: %s', (name, expected) => {
    expect(holds({ value: `{{${name}}}`, operator: 'exists' })).toBe(expected)
    expect(holds({ value: `{{${name}}}`, operator: 'not_exists' })).toBe(!expected)
  })

  test('combines others and shows the values that decided', () => {
    const paid = { value: '{{paid}}', operator: 'equals', operand: true }
    const large = { value: '{{total}}', operator: 'greater', operand: 500 }
    expect([
      holds({ all: [paid, large] }),
      holds({ any: [large, paid] }),
      holds({ all: [{ any: [large, paid] }] }),
    ]).toEqual([false, true, true])
    const condition = Condition.parse({ any: [large, paid, large] })
    const evaluated = evaluate(condition, createRenderer({ payload, steps: new Map() }))
    expect(JSON.stringify(evaluated)).toBe(
      '{"holds":true,"any":[{"holds":false,"value":149.00,"operator":"greater","operand":500},' +
        '{"holds":true,"value":true,"operator":"equals","operand":true}]}',
    )
  })

  test.each([
    ['a long text', 'x'.repeat(3000), `${'x'.repeat(2000)}…`, true],
    ['a long list', Array(1500).fill(1), `[${'1,'.repeat(999)}1…`, true],
    ['a text that is not long', 'x'.repeat(2000), 'x'.repeat(2000), undefined],
    ['a list that is not long', Array(999).fill(1), Array(999).fill(1), undefined],
  ])('shows the beginning of %s', (_, value, shown, isCut) => {
    const render = createRenderer({ payload: { value }, steps: new Map() })
    const condition = { value: '{{value}}', operator: 'equals', operand: '{{value}}' }
    const entry = { holds: true, value: shown, operator: 'equals', operand: shown }
    expect(evaluate(Condition.parse(condition), render)).toEqual(isCut ? { ...entry, isCut } : entry)
  })

  test('contains a long text exactly if String.includes says so', () => {
    const letters = (size: { minLength: number; maxLength: number }) =>
      fc.string({ unit: fc.constantFrom('a', 'b'), ...size })
    fc.assert(
      fc.property(
        letters({ minLength: 33, maxLength: 40 }),
        fc.array(fc.nat(60), { maxLength: 8 }),
        letters({ minLength: 0, maxLength: 60 }),
        (part, cuts, rest) => {
          const text = cuts.map(cut => part.slice(0, cut)).join('') + rest
          for (const value of [text, text + part + rest]) {
            const condition = Condition.parse({ value: '{{value}}', operator: 'contains', operand: part })
            const { holds } = evaluate(condition, createRenderer({ payload: { value }, steps: new Map() }))
            expect(holds).toBe(value.includes(part))
          }
        },
      ),
    )
  })

  test('needs an operand where its operator compares', () => {
    expect(Condition.safeParse({ value: 'x', operator: 'equals' }).success).toBe(false)
  })
})

describe('compareNumbers', () => {
  const decimals = fc
    .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: -20, max: 20 }))
    .map(([digits, exponent]) => ({ digits, exponent, text: `${digits}e${exponent}` }))

  test('orders decimal numbers of any size by their exact values', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const scaled = (n: typeof a) => n.digits * 10n ** BigInt(n.exponent + 20)
        const difference = scaled(a) - scaled(b)
        expect(compareNumbers(a.text, b.text)).toBe(difference === 0n ? 0 : difference < 0n ? -1 : 1)
      }),
    )
  })

  test.each([
    ['0', '-0', 0],
    ['1.10', '1.1', 0],
    ['0.001', '1e-3', 0],
    ['-1', '1', -1],
    ['-2', '-1', -1],
    ['10', '9', 1],
    ['1e400', '1e399', 1],
  ])('%s and %s: %i', (a, b, expected) => {
    expect(compareNumbers(a, b)).toBe(expected)
  })
})
