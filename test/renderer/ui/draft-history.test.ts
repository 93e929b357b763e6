import { expect, test } from 'vitest'
import { changeAll, record, redo, startHistory, undo } from '#renderer/ui/draft/history.ts'

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

test('undo does not take back what was changed in every draft', () => {
  const history = record(startHistory({ name: 'Orders', ordered: false }), { name: 'Orders', ordered: true })
  const changed = changeAll(history, draft => ({ ...draft, name: 'Paid orders' }))
  expect(changed.present).toEqual({ name: 'Paid orders', ordered: true })
  expect(undo(changed).present).toEqual({ name: 'Paid orders', ordered: false })
})
