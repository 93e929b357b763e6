import { expect, test } from 'vitest'
import { copyOf } from '#renderer/features/actions/copy-of.ts'
import { ActionFields } from '#shared/model/action.ts'

const action: ActionFields = {
  name: '🙂'.repeat(120),
  toolName: 't'.repeat(64),
  description: 'x',
  method: 'GET',
  path: '/',
  headers: null,
  parameters: [],
  responseMapping: null,
  isEnabled: true,
}

test('a copy is valid for names of any length, disabled, and has a new tool name', () => {
  const first = copyOf(action, new Set())
  const second = copyOf(action, new Set([first.toolName]))
  for (const copy of [first, second]) expect(ActionFields.parse(copy)).toEqual(copy)
  expect(first.isEnabled).toBe(false)
  expect(first.toolName.endsWith('_copy')).toBe(true)
  expect(second.toolName.endsWith('_copy_2')).toBe(true)
})
