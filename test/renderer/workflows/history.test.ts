import { expect, test } from 'vitest'
import { changeLabels, changeOf, mergeSaved, newDraft } from '#renderer/features/workflows/builder/draft.ts'
import { rebase, record, redo, startHistory, undo } from '#renderer/features/workflows/builder/history.ts'

test('undo goes back by whole changes, and redo forward until something else changes', () => {
  let history = record(startHistory('a'), 'ab', 'typing')
  history = record(history, 'abc', 'typing')
  history = record(history, 'x')
  expect(history).toMatchObject({ past: ['a', 'abc'], present: 'x' })
  history = undo(undo(undo(history)))
  expect(history).toMatchObject({ past: [], present: 'a', future: ['abc', 'x'] })
  expect(redo(redo(redo(history)))).toMatchObject({ present: 'x', future: [] })
  expect(record(redo(history), 'abd', 'typing')).toMatchObject({ past: ['a', 'abc'], future: [] })
  expect(record(history, 'a')).toBe(history)
})

test('a draft takes what was saved elsewhere, but keeps the fields changed here', () => {
  const base = { ...newDraft({ eventName: 'order.paid' }), name: 'Orders' }
  const draft = { ...base, ordered: true }
  const saved = {
    ...base,
    name: 'Paid orders',
    ordered: false,
    workflowId: 'wf_1',
    workspaceId: 'default',
    enabled: true,
    createdAt: '2026-11-22T00:00:00.000Z',
    updatedAt: '2026-11-22T00:00:00.000Z',
  }
  expect(mergeSaved(draft, base, saved)).toEqual({ ...draft, name: 'Paid orders' })
  expect(changeLabels(changeOf(base, { ...draft, name: 'Other' }))).toBe('name, order')
  expect(changeOf(base, { ...base, steps: [] })).toEqual({})
})

test('undo does not take back what was saved elsewhere', () => {
  const base = { ...newDraft(), name: 'Orders' }
  const history = record(startHistory(base), { ...base, ordered: true })
  const facts = { workflowId: 'wf_1', workspaceId: 'default', enabled: true, createdAt: '', updatedAt: '' }
  const rebased = rebase(history, draft =>
    mergeSaved(draft, base, { ...base, ...facts, name: 'Paid orders' }),
  )
  expect(rebased.present).toEqual({ ...base, name: 'Paid orders', ordered: true })
  expect(undo(rebased).present).toEqual({ ...base, name: 'Paid orders' })
})
