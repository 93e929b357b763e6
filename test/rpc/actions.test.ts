import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Action } from '#shared/model/action.ts'
import { CreatedAction, createAction, testAction } from '../support/actions.ts'
import { createConnection, ErrorBody, errorCode, issuePaths } from '../support/rest-client.ts'
import { sharedService, startOfTests } from '../support/service-fixture.ts'

const cleanService = sharedService()

const now = new Date(startOfTests).toISOString()
const parameters = [
  { name: 'order_id', type: 'string', description: 'The order', required: true },
  { name: 'filter', type: 'object', description: 'More', required: false },
]

async function withConnection() {
  const fixture = await cleanService()
  const { connectionId } = await createConnection(fixture.rest)
  return { ...fixture, rest: fixture.rest, connectionId, path: `/connections/${connectionId}/actions` }
}

describe('actions', () => {
  test('one needs a name, a description and a path, and gets the rest by default', async () => {
    const { rest, path, connectionId } = await withConnection()
    const created = await rest('POST', path, {
      name: ' Look up ',
      description: 'When asked.',
      path: 'orders',
    })
    const action = {
      actionId: expect.stringMatching(/^act_[\w-]{21}$/),
      name: 'Look up',
      toolName: 'look_up',
      description: 'When asked.',
      method: 'POST',
      path: 'orders',
      headers: null,
      parameters: [],
      responseMapping: null,
      isEnabled: true,
      createdAt: now,
      updatedAt: now,
    }
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ ...action, warnings: [] })
    expect((await rest('GET', path)).body).toEqual([action])
    const { actionId } = CreatedAction.parse(created.body)
    expect((await rest('GET', `${path}/${actionId}`)).body).toEqual({ ...action, warnings: [] })
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({ actionCount: 1 })
    expect((await rest('GET', '/connections')).body).toMatchObject([{ actionCount: 1 }])
  })

  test('all fields are kept, changed one by one, and cleared', async () => {
    const { rest, path, connectionId } = await withConnection()
    const fields = {
      name: 'Find',
      toolName: 'find_it',
      description: 'When asked.',
      method: 'PATCH',
      path: '/a?b=c',
      headers: { Authorization: 'Bearer {{KEY}}', 'X-Empty': '' },
      parameters,
      responseMapping: { sku: 'items[0].sku' },
      isEnabled: false,
    }
    const { actionId, ...created } = await createAction(rest, connectionId, fields)
    expect(created).toMatchObject(fields)
    const one = `${path}/${actionId}`
    for (const change of [
      { name: 'Renamed' },
      { toolName: 'other' },
      { description: 'Never.' },
      { method: 'DELETE' },
      { path: '/' },
      { headers: null },
      { headers: {} },
      { parameters: [] },
      { responseMapping: null },
      { isEnabled: true },
      {},
    ]) {
      Object.assign(fields, change)
      const changed = await rest('PATCH', one, change)
      expect(changed.status).toBe(200)
      expect(changed.body).toMatchObject(fields)
      expect((await rest('GET', one)).body).toEqual(changed.body)
    }
    expect(await rest('DELETE', one)).toMatchObject({ status: 200, body: { deleted: 1 } })
    expect((await rest('GET', path)).body).toEqual([])
  })

  test('keep the order of creation', async () => {
    const { rest, path, connectionId } = await withConnection()
    const first = await createAction(rest, connectionId, { name: 'b' })
    await createAction(rest, connectionId, { name: 'a' })
    await rest('PATCH', `${path}/${first.actionId}`, { isEnabled: false })
    expect((await rest('GET', path)).body).toMatchObject([{ toolName: 'b' }, { toolName: 'a' }])
  })

  test('a second one of the same tool name is a conflict that names the field', async () => {
    const { rest, path, connectionId } = await withConnection()
    await createAction(rest, connectionId)
    const other = await createAction(rest, connectionId, { name: 'Other' })
    const fields = { description: 'x', path: '/' }
    for (const answer of [
      await rest('POST', path, { ...fields, name: 'x', toolName: 'look_up' }),
      await rest('POST', path, { ...fields, name: 'Look-up!' }),
      await rest('PATCH', `${path}/${other.actionId}`, { toolName: 'look_up' }),
    ]) {
      expect([answer.status, errorCode(answer)]).toEqual([409, 'duplicate_tool_name'])
      expect(issuePaths(answer)).toEqual(['toolName'])
    }
    expect((await rest('GET', path)).body).toHaveLength(2)
    const elsewhere = await createConnection(rest)
    expect((await createAction(rest, elsewhere.connectionId)).toolName).toBe('look_up')
  })

  test('everything that is wrong with one is named', async () => {
    const { rest, path } = await withConnection()
    const answer = await rest('POST', path, {
      toolName: 'No Name',
      description: ' ',
      method: 'get',
      path: '/orders/{id}',
      headers: { Host: 'x', 'X-A': '{{' },
      parameters: [
        { ...parameters[0], name: 'a b', description: '' },
        { name: 'x', type: 'array', description: 'x' },
      ],
      responseMapping: { a: '' },
      isEnabled: 'yes',
    })
    expect([answer.status, errorCode(answer)]).toEqual([400, 'invalid_input'])
    expect(issuePaths(answer)).toEqual([
      'description',
      'headers.Host',
      'headers.X-A',
      'isEnabled',
      'method',
      'name',
      'parameters.0.description',
      'parameters.0.name',
      'parameters.1.required',
      'parameters.1.type',
      'path',
      'responseMapping.a',
      'toolName',
    ])
  })

  test('an issue with the name of a header or an alias has a code, one with its value has none', async () => {
    const { rest, path } = await withConnection()
    const headers = { Host: 'x', 'X-A': '{{', 'X-B': '1', 'x-b': '2' }
    const responseMapping = { '': 'a', b: 'a..b' }
    const answer = await rest('POST', path, {
      name: 'x',
      description: 'x',
      path: '/',
      headers,
      responseMapping,
    })
    const { data } = ErrorBody.parse(answer.body)
    expect(data?.issues.map(({ path: at, code }) => [at, code])).toEqual([
      ['headers.Host', 'invalid_key'],
      ['headers.X-A', undefined],
      ['headers.x-b', 'invalid_key'],
      ['responseMapping.b', undefined],
      ['responseMapping.', 'invalid_key'],
    ])
  })

  test('rules across fields are named beside others, and hold after a change as well', async () => {
    const { rest, path, connectionId } = await withConnection()
    const twice = { name: '', description: 'x', path: '/', parameters: [parameters[0], parameters[0]] }
    expect(issuePaths(await rest('POST', path, twice))).toEqual(['name', 'parameters.1.name'])
    const { actionId } = await createAction(rest, connectionId, {
      method: 'POST',
      path: '/orders?order_id=1',
      parameters,
    })
    const answer = await rest('PATCH', `${path}/${actionId}`, { method: 'GET' })
    expect([answer.status, errorCode(answer), issuePaths(answer)]).toEqual([
      400,
      'invalid_input',
      ['parameters.0.name'],
    ])
    expect((await rest('GET', `${path}/${actionId}`)).body).toMatchObject({ method: 'POST' })
  })

  test('parameters of other conventions are warned of, not refused', async () => {
    const { rest, path, connectionId } = await withConnection()
    const odd = [
      { ...parameters[0], name: 'orderId' },
      parameters[0],
      { ...parameters[0], name: 'filter[x]' },
    ]
    const { actionId, warnings } = await createAction(rest, connectionId, { parameters: odd })
    expect(warnings.map(warning => warning.path)).toEqual(['parameters.0.name', 'parameters.2.name'])
    expect((await rest('GET', `${path}/${actionId}`)).body).toMatchObject({ warnings })
    expect((await rest('PATCH', `${path}/${actionId}`, { parameters: [] })).body).toMatchObject({
      warnings: [],
    })
  })

  test('of what is not there are 404', async () => {
    const { rest, path, connectionId } = await withConnection()
    const { actionId } = await createAction(rest, connectionId)
    const elsewhere = (await createConnection(rest)).connectionId
    const fields = { name: 'x', description: 'x', path: '/' }
    for (const [code, base] of [
      ['connection_not_found', '/connections/conn_none/actions'],
      ['action_not_found', `/connections/${elsewhere}/actions`],
    ] as const)
      for (const answer of [
        await rest('GET', `${base}/${actionId}`),
        await rest('PATCH', `${base}/${actionId}`, {}),
        await rest('DELETE', `${base}/${actionId}`),
        await rest('POST', `${base}/${actionId}/test`, {}),
        await rest('GET', `${base}/${actionId}/tests`),
      ])
        expect([answer.status, errorCode(answer)]).toEqual([404, code])
    for (const answer of [
      await rest('GET', '/connections/conn_none/actions'),
      await rest('POST', '/connections/conn_none/actions', fields),
    ])
      expect([answer.status, errorCode(answer)]).toEqual([404, 'connection_not_found'])
    expect((await rest('GET', path)).body).toHaveLength(1)
  })
})

