import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAction } from '../support/actions.ts'
import { createConnection, errorCode, issuePaths } from '../support/rest-client.ts'
import { sharedService, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const value = 'canary-value-4711'

describe('environment variables', () => {
  test('are set, replaced, listed by name alone, kept sealed, removed', async () => {
    const fixture = await cleanService()
    const { rest, dataFolder } = fixture
    expect((await rest('GET', '/environment')).body).toEqual([])
    const set = await rest('PUT', '/environment/SHOP_KEY', { value })
    const body = { name: 'SHOP_KEY', sources: ['settings'], kind: 'value', usedBy: [] }
    expect(set).toMatchObject({ status: 200, body })
    await rest('PUT', '/environment/B', { value: 'x' })
    await rest('PUT', '/environment/SHOP_KEY', { value: `${value}-2` })
    const all = [
      { name: 'B', sources: ['settings'], kind: 'value', usedBy: [] },
      { name: 'SHOP_KEY', sources: ['settings'], kind: 'value', usedBy: [] },
    ]
    expect((await rest('GET', '/environment')).body).toEqual(all)
    await fixture.restart()
    expect((await rest('GET', '/environment')).body).toEqual(all)
    const file = await readFile(join(dataFolder, 'config.json'), 'utf8')
    expect(file).toContain('SHOP_KEY')
    expect(file).not.toContain(value)
    expect(await rest('DELETE', '/environment/B')).toMatchObject({ status: 200, body: { deleted: 1 } })
    const again = await rest('DELETE', '/environment/B')
    expect([again.status, errorCode(again)]).toEqual([404, 'environment_variable_not_found'])
    expect((await rest('GET', '/environment')).body).toEqual(all.slice(1))
  })

  test('of the process are listed where a header mentions them and the settings allow it', async () => {
    const env = { PROCESS_KEY: value, UNUSED: value, CUSTOM_CONNECTION_ADMIN_TOKEN: value }
    const { rest } = await startService({ service: { env } })
    const { connectionId } = await createConnection(rest)
    const headers = { A: '{{PROCESS_KEY}}', B: '{{CUSTOM_CONNECTION_ADMIN_TOKEN}}', C: '{{NOT_SET}}' }
    await createAction(rest, connectionId, { headers })
    const usedBy = [{ connectionId, connectionName: 'Shop', actions: 1 }]
    const listed = (sources: string[]) => [
      { name: 'CUSTOM_CONNECTION_ADMIN_TOKEN', sources: [], kind: 'value', usedBy },
      { name: 'NOT_SET', sources: [], kind: 'value', usedBy },
      { name: 'PROCESS_KEY', sources, kind: 'value', usedBy },
    ]
    expect((await rest('GET', '/environment')).body).toEqual(listed(['process']))
    await rest('PATCH', '/settings', { environmentPatterns: ['SHOP_*'] })
    expect((await rest('GET', '/environment')).body).toEqual(listed([]))
    await rest('PATCH', '/settings', { environmentPatterns: ['*_KEY'] })
    const set = await rest('PUT', '/environment/PROCESS_KEY', { value: 'x' })
    expect(set.body).toEqual({ name: 'PROCESS_KEY', sources: ['settings', 'process'], kind: 'value', usedBy })
  })

  test('tell which connections use them, and in how many actions', async () => {
    const { rest } = await cleanService()
    const first = await createConnection(rest, { name: 'first' })
    const second = await createConnection(rest, { name: 'second' })
    const twice = { A: 'Bearer {{TOKEN}}', B: '{{TOKEN}} {{TOKEN}}' }
    await createAction(rest, first.connectionId, { name: 'one', headers: twice })
    const two = await createAction(rest, first.connectionId, { name: 'two', headers: { A: '{{TOKEN}}' } })
    await createAction(rest, first.connectionId, { name: 'three', headers: { A: '{{OTHER}}' } })
    await createAction(rest, second.connectionId, { headers: twice })
    await createAction(rest, second.connectionId, { name: 'no headers' })
    const use = ({ connectionId, name }: typeof first, actions: number) => ({
      connectionId,
      connectionName: name,
      actions,
    })
    expect((await rest('GET', '/environment')).body).toEqual([
      { name: 'OTHER', sources: [], kind: 'value', usedBy: [use(first, 1)] },
      { name: 'TOKEN', sources: [], kind: 'value', usedBy: [use(first, 2), use(second, 1)] },
    ])
    await rest('DELETE', `/connections/${first.connectionId}/actions/${two.actionId}`)
    await rest('DELETE', `/connections/${second.connectionId}`)
    expect((await rest('GET', '/environment')).body).toEqual([
      { name: 'OTHER', sources: [], kind: 'value', usedBy: [use(first, 1)] },
      { name: 'TOKEN', sources: [], kind: 'value', usedBy: [use(first, 1)] },
    ])
  })

  test('tell that the model of conversations is asked with one', async () => {
    const { rest } = await cleanService()
    const model = {
      provider: 'ollama',
      baseUrl: 'http://127.0.0.1:11434/v1',
      model: 'm',
      contextTokens: 4096,
    }
    const assistantModel = { ...model, keyVariable: 'MODEL_KEY' }
    expect((await rest('PATCH', '/settings', { assistantModel })).status).toBe(200)
    expect((await rest('GET', '/environment')).body).toEqual([
      { name: 'MODEL_KEY', sources: [], kind: 'value', usedBy: [], model: true },
    ])
    await rest('PATCH', '/settings', { assistantModel: null })
    expect((await rest('GET', '/environment')).body).toEqual([])
  })

  test.each([
    ['A', {}, 'value'],
    ['A', { value: '' }, 'value'],
    ['A', { value: 7 }, 'value'],
    ['A', { value: 'one\ntwo' }, 'value'],
    ['A', { value: 'key\r' }, 'value'],
    ['A', { value: 'key\0' }, 'value'],
    ['A', { value: `${value}${'x'.repeat(32_768)}` }, 'value'],
    ['9A', { value }, 'name'],
    ['A-B', { value }, 'name'],
    ['%C3%A9', { value }, 'name'],
    ['A'.repeat(129), { value }, 'name'],
  ])('%s is not set to what is none', async (name, body, path) => {
    const { rest } = await cleanService()
    const answer = await rest('PUT', `/environment/${name}`, body)
    expect([answer.status, errorCode(answer), issuePaths(answer)]).toEqual([400, 'invalid_input', [path]])
    expect(answer.text).not.toContain(value)
    expect((await rest('GET', '/environment')).body).toEqual([])
  })

  test('may be as long as 32768 characters', async () => {
    const { rest } = await cleanService()
    expect((await rest('PUT', '/environment/A', { value: 'x'.repeat(32_768) })).status).toBe(200)
    expect((await rest('PUT', '/environment/__proto__', { value: 'x' })).status).toBe(200)
    expect((await rest('GET', '/environment')).text).toContain('__proto__')
  })
})
