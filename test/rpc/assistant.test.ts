import { expect, test } from 'vitest'
import { z } from 'zod'
import { AssistantTools, ClientToken, CreatedClientToken } from '#shared/model/assistant.ts'
import { createAction, testAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { filesBelow } from '../support/leaks.ts'
import { createConnection, errorCode, issuePaths, type Rest } from '../support/rest-client.ts'
import { sharedService, startOfTests } from '../support/service-fixture.ts'

const cleanService = sharedService()

async function createToken(rest: Rest, fields: object = {}): Promise<z.infer<typeof CreatedClientToken>> {
  const answer = await rest('POST', '/assistant/tokens', { name: 'Claude', ...fields })
  expect(answer.status).toBe(201)
  return z.strictObject(CreatedClientToken.shape).parse(answer.body)
}

async function tokensIn(rest: Rest): Promise<ClientToken[]> {
  return z.array(z.strictObject(ClientToken.shape)).parse((await rest('GET', '/assistant/tokens')).body)
}

async function toolsIn(rest: Rest, query = ''): Promise<AssistantTools> {
  return AssistantTools.parse((await rest('GET', `/assistant/tools${query}`)).body)
}

test('a token is in the answer to its creation only, and its file keeps a digest', async () => {
  const { rest, dataFolder, clock } = await cleanService()
  const { token, ...created } = await createToken(rest)
  expect(token).toMatch(/^ccmcp_[A-Za-z0-9_-]{43}$/)
  expect(created).toEqual({
    ...{ tokenId: created.tokenId, name: 'Claude', workspaceId: null, connectionId: null },
    ...{ readOnly: false, askFirst: false, permissions: {}, tools: 'all', lastUsedAt: null },
    createdAt: new Date(clock.now).toISOString(),
    updatedAt: new Date(clock.now).toISOString(),
  })
  expect(await tokensIn(rest)).toEqual([created])
  const files = await filesBelow(dataFolder)
  const text = files.flatMap(([name, content]) => (name.startsWith('config.json') ? content : [])).join()
  expect(text).toContain(created.tokenId)
  expect(text).not.toContain(token)
})

test('a token is changed and revoked', async () => {
  const { rest } = await cleanService()
  const { tokenId } = await createToken(rest)
  const path = `/assistant/tokens/${tokenId}`
  const change = { name: 'Desktop', readOnly: true, permissions: { act_x: 'ask' } }
  expect((await rest('PATCH', path, change)).body).toMatchObject({ tokenId, ...change })
  expect(await tokensIn(rest)).toMatchObject([change])
  expect((await rest('DELETE', path)).body).toEqual({ deleted: 1 })
  expect(await tokensIn(rest)).toEqual([])
  for (const method of ['PATCH', 'DELETE'] as const)
    expect(errorCode(await rest(method, path, {}))).toBe('client_token_not_found')
})

test('a token finds its tools on demand, which is stored only then', async () => {
  const fixture = await cleanService()
  const { rest } = fixture
  const { tokenId } = await createToken(rest, { tools: 'on demand' })
  const path = `/assistant/tokens/${tokenId}`
  await fixture.restart()
  expect(await tokensIn(rest)).toMatchObject([{ tools: 'on demand' }])
  expect((await rest('PATCH', path, { name: 'Other' })).body).toMatchObject({ tools: 'on demand' })
  expect((await rest('PATCH', path, { tools: 'all' })).body).toMatchObject({ tools: 'all' })
  await createToken(rest)
  for (const token of fixture.service.storage.config.snapshot().clientTokens.values())
    expect(token).not.toHaveProperty('tools')
  expect(issuePaths(await rest('PATCH', path, { tools: 'some' }))).toEqual(['tools'])
})

test('a token for what does not exist is refused', async () => {
  const { rest } = await cleanService()
  const { connectionId } = await createConnection(rest)
  const { body } = await rest('POST', '/workspaces', { name: 'Other' })
  const { workspaceId } = z.object({ workspaceId: z.string() }).parse(body)
  const post = (fields: object) => rest('POST', '/assistant/tokens', { name: 'x', ...fields })
  expect(errorCode(await post({ workspaceId: 'ws_none' }))).toBe('workspace_not_found')
  expect(errorCode(await post({ connectionId: 'conn_none' }))).toBe('connection_not_found')
  expect(errorCode(await post({ connectionId, workspaceId }))).toBe('connection_not_found')
  expect(issuePaths(await post({ permissions: { act_x: 'always' }, name: '' }))).toEqual([
    'name',
    'permissions.act_x',
  ])
})

test('a token is deleted with its connection or its workspace', async () => {
  const { rest } = await cleanService()
  const { connectionId } = await createConnection(rest)
  const { body } = await rest('POST', '/workspaces', { name: 'Other' })
  const { workspaceId } = z.object({ workspaceId: z.string() }).parse(body)
  await createToken(rest, { name: 'connection', connectionId })
  await createToken(rest, { name: 'workspace', workspaceId })
  await createToken(rest, { name: 'all' })
  await rest('DELETE', `/connections/${connectionId}`)
  expect((await tokensIn(rest)).map(({ name }) => name)).toEqual(['workspace', 'all'])
  await rest('DELETE', `/workspaces/${workspaceId}`)
  expect((await tokensIn(rest)).map(({ name }) => name)).toEqual(['all'])
})

test('tools cost tokens, which follow the description', async () => {
  const { rest } = await cleanService()
  const onDemandTokens = expect.toSatisfy(tokens => tokens > 100 && tokens < 1000)
  expect(await toolsIn(rest)).toEqual({ tools: [], totalTokens: 0, totalTools: 0, onDemandTokens })
  const { connectionId } = await createConnection(rest, { baseUrl: 'https://api.example.com' })
  const { actionId } = await createAction(rest, connectionId, { description: 'Finds an order.' })
  const before = await toolsIn(rest)
  expect(before.totalTokens).toBeGreaterThan(20)
  expect(before.totalTokens).toBe(before.tools[0]?.tokens)
  expect(before.totalTools).toBe(1)
  expect(before.tools[0]).toMatchObject({
    connectionId,
    actionId,
    toolName: 'look_up',
    method: 'GET',
    warnings: [{ code: 'no_use_case' }],
  })
  const description = 'Use this when a customer asks where an order is. '.repeat(20)
  await rest('PATCH', `/connections/${connectionId}/actions/${actionId}`, { description })
  const after = await toolsIn(rest)
  expect(after.totalTokens).toBeGreaterThan((before.totalTokens ?? 0) + 200)

  const other = await createConnection(rest, { baseUrl: 'https://api.example.com' })
  await createAction(rest, other.connectionId)
  const { body } = await rest('GET', `/assistant/tools?connectionId=${other.connectionId}`)
  const ofOther = AssistantTools.parse(body)
  expect(ofOther.totalTokens).toBe(ofOther.tools[0]?.tokens)
  expect(after.tools[0]?.warnings).toEqual([
    { code: 'long_description', characters: description.trim().length },
  ])
  expect(errorCode(await rest('GET', '/assistant/tools?workspaceId=ws_none'))).toBe('workspace_not_found')
})

test('a tool whose last response was large and is not mapped has a warning', async () => {
  const { rest } = await cleanService()
  const system = await startExternalSystem((_request, response) =>
    response.end(JSON.stringify('x'.repeat(5000))),
  )
  const { connectionId } = await createConnection(rest, { baseUrl: system.url })
  const action = await createAction(rest, connectionId)
  const place = { connectionId, actionId: action.actionId }
  const warnings = async () => (await toolsIn(rest)).tools[0]?.warnings
  expect(await warnings()).toEqual([])
  await testAction(rest, place)
  expect(await warnings()).toEqual([{ code: 'large_response', bytes: 5002 }])
  const responseMapping = { all: '$' }
  await rest('PATCH', `/connections/${connectionId}/actions/${action.actionId}`, { responseMapping })
  expect(await warnings()).toEqual([])
})

test('the address names the command of the stdio server with the data folder', async () => {
  const { rest, dataFolder } = await cleanService()
  const { body } = await rest('GET', '/assistant/address')
  expect(body).toEqual({ url: null, command: 'custom-connection', args: ['mcp', '--data', dataFolder] })
})

test('no clients, calls or held calls are listed before there are any', async () => {
  const { rest, clock } = await cleanService()
  expect(clock.now).toBe(startOfTests)
  expect((await rest('GET', '/assistant/clients')).body).toEqual([])
  expect((await rest('GET', '/assistant/calls')).body).toEqual({ calls: [], nextBefore: null })
  expect((await rest('GET', '/assistant/approvals')).body).toEqual([])
  const decided = await rest('POST', '/assistant/approvals/appr_x', { decision: 'allow' })
  expect(errorCode(decided)).toBe('approval_not_found')
})