describe('a removed action', () => {
  test('is restored in its place, with its id and its calls', async () => {
    const { rest, path, connectionId } = await withConnection()
    const names = ['first', 'second', 'third']
    for (const name of names) await createAction(rest, connectionId, { name, toolName: name })
    const before = await rest('GET', path)
    const [, second] = z.array(Action).parse(before.body)
    const place = { connectionId, actionId: second?.actionId ?? '' }
    await testAction(rest, place)
    await rest('DELETE', `${path}/${place.actionId}`)
    expect((await rest('GET', path)).body).toHaveLength(2)

    const restored = await rest('POST', `${path}/${place.actionId}/restore`)
    expect(restored).toMatchObject({ status: 200, body: { ...second, warnings: [] } })
    expect((await rest('GET', path)).body).toEqual(before.body)
    expect((await rest('GET', `${path}/${place.actionId}/tests`)).body).toMatchObject({ tests: [{}] })
    expect(errorCode(await rest('POST', `${path}/${place.actionId}/restore`))).toBe('action_not_found')
  })

  test('is not restored while another has its tool name, and can be once that is gone', async () => {
    const { rest, path, connectionId } = await withConnection()
    const first = await createAction(rest, connectionId)
    await rest('DELETE', `${path}/${first.actionId}`)
    const second = await createAction(rest, connectionId)
    const restore = () => rest('POST', `${path}/${first.actionId}/restore`)
    expect(errorCode(await restore())).toBe('duplicate_tool_name')
    await rest('DELETE', `${path}/${second.actionId}`)
    expect((await restore()).status).toBe(200)
    expect((await rest('GET', path)).body).toMatchObject([{ actionId: first.actionId }])
  })

  test('of another connection, or of one that is deleted, is not found', async () => {
    const { rest, path, connectionId } = await withConnection()
    const { actionId } = await createAction(rest, connectionId)
    await rest('DELETE', `${path}/${actionId}`)
    const other = await createConnection(rest)
    const elsewhere = `/connections/${other.connectionId}/actions/${actionId}/restore`
    expect(errorCode(await rest('POST', elsewhere))).toBe('action_not_found')
    await rest('DELETE', `/connections/${connectionId}`)
    expect(errorCode(await rest('POST', `${path}/${actionId}/restore`))).toBe('connection_not_found')
  })
})
