import { describe, expect, test } from 'vitest'
import { conflictOf, stepChanges } from '#renderer/features/workflows/builder/conflict.ts'
import { newDraft } from '#renderer/features/workflows/builder/draft.ts'
import { Workflow } from '#shared/model/workflow.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'

const notify = (key: string, message = key): Step => ({ key, type: 'notify', message })
const branch = (steps: Step[], operand = 1): Step => ({
  ...{ key: 'check', type: 'branch', otherwise: [] },
  cases: [{ when: { value: '{{total}}', operator: 'greater', operand }, steps }],
})
const base = { ...newDraft(), name: 'Orders', steps: [notify('a'), notify('b')] }
const saved = (fields: object) =>
  Workflow.parse({
    ...{ ...base, enabled: true, workflowId: 'wf_a', workspaceId: 'default' },
    ...{ createdAt: '2026-11-21T09:30:00.000Z', updatedAt: '2026-11-21T09:31:00.000Z' },
    ...fields,
  })
const titleOf = ({ key }: Step) => key

describe('a version that somebody else saved', () => {
  test('is in conflict with a draft only if both changed the same field to different values', () => {
    const mine = { ...base, steps: [notify('a', 'mine'), notify('b')] }
    const theirs = [notify('a'), notify('b', 'theirs')]
    expect(conflictOf(mine, base, saved({ name: 'Renamed' }))).toBeNull()
    expect(conflictOf(base, base, saved({ steps: theirs }))).toBeNull()
    expect(conflictOf(mine, base, saved({ steps: mine.steps }))).toBeNull()
    expect(conflictOf({ ...mine, ordered: true }, base, saved({ steps: theirs, name: 'New' }))).toMatchObject(
      {
        fields: 'steps',
        steps: { before: base.steps, after: theirs },
      },
    )
    expect(conflictOf({ ...mine, name: 'Mine' }, base, saved({ name: 'Theirs' }))).toMatchObject({
      fields: 'name',
      steps: null,
    })
  })

  test('is described step by step', () => {
    const before = [notify('a'), branch([notify('inner')]), notify('z')]
    const after = [notify('a', 'Hello'), notify('new'), branch([]), notify('inner'), notify('z')]
    expect(stepChanges(before, after, titleOf)).toEqual([
      ...['Changed a 1', 'Added new 2', 'Moved check 2 to 3', 'Moved inner 2.1 to 4', 'Moved z 3 to 5'],
    ])
    expect(stepChanges(before, [branch([notify('inner')], 2)], titleOf)).toEqual([
      ...['Changed check 1', 'Moved inner 2.1 to 1.1', 'Removed a 1', 'Removed z 3'],
    ])
    expect(stepChanges(before, before, titleOf)).toEqual([])
  })
})
