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

  test('of an action without headers or mapping has no changes, whether they are null or empty', () => {
    const bare = { ...saved, headers: {}, responseMapping: null }
    expect(changeOf(bare, draftOf(bare))).toEqual({})
  })

  test('of a new action has the given name, and a tool name that follows it', () => {
    expect(newDraft('Cancel')).toMatchObject({ name: 'Cancel', followsName: true, isEnabled: true })
  })

  test('ignores rows that were added and left blank', () => {
    const before = draftOf(saved)
    const draft: ActionDraft = {
      ...before,
      headers: [...before.headers, { id: 90, name: '', value: '' }],
      parameters: [
        ...before.parameters,
        { id: 91, name: '', type: 'string', description: '', required: true },
      ],
      responseMapping: [...before.responseMapping, { id: 92, alias: '', path: '' }],
    }
    expect(changeOf(saved, draft)).toEqual({})
  })

  test('merges fields that were saved elsewhere, and keeps the ones edited here', () => {
    const before = draftOf(saved)
    const twice = [...before.headers, { id: before.nextId, name: 'Accept', value: '' }]
    const draft: ActionDraft = { ...before, description: 'Mine', headers: twice, nextId: before.nextId + 1 }
    const elsewhere = { ...saved, path: '/v3', description: 'Theirs', responseMapping: { id: 'id' } }
    expect(mergeSaved(draft, saved, saved)).toBe(draft)
    expect(mergeSaved(draft, saved, elsewhere)).toEqual({
      ...draft,
      path: '/v3',
      responseMapping: [{ id: expect.any(Number), alias: 'id', path: 'id' }],
      nextId: expect.any(Number),
    })
    const { headers, parameters, responseMapping } = mergeSaved(draft, saved, elsewhere)
    expect(new Set([...headers, ...parameters, ...responseMapping].map(({ id }) => id)).size).toBe(6)
  })

  test('gives each row its own id', () => {
    const { headers, parameters, responseMapping, nextId } = draftOf(saved)
    const ids = [...headers, ...parameters, ...responseMapping].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(Math.max(...ids)).toBeLessThan(nextId)
  })
})

describe('a change', () => {
  test('has only the fields that differ, and their names', () => {
    const draft = { ...draftOf(saved), name: 'Refund', path: '/v3/refunds' }
    expect(changeOf(saved, draft)).toEqual({ name: 'Refund', path: '/v3/refunds' })
    expect(changeLabels(changeOf(saved, draft))).toEqual(['Name', 'Path'])
  })

  test('may be only the order of the parameters', () => {
    const draft = draftOf(saved)
    const [first] = draft.parameters
    const moved = { ...draft, parameters: moveRow(draft.parameters, first?.id ?? -1, 1) }
    expect(changeOf(saved, moved).parameters?.map(({ name }) => name)).toEqual(['amount', 'order_id'])
  })

  test('never contains isEnabled, which is saved at once', () => {
    expect(changeOf(saved, { ...draftOf(saved), isEnabled: true })).toEqual({})
  })

  test('that removes every header sets headers to null', () => {
    expect(changeOf(saved, { ...draftOf(saved), headers: [] })).toEqual({ headers: null })
  })
})

test('moveRow returns the same rows beyond either end, and for an unknown row', () => {
  const { parameters } = draftOf(saved)
  expect(moveRow(parameters, parameters[0]?.id ?? -1, -1)).toBe(parameters)
  expect(moveRow(parameters, parameters[1]?.id ?? -1, 2)).toBe(parameters)
  expect(moveRow(parameters, 999, 1)).toBe(parameters)
})
