import { describe, expect, test } from 'vitest'
import { askedValues } from '#renderer/features/conversation/asked-values.ts'
import {
  decisionLabel,
  outcomeLabel,
  outcomeSentence,
  shortArguments,
} from '#renderer/features/conversation/call-labels.ts'
import { groupByDay } from '#renderer/features/conversation/group-conversations.ts'
import {
  contextOf,
  isLocal,
  leftOutLabel,
  whereLabel,
} from '#renderer/features/conversation/server-labels.ts'
import { toolCall } from './fixtures.ts'

const now = Date.parse('2026-11-22T14:40:00.000Z')

test('arguments are one line of bounded length', () => {
  expect(shortArguments({ order_id: 'ORD-1', amount: 25, lines: [1] })).toBe(
    'order_id: "ORD-1", amount: 25, lines: [1]',
  )
  const many = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`a${index}`, 'b'.repeat(500)]),
  )
  expect(shortArguments(many).length).toBeLessThan(400)
})

test('a call says how it was allowed, or why it was not made', () => {
  const decidedAt = '2026-11-22T14:33:41.000Z'
  expect(decisionLabel(toolCall({ decidedAt }), now)).toMatch(/^allowed once, \d\d:33:41/)
  expect(decisionLabel(toolCall({ decidedAt, edited: true }), now)).toMatch(/^allowed once, edited, /)
  expect(decisionLabel(toolCall({ decision: 'automatic' }), now)).toBe('always allowed here')
  expect(decisionLabel(toolCall({ decision: 'automatic', method: 'GET' }), now)).toBeNull()
  // A search for tools.
  const search = { connectionId: null, actionId: null, method: null, callId: null, status: null }
  expect(decisionLabel(toolCall({ ...search, name: 'find_tools', decision: 'automatic' }), now)).toBeNull()
  const wrong = { code: 'invalid_arguments', message: 'No request was sent.' }
  expect(decisionLabel(toolCall({ decision: 'automatic', error: wrong, callId: null }), now)).toBeNull()
  const declined = toolCall({ state: 'declined', decision: null, status: null, callId: null })
  expect(decisionLabel(declined, now)).toBe('declined by you')
  expect(outcomeLabel(declined)).toBe('not called')
  expect(outcomeSentence(declined, 'Acme')).toBe('Nothing was called. The assistant was told so.')
})

test('a failed call says what came back', () => {
  expect(outcomeSentence(toolCall({ state: 'failed', status: 404 }), 'Acme')).toBe(
    'Acme answered 404, Not Found. The assistant was told so.',
  )
  const error = { code: 'connection_refused', message: 'Nothing listens there.' }
  const refused = toolCall({ state: 'failed', status: null, error })
  expect(outcomeLabel(refused)).toBe('connection_refused')
  expect(outcomeSentence(refused, 'Acme')).toBe('Nothing listens there. The assistant was told so.')
  const unknown = toolCall({ state: 'unknown_tool', name: 'delete_all', status: null, method: null })
  expect(outcomeLabel(unknown)).toBe('no such tool')
  expect(outcomeSentence(unknown, null)).toContain('no enabled tool named delete_all')
  const changed = { ...unknown, error: { code: 'tool_changed', message: 'The tool was changed.' } }
  expect(outcomeLabel(changed)).toBe('not called')
  expect(outcomeSentence(changed, null)).toBe(
    'The tool was changed. Nothing was called. The assistant was told so.',
  )
})

test('what a model asked for is shown in full, whatever its type', () => {
  const parameters = [
    { name: 'amount', type: 'number', description: 'a', required: true },
    { name: 'reason', type: 'string', description: 'a', required: false },
    { name: 'notify', type: 'boolean', description: 'a', required: false },
    { name: 'metadata', type: 'object', description: 'a', required: false },
  ] as const
  expect(askedValues(parameters, { amount: '25', reason: 7, notify: true, metadata: [1], extra: 1 })).toEqual(
    {
      values: { amount: '25', reason: '7', notify: true, metadata: '[\n  1\n]' },
      fits: false,
      unknown: ['extra'],
    },
  )
  expect(askedValues(parameters, { amount: 1, reason: null, notify: null, metadata: null })).toEqual({
    ...{ values: { amount: '1' }, fits: true, unknown: [] },
  })
  expect(askedValues(parameters, { amount: null })).toMatchObject({ values: { amount: 'null' }, fits: false })
})

describe('groupByDay', () => {
  test('groups by the days of the reader', () => {
    const at = (date: Date) => ({ updatedAt: date.toISOString() })
    const noon = new Date(2026, 10, 22, 12)
    const today = at(new Date(2026, 10, 22, 0, 0, 1))
    const yesterday = at(new Date(2026, 10, 21, 0, 0, 1))
    const earlier = at(new Date(2026, 10, 20, 23, 59, 59))
    expect(groupByDay([today, yesterday, earlier], noon.getTime())).toEqual([
      { name: 'Today', items: [today] },
      { name: 'Yesterday', items: [yesterday] },
      { name: 'Earlier', items: [earlier] },
    ])
    expect(groupByDay([earlier], noon.getTime())).toEqual([{ name: 'Earlier', items: [earlier] }])
  })
})

test('a server of another computer is named before anything is sent there', () => {
  for (const url of ['http://127.0.0.1:11434/v1', 'http://localhost:1234/v1', 'http://[::1]:80'])
    expect(isLocal(url)).toBe(true)
  for (const url of ['https://127.0.0.1.evil.example', 'http://192.168.1.2', 'not an address'])
    expect(isLocal(url)).toBe(false)
  // Ollama and LM Studio can pass messages on to a hosted model.
  expect(whereLabel('http://127.0.0.1:11434/v1')).not.toContain('Nothing leaves')
  expect(whereLabel('https://api.openai.com/v1')).toBe(
    'Messages and the results of calls are sent to api.openai.com.',
  )
})

test('models that cannot call tools are left out by name', () => {
  const model = (name: string, callsTools: boolean | null) => ({
    model: name,
    bytes: null,
    callsTools,
    contextTokens: 131_072,
  })
  expect(leftOutLabel({ models: [model('a', true), model('b', null)] })).toBeNull()
  expect(leftOutLabel({ models: [model('a', true), model('gemma2:9b', false)] })).toBe(
    '1 of 2 models is left out: gemma2:9b cannot call tools.',
  )
  expect(contextOf({ contextTokens: 131_072 })).toBe(32_768)
  expect(contextOf({ contextTokens: 8192 })).toBe(8192)
})
