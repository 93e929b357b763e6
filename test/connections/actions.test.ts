import { describe, expect, test } from 'vitest'
import { changeAction, createAction, findAction, removeAction } from '#main/connections/actions.ts'
import { changeConnection, summaryOf } from '#main/connections/connections.ts'
import type { Config } from '#main/storage/config.ts'
import { NewAction } from '#shared/model/action.ts'
import { countingRandom, now, withShop } from './fixtures.ts'

const later = '2026-11-22T00:00:00.000Z'
const given = (fields: object = {}) =>
  NewAction.parse({ name: 'Look up', description: 'When asked.', path: '/orders', ...fields })

function withAction(fields: object = {}) {
  const random = countingRandom()
  const { config, shop } = withShop(random)
  const { connectionId } = shop
  const { next, result } = createAction(config, connectionId, given(fields), now, random)
  const add = (before: Config, more: object) => createAction(before, connectionId, given(more), now, random)
  return { config: next, connectionId, action: result, add }
}

function issuesOf(change: () => unknown) {
  try {
    change()
  } catch (error) {
    return error
  }
  throw new Error('It was not refused.')
}

describe('an action', () => {
  test('gets an id, a tool name made from its name, and defaults', () => {
    const { config, connectionId, action } = withAction()
    expect(action).toEqual({
      actionId: expect.stringMatching(/^act_[\w-]{21}$/),
      name: 'Look up',
      toolName: 'look_up',
      description: 'When asked.',
      method: 'POST',
      path: '/orders',
      headers: null,
      parameters: [],
      responseMapping: null,
      isEnabled: true,
      createdAt: now,
      updatedAt: now,
    })
    const shop = config.connections.get(connectionId)
    if (shop === undefined) throw new Error('The shop is gone.')
    expect(shop.actions).toEqual([action])
    expect(summaryOf(shop).actionCount).toBe(1)
  })

  test('keeps the tool name that it is given', () => {
    expect(withAction({ toolName: 'find_it' }).action.toolName).toBe('find_it')
  })

  test.each([{ toolName: 'look_up', name: 'Other' }, { name: 'look  UP' }])(
    'of a tool name that is taken is refused: %j',
    fields => {
      const { config, add } = withAction()
      expect(issuesOf(() => add(config, fields))).toMatchObject({
        code: 'duplicate_tool_name',
        status: 409,
        data: { issues: [{ path: 'toolName' }] },
      })
    },
  )

  test('of another connection may have the same tool name', () => {
    const { config, connectionId } = withAction()
    const shop = config.connections.get(connectionId)
    if (shop === undefined) throw new Error('The shop is gone.')
    const other = { ...shop, connectionId: 'conn_other', actions: [] }
    const both = { ...config, connections: new Map(config.connections).set('conn_other', other) }
    const { result } = createAction(both, 'conn_other', given(), now, countingRandom())
    expect(result.toolName).toBe('look_up')
  })

  test('keeps its place, id and tool name when it is changed, and marks the connection as changed', () => {
    const { config, connectionId, action, add } = withAction({ headers: { A: '1' } })
    const { next: two } = add(config, { name: 'Second' })
    const { next, result } = changeAction(
      two,
      connectionId,
      action.actionId,
      { name: 'New', headers: null, method: undefined },
      later,
    )
    expect(result).toEqual({ ...action, name: 'New', headers: null, updatedAt: later })
    const shop = next.connections.get(connectionId)
    expect(shop?.actions.map(({ toolName }) => toolName)).toEqual(['look_up', 'second'])
    expect(shop?.updatedAt).toBe(later)
  })

  test('sends a body again as its Content-Type says once sendsBody is changed to null', () => {
    const { config, connectionId, action } = withAction({ method: 'POST', sendsBody: false })
    const change = (before: Config, fields: object) =>
      changeAction(before, connectionId, action.actionId, fields, later)
    const { next, result } = change(config, { name: 'New' })
    expect(result.sendsBody).toBe(false)
    const { sendsBody: _, ...others } = result
    expect(change(next, { sendsBody: null }).result).toStrictEqual({
      ...others,
      updatedAt: expect.any(String),
    })
  })

  test('has to be valid as a whole after a change', () => {
    const { config, connectionId, action } = withAction({
      method: 'POST',
      path: '/orders?id=1',
      parameters: [{ name: 'id', type: 'string', description: 'x', required: false }],
    })
    const change = (fields: object) => changeAction(config, connectionId, action.actionId, fields, later)
    expect(issuesOf(() => change({ method: 'GET' }))).toMatchObject({
      code: 'invalid_input',
      data: { issues: [{ path: 'parameters.0.name' }] },
    })
    expect(change({ method: 'GET', path: '/orders' }).result.method).toBe('GET')
  })

  test('takes another tool name, its own one too, but no other action’s', () => {
    const { config, connectionId, action, add } = withAction()
    const { next } = add(config, { toolName: 'taken' })
    const rename = (toolName: string) =>
      changeAction(next, connectionId, action.actionId, { toolName }, later).result.toolName
    expect(rename('look_up')).toBe('look_up')
    expect(rename('free')).toBe('free')
    expect(issuesOf(() => rename('taken'))).toMatchObject({ code: 'duplicate_tool_name' })
  })

  test('is removed without touching the others; a second time it is not found', () => {
    const { config, connectionId, action, add } = withAction()
    const { next: two, result: second } = add(config, { name: 'Second' })
    const { next } = removeAction(two, connectionId, action.actionId, later)
    const shop = next.connections.get(connectionId)
    if (shop === undefined) throw new Error('The shop is gone.')
    expect(shop.actions).toEqual([second])
    expect(findAction(shop, second.actionId)).toBe(second)
    for (const again of [
      () => removeAction(next, connectionId, action.actionId, later),
      () => changeAction(next, connectionId, action.actionId, {}, later),
      () => findAction(shop, action.actionId),
    ])
      expect(issuesOf(again)).toMatchObject({ code: 'action_not_found' })
  })

  test('stays when the connection is changed', () => {
    const { config, connectionId, action } = withAction()
    expect(changeConnection(config, connectionId, { name: 'x' }, later).result.actions).toEqual([action])
  })
})
