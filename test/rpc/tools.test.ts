import { expect, test } from 'vitest'
import { z } from 'zod'
import { Tool } from '#shared/model/tool.ts'
import { createAction } from '../support/actions.ts'
import { createConnection, errorCode, type Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const Workspace = z.object({ workspaceId: z.string() })

async function toolsIn(rest: Rest, query = ''): Promise<Tool[]> {
  return z.array(z.strictObject(Tool.shape)).parse((await rest('GET', `/tools${query}`)).body)
}

test('the catalogue follows every toggle at once', async () => {
  const { rest } = await cleanService()
  const { connectionId } = await createConnection(rest, { name: 'My Shop' })
  const connection = `/connections/${connectionId}`
  const { actionId } = await createAction(rest, connectionId)
  const action = `${connection}/actions/${actionId}`
  expect(await toolsIn(rest)).toEqual([])
  for (const { path, off, on } of [
    { path: connection, off: { baseUrl: null }, on: { baseUrl: 'https://api.example.com' } },
    { path: connection, off: { enabled: false }, on: { enabled: true } },
    { path: action, off: { isEnabled: false }, on: { isEnabled: true } },
  ]) {
    await rest('PATCH', path, off)
    expect(await toolsIn(rest)).toEqual([])
    await rest('PATCH', path, on)
    expect(await toolsIn(rest)).toMatchObject([{ connectionId, actionId, toolName: 'look_up' }])
  }

  const [before] = await toolsIn(rest)
  expect(before?.name).toMatch(/^my_shop_[A-Za-z0-9]{4}__look_up$/)
  await rest('PATCH', connection, { name: 'Renamed' })
  expect(await toolsIn(rest)).toEqual([before])
  await rest('PATCH', action, { toolName: 'find' })
  expect((await toolsIn(rest))[0]?.name).toBe(before?.name.replace('look_up', 'find'))
  await rest('DELETE', action)
  expect(await toolsIn(rest)).toEqual([])
})

test('the catalogue can be that of one workspace', async () => {
  const { rest } = await cleanService()
  const { workspaceId } = Workspace.parse((await rest('POST', '/workspaces', { name: 'Team' })).body)
  const baseUrl = 'https://api.example.com'
  const ours = await createConnection(rest, { baseUrl, workspaceId })
  const others = await createConnection(rest, { baseUrl })
  await createAction(rest, ours.connectionId)
  await createAction(rest, others.connectionId)
  expect(await toolsIn(rest)).toHaveLength(2)
  expect(await toolsIn(rest, `?workspaceId=${workspaceId}`)).toMatchObject([
    { connectionId: ours.connectionId },
  ])
  expect(await toolsIn(rest, '?workspaceId=default')).toMatchObject([{ connectionId: others.connectionId }])
  const unknown = await rest('GET', '/tools?workspaceId=ws_none')
  expect([unknown.status, errorCode(unknown)]).toEqual([404, 'workspace_not_found'])
})

test('a tool name is suggested for the name of an action, as it would be made', async () => {
  const { rest } = await cleanService()
  const { connectionId } = await createConnection(rest)
  for (const name of ['Look up: größe & Maße', 'getHTTPStatus', '2nd try!', '商品', 'x'.repeat(100)]) {
    const { toolName } = await createAction(rest, connectionId, { name })
    const answer = await rest('GET', `/tools/suggest-name?name=${encodeURIComponent(name)}`)
    expect([answer.status, answer.body]).toEqual([200, { toolName }])
  }
  expect((await rest('GET', '/tools/suggest-name?name=')).body).toEqual({ toolName: 'tool_e3b0c442' })
  const tooLong = await rest('GET', `/tools/suggest-name?name=${'x'.repeat(1001)}`)
  expect([tooLong.status, errorCode(tooLong)]).toEqual([400, 'invalid_input'])
  const none = await rest('GET', '/tools/suggest-name')
  expect([none.status, errorCode(none)]).toEqual([400, 'invalid_input'])
})
