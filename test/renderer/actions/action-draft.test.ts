import { describe, expect, test } from 'vitest'
import {
  type ActionDraft,
  actionFields,
  blankRow,
  draftOf,
  fieldsOf,
  moveRow,
  newDraft,
  withUnread,
} from '#renderer/features/actions/action-draft.ts'
import { changesOf, merge } from '#renderer/ui/draft/draft.ts'
import { ActionFields } from '#shared/model/action.ts'

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

/** Returns the fields of a draft that differ from a saved action. */
const changed = (action: ActionFields, draft: ActionDraft) => changesOf(actionFields, draftOf(action), draft)

describe('a draft', () => {
  test('of an action gives the same fields back', () => {
    expect(fieldsOf(draftOf(saved))).toEqual(saved)
  })

  test('of an action without headers or mapping has no changes, whether they are null or empty', () => {
    const bare = { ...saved, headers: {}, responseMapping: null }
    expect(changed(bare, draftOf(bare))).toEqual([])
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
    expect(changed(saved, draft)).toEqual([])
  })

  test('merges fields that were saved elsewhere, and keeps the ones edited here', () => {
    const before = draftOf(saved)
    const twice = [...before.headers, { ...blankRow.headers(), name: 'Accept' }]
    const draft: ActionDraft = { ...before, description: 'Mine', headers: twice }
    const elsewhere = draftOf({ ...saved, path: '/v3', description: 'Theirs', responseMapping: { id: 'id' } })
    expect(merge(actionFields, before, draft, draftOf(saved)).draft).toBe(draft)
    const merged = merge(actionFields, before, draft, elsewhere)
    expect(merged).toEqual({
      draft: {
        ...draft,
        path: '/v3',
        responseMapping: [{ id: expect.any(Number), alias: 'id', path: 'id' }],
      },
      conflicts: ['description'],
    })
    const { headers, parameters, responseMapping } = merged.draft
    expect(new Set([...headers, ...parameters, ...responseMapping].map(({ id }) => id)).size).toBe(6)
  })

  test('gives each row its own id, which no other draft has', () => {
    const ids = [draftOf(saved), draftOf(saved)].flatMap(({ headers, parameters, responseMapping }) =>
      [...headers, ...parameters, ...responseMapping].map(({ id }) => id),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('a change', () => {
  test('has only the fields that differ', () => {
    expect(changed(saved, { ...draftOf(saved), path: '/v3/refunds', name: 'Refund' })).toEqual([
      'name',
      'path',
    ])
  })

  test('may be only the order of the parameters', () => {
    const draft = draftOf(saved)
    const [first] = draft.parameters
    const moved = { ...draft, parameters: moveRow(draft.parameters, first?.id ?? -1, 1) }
    expect(changed(saved, moved)).toEqual(['parameters'])
    expect(fieldsOf(moved).parameters.map(({ name }) => name)).toEqual(['amount', 'order_id'])
  })

  test('never contains isEnabled, which is saved at once', () => {
    expect(changed(saved, { ...draftOf(saved), isEnabled: true })).toEqual([])
  })

  test('that removes every header sets headers to null', () => {
    const draft = { ...draftOf(saved), headers: [] }
    expect(changed(saved, draft)).toEqual(['headers'])
    expect(fieldsOf(draft).headers).toBeNull()
  })
})

test('the fields that say how a parameter is sent are kept, and left out once they say nothing', () => {
  const sent = { ...saved.parameters[0], in: 'query', isList: true, style: 'comma', schema: {}, value: [] }
  const action = ActionFields.parse({ ...saved, parameters: [sent, saved.parameters[1]] })
  const draft = draftOf(action)
  expect(fieldsOf(draft).parameters).toStrictEqual(action.parameters)
  const nothing = { in: undefined, isList: undefined, style: undefined, schema: undefined, value: undefined }
  const plain = draft.parameters.map(row => ({
    ...row,
    ...nothing,
    unread: withUnread({ value: '[' }, 'value', null),
  }))
  expect(fieldsOf({ ...draft, parameters: plain }).parameters).toStrictEqual(
    draftOf(saved).parameters.map(({ id: _, ...parameter }) => parameter),
  )
  expect(changed(saved, { ...draft, parameters: plain })).toEqual([])
})

test('moveRow returns the same rows beyond either end, and for an unknown row', () => {
  const { parameters } = draftOf(saved)
  expect(moveRow(parameters, parameters[0]?.id ?? -1, -1)).toBe(parameters)
  expect(moveRow(parameters, parameters[1]?.id ?? -1, 2)).toBe(parameters)
  expect(moveRow(parameters, 999, 1)).toBe(parameters)
})
