import { expect, test } from 'vitest'
import { stepsOfText } from '#main/storage/rows/run-rows.ts'
import { StoredValueError } from '#main/storage/rows/stored-text.ts'

const step = { path: 'charge', type: 'action', input: '{}', output: null }

test('a stored step gets the values that are not stored, and keeps its own', () => {
  const usual = { attempt: 1, startedAt: 7, endedAt: 7, error: null, callId: null, absent: [] }
  const own = { attempt: 2, startedAt: 8, endedAt: null, error: '{}', callId: 'call_1', absent: ['a'] }
  const texts = JSON.stringify([step, { ...step, ...own, isCut: true }])
  expect(stepsOfText(texts, 7)).toEqual([
    { ...step, ...usual },
    { ...step, ...own, isCut: true },
  ])
})

test.each([
  '',
  '{}',
  '[1]',
  '[null]',
  '[1.10]',
  ...[
    { path: 1 },
    { type: null },
    { input: undefined },
    { output: {} },
    { error: 5 },
    { attempt: null },
    { attempt: 1.5 },
    { startedAt: '1' },
    { endedAt: 0.5 },
    { absent: 'a' },
    { absent: [1] },
    { isCut: false },
  ].map(damage => JSON.stringify([{ ...step, ...damage }])),
])('steps damaged as %s are refused', text => {
  expect(() => stepsOfText(text, 0)).toThrow(StoredValueError)
})
