import { describe, expect, test } from 'vitest'
import { draftOf, freeName, inputOfDraft, ruleRow } from '#renderer/features/actions/cases/case-draft.ts'
import { expectedRows, inputOf } from '#renderer/features/actions/cases/case-rows.ts'
import { proposeRule, proposeRules, sentValues } from '#renderer/features/actions/cases/propose-rules.ts'
import type { Case, CaseDifference } from '#shared/model/case.ts'

const at = '2026-11-21T14:02:00.000Z'
const later = '2026-11-21T14:03:00.000Z'

const difference = (path: string, expected: unknown, actual: unknown): CaseDifference => ({
  ...{ path, rule: 'equals', expected, actual },
})

function makeCase(last: Partial<NonNullable<Case['last']>> | null, change: Partial<Case> = {}): Case {
  return {
    ...{ caseId: 'case_1', actionId: 'act_1', name: 'Refund in part' },
    arguments: { order_id: 'ORD-1', amount: 49 },
    argumentsText: '{"order_id":"ORD-1","amount":49.00}',
    expect: {
      status: 200,
      fields: [
        { path: 'id', rule: 'exists' },
        { path: 'amount', rule: 'equals', value: 49 },
        { path: 'number', rule: 'equals', value: 9007199254740992, valueText: '9007199254740993' },
        { path: 'settles_at', rule: 'type', value: 'date' },
      ],
    },
    ...{ createdAt: at, updatedAt: at },
    last: last && {
      ...{ ok: false, reason: 'differs', callId: 'call_1', status: 200, totalMs: 12, error: null },
      ...{ at, difference: null, isOld: false },
      ...last,
    },
    ...change,
  }
}

const statesOf = (one: Case, known: readonly CaseDifference[] | null = null) =>
  expectedRows(one, known).map(({ state }) => state)

describe('the rules of a case', () => {
  test('have all passed if it has passed, and are unknown before it runs and without an answer', () => {
    expect(statesOf(makeCase({ ok: true, reason: 'passed' }))).toEqual(Array(5).fill('passed'))
    expect(statesOf(makeCase(null))).toEqual(Array(5).fill('unknown'))
    expect(statesOf(makeCase({ reason: 'not_called', status: null }))).toEqual(Array(5).fill('unknown'))
  })

  test('after the first difference are unknown unless all differences are known', () => {
    const first = difference('amount', 49, 4900)
    const one = makeCase({ difference: first })
    expect(statesOf(one)).toEqual(['passed', 'passed', 'failed', 'unknown', 'unknown'])
    expect(statesOf(one, [first])).toEqual(['passed', 'passed', 'failed', 'passed', 'passed'])
    const third = { path: 'settles_at', rule: 'type', expected: 'date', actual: 7 } as const
    expect(statesOf(one, [first, third])).toEqual(['passed', 'passed', 'failed', 'passed', 'failed'])
  })

  test('are unknown once the case has changed, but not once its action has', () => {
    const last = { difference: difference('$status', 200, 404), isOld: true }
    expect(statesOf(makeCase(last))).toEqual(['failed', 'unknown', 'unknown', 'unknown', 'unknown'])
    expect(statesOf(makeCase(last, { updatedAt: later }))).toEqual(Array(5).fill('unknown'))
  })
})

describe('the form of a case', () => {
  test('changes nothing by itself, and keeps all digits', () => {
    const one = makeCase(null)
    expect(inputOfDraft(draftOf(one))).toEqual(inputOf(one))
    expect(inputOf(one).expect.fields[2]?.valueText).toBe('9007199254740993')
    const any = makeCase(null, { expect: { status: null, fields: [] } })
    expect(inputOfDraft(draftOf(any))).toEqual(inputOf(any))
  })

  test('sends only the rules that are chosen, each with its kind of value', () => {
    const rules = [
      ruleRow({ path: 'a', rule: 'matches', value: 'ORD-*' }),
      ruleRow({ path: 'b', rule: 'equals', value: '"x"', isOn: false }),
      ruleRow({ path: 'c', rule: 'count', value: '3' }),
      ruleRow({ path: 'd', rule: 'absent', value: 'left over' }),
      ruleRow({ path: 'e', rule: 'equals', value: ' ' }),
    ]
    const draft = { ...draftOf(makeCase(null)), status: ' 2XX ', rules }
    expect(inputOfDraft(draft).expect).toEqual({
      status: '2xx',
      fields: [
        { path: 'a', rule: 'matches', valueText: '"ORD-*"' },
        { path: 'c', rule: 'count', valueText: '3' },
        { path: 'd', rule: 'absent' },
        { path: 'e', rule: 'equals' },
      ],
    })
    expect(inputOfDraft({ ...draft, status: 'fine' }).expect.status).toBe(0)
    expect(inputOfDraft({ ...draft, isStatusOn: false }).expect.status).toBeNull()
  })

  test('names a case as no other of its action is named', () => {
    expect(freeName('Refund', new Set(['Refund', 'Refund 2']))).toBe('Refund 3')
    expect(freeName('Refund', new Set())).toBe('Refund')
  })
})

describe('the proposed rule', () => {
  const sent = sentValues('{"order_id":"ORD-20418","amount":49.00}')

  test.each([
    ['refund.status', '"pending"', 'equals'],
    ['refund.amount.value', '49.00', 'equals'],
    ['paid', 'true', 'equals'],
    ['refund.id', '"rf_8Q2mX4"', 'exists'],
    ['refundId', '"rf_8Q2mX4"', 'exists'],
    ['access_token', '"abc"', 'exists'],
    ['order_id', '"ORD-20418"', 'equals'],
    ['ref', '"3f2504e0-4f89-41d3-9a0c-0305e82c3301"', 'exists'],
    ['items[0].created_at', '1795290958474', 'exists'],
    ['settles', '"2026-11-24T10:00:00Z"', 'type'],
    ['day', '"2026-11-24"', 'type'],
    ['lines', '[1,2]', 'type'],
    ['customer', '{"name":"Maya"}', 'type'],
    ['text', JSON.stringify('long '.repeat(60)), 'exists'],
    ['paid', '"paid"', 'equals'],
    ['valid', '"valid"', 'equals'],
  ])('of %s with %s is %s', (path, valueText, rule) => {
    expect(proposeRule(path, valueText, sent).rule).toBe(rule)
  })

  test('is not made for fields that the answer does not have, and once for each path', () => {
    const answer = (path: string) => (path === 'a' ? '1' : null)
    expect(proposeRules(['a', 'b', 'a'], answer, sent).map(({ path }) => path)).toEqual(['a'])
  })
})
