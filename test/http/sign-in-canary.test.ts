import { expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { openFeed } from '../support/event-feed.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { expectNowhere, filesBelow } from '../support/leaks.ts'
import { connectMcp, httpTransport } from '../support/mcp-client.ts'
import { createConnection, type RestMethod } from '../support/rest-client.ts'
import { startService } from '../support/service-fixture.ts'

const clientSecret = 'client-secret canary/4721+"x" & more'
const password = 'password-canary:4722-é'
const queryKey = 'query-key-canary/4723&x=1'
const clientPair = Buffer.from(
  `canary-client:${new URLSearchParams([['', clientSecret]]).toString().slice(1)}`,
).toString('base64')
const basicPair = Buffer.from(`canary-user-4724:${password}`).toString('base64')
/** Differs from the beginning on: a part of one must not look like a part of another. */
const token = (count: number) => `${String(count).repeat(8)}-token-canary-4725`

const secrets = new Map([
  ['client secret', clientSecret],
  ['pair of the client', clientPair],
  ['password', password],
  ['pair of Basic', basicPair],
  ['key of the query', queryKey],
  ['first token', token(1)],
  ['second token', token(2)],
])

test('no answer, log, export, MCP answer, history or file holds a secret, token or pair of a sign-in', async () => {
  const fixture = await startService()
  const { rest, dashboardUrl, dataFolder, log } = fixture
  const answers: string[] = []
  const call = async (method: RestMethod, path: string, body?: unknown) => {
    const answer = await rest(method, path, body)
    answers.push(`${method} ${path} → ${answer.status} ${answer.text}`)
    return answer
  }
  const feed = await openFeed(fixture)

  let count = 0
  const tokenServer = await startExternalSystem(({ headers, url }, response) => {
    response.statusCode = url === '/bad' ? 400 : 200
    const refused = { error: `${clientSecret} ${headers.authorization}`, error_description: clientSecret }
    response.end(JSON.stringify(url === '/bad' ? refused : { access_token: token(++count) }))
  })
  // It answers with everything that it could know, in several spellings, and refuses the first token once.
  let refusals = 0
  const system = await startExternalSystem(({ headers, url }, response) => {
    const isRefused = headers.authorization === `Bearer ${token(1)}` && url.includes('refused')
    response.statusCode = isRefused && refusals++ === 0 ? 401 : 200
    const known = [...secrets.values()].filter(text => !text.includes('token') || text === token(count))
    const all = [...known, headers.authorization, url]
    const spellings = all.flatMap(text => [text, encodeURIComponent(String(text)), JSON.stringify(text)])
    response.setHeader('x-echo', encodeURIComponent([headers.authorization, url].join(' ')))
    response.end(JSON.stringify({ spellings }))
  })
  const oauth2 = {
    ...{ tokenUrl: tokenServer.url, clientId: 'canary-client' },
    ...{ secretVariable: 'C_SECRET', clientAuth: 'basic' },
  }
  await call('PUT', '/environment/C_SECRET', { value: clientSecret })
  await call('PUT', '/environment/C_PASSWORD', { value: password })
  await call('PUT', '/environment/C_KEY', { value: queryKey })
  await call('PUT', '/environment/C_TOKEN', { oauth2 })
  await call('PUT', '/environment/C_BAD', { oauth2: { ...oauth2, tokenUrl: `${tokenServer.url}/bad` } })
  await call('PUT', '/environment/C_PAIR', {
    basic: { user: 'canary-user-4724', passwordVariable: 'C_PASSWORD' },
  })
  for (const name of ['C_TOKEN', 'C_BAD', 'C_PAIR', 'C_SECRET'])
    await call('POST', `/environment/${name}/try`)

  const header = (value: string) => ({ in: 'header', name: 'Authorization', value })
  const tools: string[] = []
  for (const [name, auth] of Object.entries({
    Token: header('Bearer {{C_TOKEN}}'),
    Bad: header('Bearer {{C_BAD}}'),
    Pair: header('Basic {{C_PAIR}}'),
    Query: { in: 'query', name: 'key', value: '{{C_KEY}}' },
  })) {
    const { connectionId } = await createConnection(rest, { name, baseUrl: system.url, auth })
    const at = `/connections/${connectionId}`
    const parameters = [{ name: 'note', type: 'string', description: 'x', required: false }]
    const action = await createAction(rest, connectionId, { path: '/refused', parameters })
    tools.push(action.toolName)
    const note = [...secrets.values()].join(' ')
    for (const given of [{}, { note }, { wrong: note }])
      await call('POST', `${at}/actions/${action.actionId}/test`, { arguments: given })
    const steps = [
      {
        key: 'a',
        type: 'action',
        connectionId,
        toolName: action.toolName,
        arguments: {},
        onFailure: 'continue',
      },
      {
        ...{ key: 'b', type: 'http', method: 'POST', url: `${system.url}/step`, signWith: connectionId },
        ...{ headers: { 'X-More': '{{C_TOKEN}}' }, onFailure: 'continue' },
      },
    ]
    const trigger = { type: 'external.event', connectionId }
    const made = await call('POST', '/workflows', { name, trigger, steps })
    const { workflowId } = CheckedWorkflow.parse(made.body)
    const tested = await call('POST', `/workflows/${workflowId}/test`, { payload: {} })
    RunDetails.parse(tested.body)
    for (const path of [at, `${at}/export`, `${at}/actions/${action.actionId}/tests`]) await call('GET', path)
    await call('POST', '/import/preview', {
      text: (await rest('GET', `${at}/export`)).text,
    })
  }
  const created = await rest('POST', '/assistant/tokens', { name: 'a' })
  const client = z.object({ token: z.string() }).parse(created.body)
  const mcp = await connectMcp(httpTransport(`${dashboardUrl}/mcp`, client.token), '2025-11-25')
  const listed = await mcp.client.listTools()
  for (const { name } of listed.tools) {
    const result = await mcp.client.callTool({ name, arguments: {} })
    answers.push(`MCP ${name} → ${JSON.stringify(result)}`)
  }
  const { text: list } = await call('GET', '/activity/list?limit=200')
  const callIds = new Set(
    [...answers.join('\n').matchAll(/call_\w+/g), ...list.matchAll(/call_\w+/g)].map(([id]) => id),
  )
  for (const id of callIds) await call('GET', `/calls/${id}`)
  for (const path of ['/environment', '/tools', '/settings', '/attempts']) await call('GET', path)
  await call('DELETE', '/environment/C_SECRET')

  expect(listed.tools.length).toBe(4)
  expect(callIds.size).toBeGreaterThan(10)
  const sent = system.requests.map(({ headers, url }) => `${headers.authorization} ${url}`).join('\n')
  for (const expected of [token(1), token(2), basicPair, encodeURIComponent(queryKey)])
    expect(sent).toContain(expected)
  const places = new Map([
    ['REST and MCP', answers.join('\n')],
    ['feed', feed.text()],
    ['log', log.text()],
    ...(await filesBelow(dataFolder, 'admin-token')),
  ])
  await fixture.stop()
  for (const [name, content] of await filesBelow(dataFolder, 'admin-token'))
    places.set(`${name}, stopped`, content)
  expect(places.get('REST and MCP')).toContain('token_unavailable')
  expect(places.get('REST and MCP')).toContain('••••')
  expectNowhere(secrets, places)
})
