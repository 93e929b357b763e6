import { describe, expect, test } from 'vitest'
import { allowedBy, nextPermission, withPermission } from '#renderer/features/assistant/permissions.ts'
import type { ClientToken } from '#shared/model/assistant.ts'

const token: ClientToken = {
  tokenId: 'tok_1',
  name: 'Laptop',
  workspaceId: null,
  connectionId: null,
  readOnly: false,
  askFirst: true,
  permissions: {},
  tools: 'all',
  createdAt: '2026-11-22T10:00:00.000Z',
  updatedAt: '2026-11-22T10:00:00.000Z',
  lastUsedAt: null,
}
const reading = {
  ...{ connectionId: 'conn_1', actionId: 'act_read' },
  annotations: { readOnly: true, destructive: false },
}
const writing = {
  ...{ connectionId: 'conn_1', actionId: 'act_write' },
  annotations: { readOnly: false, destructive: false },
}
const permission = (change: Partial<ClientToken>, tool: typeof reading | typeof writing) =>
  allowedBy({ ...token, ...change }, tool)

describe('what a token may do with a tool', () => {
  test('is to run what reads, and to ask for what changes data if it asks first', () => {
    expect(permission({}, reading)).toEqual({ permission: 'run', isFixed: false })
    expect(permission({}, writing)).toEqual({ permission: 'ask', isFixed: false })
    expect(permission({ askFirst: false }, writing)).toEqual({ permission: 'run', isFixed: false })
  })

  test('follows its own permission, but never against read-only', () => {
    const permissions = { act_write: 'run', act_read: 'refuse' } as const
    expect(permission({ permissions }, writing)?.permission).toBe('run')
    expect(permission({ permissions }, reading)?.permission).toBe('refuse')
    expect(permission({ permissions, readOnly: true }, writing)).toEqual({
      permission: 'refuse',
      isFixed: true,
    })
  })

  test('is nothing with a tool of another connection', () => {
    expect(permission({ connectionId: 'conn_2' }, reading)).toBeNull()
    expect(permission({ connectionId: 'conn_1' }, reading)?.permission).toBe('run')
  })
})

test('a permission that the token has anyway is not kept', () => {
  const permissions = { act_read: 'ask', act_write: 'refuse' } as const
  expect(withPermission({ ...token, permissions }, writing, 'ask')).toEqual({ act_read: 'ask' })
  expect(withPermission({ ...token, permissions }, reading, 'refuse')).toEqual({
    act_read: 'refuse',
    act_write: 'refuse',
  })
})

test('pressing a cell goes through the three permissions', () => {
  expect((['run', 'ask', 'refuse'] as const).map(nextPermission)).toEqual(['ask', 'refuse', 'run'])
})
