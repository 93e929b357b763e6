import { describe, expect, test } from 'vitest'
import {
  type ActionRow,
  attentionOf,
  selectActions,
  unsetNames,
} from '#renderer/features/actions/select-actions.ts'

const row = (name: string, fields: Partial<ActionRow> = {}): ActionRow => ({
  actionId: `act_${name}`,
  name,
  toolName: name.toLowerCase(),
  description: 'x',
  method: 'GET',
  path: `/${name}`,
  headers: null,
  parameters: [],
  responseMapping: null,
  isEnabled: true,
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
  attention: [],
  ...fields,
})
const names = (rows: readonly ActionRow[]) => rows.map(({ name }) => name)
const rows = [
  row('Refund', { method: 'POST', path: '/v2/money-back' }),
  row('Orders', { isEnabled: false }),
  row('Stock', { attention: ['Look.'] }),
]

describe('selecting actions', () => {
  test('requires each word in the name, tool name, path or method', () => {
    expect(names(selectActions(rows, 'MONEY', 'all'))).toEqual(['Refund'])
    expect(names(selectActions(rows, 'post refund', 'all'))).toEqual(['Refund'])
    expect(names(selectActions(rows, 'post orders', 'all'))).toEqual([])
  })

  test('can show only the enabled ones, or those that need attention', () => {
    expect(names(selectActions(rows, '', 'enabled'))).toEqual(['Refund', 'Stock'])
    expect(names(selectActions(rows, '', 'attention'))).toEqual(['Stock'])
  })
})

test('an action needs attention for a variable that is not set', () => {
  const unset = unsetNames([
    { name: 'SET', sources: ['process'], kind: 'value', usedBy: [] },
    { name: 'UNSET', sources: [], kind: 'value', usedBy: [] },
  ])
  expect(attentionOf({ headers: { A: '{{SET}} {{OTHER}}' } }, unset)).toEqual([])
  expect(attentionOf({ headers: { A: '{{UNSET}}', B: 'Bearer {{UNSET}}' } }, unset)).toEqual([
    'The variable UNSET is not set.',
  ])
})
