import { expect, test } from 'vitest'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import { judgeAnswer } from '#main/outbound/cases/judge-answer.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import type { CaseRule } from '#shared/model/case.ts'

const answer = { status: 200, headers: {} }
const fieldsOf = (count: number, rule: CaseRule, value?: unknown) =>
  Array.from({ length: count }, () => ({
    ...{ path: 'v', rule },
    ...(value !== undefined && { valueText: JSON.stringify(value) }),
  }))

const judge = (
  fields: ReturnType<typeof fieldsOf>,
  body: unknown,
  parts: Partial<Parameters<typeof judgeAnswer>[3]> = {},
) =>
  judgeAnswer({ status: null, fields }, answer, body, {
    slices: createTimeSlices({ sliceMs: 5, isBusy: () => false }),
    mask: value => value,
    ...parts,
  })

test('a difference shows the beginning of a long number', async () => {
  const digits = '9'.repeat(100_000)
  const [found] = await judge(fieldsOf(1, 'equals', 1), parseExact(`{"v":${digits}}`))
  expect(found?.actual).toBe(`${'9'.repeat(2000)}…`)
})

test('the differences of a case with many rules are short together', async () => {
  const body = { v: 'a'.repeat(100_000) }
  const few = await judge(fieldsOf(2, 'equals', 'b'.repeat(3000)), body)
  expect(few.map(({ actual }) => String(actual).length)).toEqual([2001, 2001])
  const many = await judge(fieldsOf(50, 'equals', 'b'.repeat(1200)), body)
  expect(many).toHaveLength(50)
  expect(JSON.stringify(many).length).toBeLessThan(30_000)
})

test('an expected value is masked before it is shortened, so that no part of a secret is left', async () => {
  const secret = 'canary-of-a-variable'
  const expected = `${'b'.repeat(1990)}${secret}`
  const mask = (value: unknown) => String(value).replaceAll(secret, '••••')
  const [found] = await judge(fieldsOf(1, 'equals', expected), { v: 'a' }, { mask })
  expect(found?.expected).toBe(`${'b'.repeat(1990)}••••`)
})

test('others have their turn between two rules', async () => {
  const order: string[] = []
  const slices = createTimeSlices({ sliceMs: 0, isBusy: () => false })
  const judged = judge(fieldsOf(3, 'exists'), { v: 1 }, { slices }).then(() => order.push('judged'))
  setImmediate(() => order.push('other'))
  await judged
  expect(order).toEqual(['other', 'judged'])
})

test.each([
  ['__proto__.x', 'absent'],
  ['constructor.name', 'absent'],
  ['$headers.__proto__', 'absent'],
  ['$headers.constructor', 'absent'],
  ['list.length', 'absent'],
] as const)('%s leads to no inherited property', async (path, rule) => {
  expect(await judge([{ path, rule }], { list: [1] })).toEqual([])
})

test('own fields named __proto__ are fields like others', async () => {
  const body = parseExact('{"v":{"__proto__":{"x":1}}}')
  const equals = (value: string) => judge([{ path: 'v', rule: 'equals', valueText: value }], body)
  expect(await equals('{"__proto__":{"x":1.0}}')).toEqual([])
  expect(await equals('{}')).toHaveLength(1)
  expect(await equals('{"constructor":{"x":1}}')).toHaveLength(1)
  expect(await judge([{ path: 'v.__proto__.x', rule: 'exists' }], body)).toEqual([])
})

test('numbers with huge exponents are compared by value', async () => {
  const equals = (value: string, other: string) =>
    judge([{ path: 'v', rule: 'equals', valueText: other }], parseExact(`{"v":${value}}`))
  expect(await equals('1e999999999', '10e999999998')).toEqual([])
  expect(await equals('1e999999999', '1e999999998')).toHaveLength(1)
  expect(await equals('1e-999999999', '0')).toHaveLength(1)
})
