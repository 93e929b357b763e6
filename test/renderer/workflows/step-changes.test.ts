import { expect, test } from 'vitest'
import { newDraft, workflowFields } from '#renderer/features/workflows/builder/draft.ts'
import { stepChanges } from '#renderer/features/workflows/builder/step-changes.ts'
import { conflictsOf, editDraft, rebase, startDraft } from '#renderer/ui/draft/draft.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'

const fields = workflowFields(id => `name of ${id}`)
const notify = (key: string, message = key): Step => ({ key, type: 'notify', message })
const branch = (steps: Step[], operand = 1): Step => ({
  ...{ key: 'check', type: 'branch', otherwise: [] },
  cases: [{ when: { value: '{{total}}', operator: 'greater', operand }, steps }],
})

test('two lists of steps are compared step by step', () => {
  const before = [notify('a'), branch([notify('inner')]), notify('z')]
  const after = [notify('a', 'Hello'), notify('new'), branch([]), notify('inner'), notify('z')]
  expect(stepChanges(before, after)).toEqual([
    ...[
      'Changed Notify 1',
      'Added Notify 2',
      'Moved Branch 2 to 3',
      'Moved Notify 2.1 to 4',
      'Moved Notify 3 to 5',
    ],
  ])
  expect(stepChanges(before, [branch([notify('inner')], 2)])).toEqual([
    ...['Changed Branch 1', 'Moved Notify 2.1 to 1.1', 'Removed Notify 1', 'Removed Notify 3'],
  ])
  expect(stepChanges(before, before)).toEqual([])
})

test('steps that two windows have changed are in conflict, and each says what it changed', () => {
  const base = { ...newDraft(), name: 'Orders', steps: [notify('a'), notify('b')] }
  const mine = editDraft(
    startDraft(1, base),
    draft => ({ ...draft, steps: [notify('a', 'mine'), notify('b')] }),
    null,
  )
  const theirs = { ...base, name: 'Renamed', steps: [notify('a')] }
  const state = rebase(fields, mine, 2, theirs)
  expect(conflictsOf(fields, state)).toEqual([
    { key: 'steps', label: 'steps', mine: 'Changed Notify 1.', theirs: 'Removed Notify 2.' },
  ])
  expect(state.history.present.name).toBe('Renamed')
})

test('triggers that two windows have changed are in conflict, and each says the name of its connection', () => {
  const base = newDraft({ eventName: 'order.paid' })
  const withConnection = (connectionId: string | null) => ({
    ...base,
    trigger: { ...base.trigger, connectionId },
  })
  const mine = editDraft(startDraft(1, withConnection('conn_1')), () => withConnection('conn_2'), null)
  expect(conflictsOf(fields, rebase(fields, mine, 2, withConnection(null)))).toEqual([
    {
      ...{ key: 'trigger', label: 'trigger' },
      ...{ mine: 'order.paid of name of conn_2', theirs: 'order.paid of any connection' },
    },
  ])
})
