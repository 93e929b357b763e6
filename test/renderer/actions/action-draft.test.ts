import { describe, expect, test } from 'vitest'
import {
  type ActionDraft,
  changeLabels,
  changeOf,
  draftOf,
  fieldsOf,
  mergeSaved,
  moveRow,
  newDraft,
} from '#renderer/features/actions/action-draft.ts'
import type { ActionFields } from '#shared/model/action.ts'

const saved: ActionFields = {
  name: 'Create a refund',
  toolName: 'create_refund',
  description: 'Refund an order.',
  method: 'POST',
  path: '/refunds',
  headers: { 'X-Key': '{{KEY}}', Accept: 'application/json' },
  parameters: [
    { name: 'order_id', type: 'string', description: 'Which', required: true },
    { name: 'amount', type: 'number', description: 'How much', required: false },
  ],
  responseMapping: { refund_id: 'refund.id' },
  isEnabled: false,
}

describe('a draft', () => {
  test('of an action gives the same fields back', () => {
    expect(fieldsOf(draftOf(saved))).toEqual(saved)
  })

  test('of an action without headers or mapping is no change, however they were left out', () => {
    const bare = { ...saved, headers: {}, responseMapping: null }
    expect(changeOf(bare, draftOf(bare))).toEqual({})
  })

  test('that is new has the name it was asked for, and leaves its tool name to the name', () => {
    expect(newDraft('Cancel')).toMatchObject({ name: 'Cancel', followsName: true, isEnabled: true })
  })

  test('leaves rows out that were added and never filled in', () => {
    const before = draftOf(saved)
    const draft: ActionDraft = {
      ...before,
      headers: [...before.headers, { id: 90, name: '', value: '' }],
      parameters: [
        ...before.parameters,
        { id: 91, name: '', type: 'string', description: '', required: true },
      ],
      mapping: [...before.mapping, { id: 92, alias: '', path: '' }],
    }
    expect(changeOf(saved, draft)).toEqual({})
  })

  test('takes over what was changed elsewhere, and nothing besides', () => {
    const before = draftOf(saved)
    const twice = [...before.headers, { id: before.nextId, name: 'Accept', value: '' }]
    const draft: ActionDraft = { ...before, description: 'Mine', headers: twice, nextId: before.nextId + 1 }
    const elsewhere = { ...saved, path: '/v3', description: 'Theirs', responseMapping: { id: 'id' } }
    expect(mergeSaved(draft, saved, saved)).toBe(draft)
    expect(mergeSaved(draft, saved, elsewhere)).toEqual({
      ...draft,
      path: '/v3',
      mapping: [{ id: expect.any(Number), alias: 'id', path: 'id' }],
      nextId: expect.any(Number),
    })
    const { headers, parameters, mapping } = mergeSaved(draft, saved, elsewhere)
    expect(new Set([...headers, ...parameters, ...mapping].map(({ id }) => id)).size).toBe(6)
  })

  test('never gives an id to two rows', () => {
    const { headers, parameters, mapping, nextId } = draftOf(saved)
    const ids = [...headers, ...parameters, ...mapping].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(Math.max(...ids)).toBeLessThan(nextId)
  })
})

describe('a change', () => {
  test('has only the fields that differ, and says what they are called', () => {
    const draft = { ...draftOf(saved), name: 'Refund', path: '/v3/refunds' }
    expect(changeOf(saved, draft)).toEqual({ name: 'Refund', path: '/v3/refunds' })
    expect(changeLabels(changeOf(saved, draft))).toEqual(['Name', 'Path'])
  })

  test('may be the order of parameters alone', () => {
    const draft = draftOf(saved)
    const [first] = draft.parameters
    const moved = { ...draft, parameters: moveRow(draft.parameters, first?.id ?? -1, 1) }
    expect(changeOf(saved, moved).parameters?.map(({ name }) => name)).toEqual(['amount', 'order_id'])
  })

  test('never has the switch, which applies at once', () => {
    expect(changeOf(saved, { ...draftOf(saved), isEnabled: true })).toEqual({})
  })

  test('that takes every header away says so', () => {
    expect(changeOf(saved, { ...draftOf(saved), headers: [] })).toEqual({ headers: null })
  })
})

test('a row at either end stays where it is', () => {
  const { parameters } = draftOf(saved)
  expect(moveRow(parameters, parameters[0]?.id ?? -1, -1)).toBe(parameters)
  expect(moveRow(parameters, parameters[1]?.id ?? -1, 1)).toBe(parameters)
  expect(moveRow(parameters, 999, 1)).toBe(parameters)
})
