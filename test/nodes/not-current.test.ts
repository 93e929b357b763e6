import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { z } from 'zod'
import { ServiceError } from '#shared/errors.ts'
import { Approval, CreatedClientToken } from '#shared/model/assistant.ts'
import { callsOf, formsOf, startTalk } from '../assistant/conversation/fixtures.ts'
import { createAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, errorCode } from '../support/rest-client.ts'
import { call, say } from '../support/scripted-model.ts'
import { adminToken, postInbound } from '../support/service-fixture.ts'
import { openTwoNodes, test, withOther } from './open-nodes.ts'

test('a node that may have missed a change of the configuration does nothing by it', async () => {
  let isCurrent = true
  const [a, b] = await openTwoNodes({}, (storage, node) =>
    node === 0 ? storage : withOther(storage, { isCurrent: () => isCurrent }),
  )
  const { url: baseUrl } = await startExternalSystem()
  const { connectionId, credentials } = await createConnection(a.rest, { persistEvents: false, baseUrl })
  const { actionId } = await createAction(a.rest, connectionId)

  const post = async (node: typeof a, inboundToken = credentials.inboundToken) => {
    const inboundUrl = `${node.listenerUrl}/api/connect/${inboundToken}/events`
    const answer = await postInbound({ ...credentials, inboundUrl }, '{"event":"one"}', Date.now())
    // Behind a load balancer, the next connection reaches another node.
    expect(answer.headers.get('connection')).toBe(answer.status === 503 ? 'close' : 'keep-alive')
    return answer.status
  }
  const call = async (node: typeof a) => {
    const answer = await node.rest('POST', `/connections/${connectionId}/actions/${actionId}/test`, {})
    return answer.status === 200 ? 200 : errorCode(answer)
  }
  const mcp = async (node: typeof a) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"none"}' }
    return (await fetch(`${node.dashboardUrl}/mcp`, init)).status === 503
  }
  const all = async (node: typeof a) => [
    await post(node),
    await post(node, 'A'.repeat(43)),
    await call(node),
    await mcp(node),
  ]
  const working = [200, 404, 200, false]
  expect([await all(a), await all(b)]).toEqual([working, working])
  isCurrent = false
  expect([await all(a), await all(b)]).toEqual([working, [503, 503, 'storage_unavailable', true]])
  isCurrent = true
  expect(await all(b)).toEqual(working)
})

test('a node answers by its configuration only once it has the newest', async () => {
  let isConfirmed = true
  const confirmCurrent = async () => {
    if (!isConfirmed) throw new ServiceError('storage_unavailable')
  }
  const [, b] = await openTwoNodes({}, (storage, node) =>
    node === 0 ? storage : withOther(storage, { confirmCurrent }),
  )
  const { connectionId, credentials } = await createConnection(b.rest, { persistEvents: false })
  await b.rest('PATCH', `/connections/${connectionId}`, { ignoreRepeats: true })
  const inboundUrl = `${b.listenerUrl}/api/connect/${credentials.inboundToken}/events`
  const sentAt = Date.now()
  const post = (body: string) => postInbound({ ...credentials, inboundUrl }, body, sentAt)
  const statusOf = async (path: string) => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const { status, headers: answered } = await fetch(`${b.dashboardUrl}${path}`, { headers })
    return answered.has('retry-after') ? `${status}, later` : String(status)
  }
  const all = async (event: string) => [
    // An event that nothing stores, and its repeat.
    (await post(event)).status,
    (await post('{"event":"known"}')).status,
    await statusOf('/api/v1/connections'),
    await statusOf('/api/v1/openapi.json'),
    await statusOf('/%61pi/v1/connections'),
    await statusOf('/rpc/workspaces/list'),
    await statusOf('/mcp'),
  ]
  const others = ['/api/v1/service', '/api/v1/nodes', '/rpc/service/get', '/session', '/readyz', '/']
  const statuses = () => Promise.all(others.map(statusOf))
  await post('{"event":"known"}')
  const [working, reachable] = [await all('{"event":"one"}'), await statuses()]
  expect(working.slice(0, 3)).toEqual([200, 200, '200'])
  isConfirmed = false
  const later = '503, later'
  expect(await all('{"event":"two"}')).toEqual([503, 503, later, later, later, later, later])
  expect(await statuses()).toEqual(reachable)
  isConfirmed = true
  expect(await all('{"event":"two"}')).toEqual(working)
})

test('a node that may have missed a change does nothing for MCP requests that are under way', async () => {
  let isCurrent = true
  const [a, b] = await openTwoNodes({}, (storage, node) =>
    node === 0 ? storage : withOther(storage, { isCurrent: () => isCurrent }),
  )
  const system = await startExternalSystem()
  const { connectionId } = await createConnection(a.rest, { baseUrl: system.url })
  await createAction(a.rest, connectionId, { toolName: 'refund', method: 'POST' })
  const { token } = CreatedClientToken.parse(
    (await a.rest('POST', '/assistant/tokens', { name: 'T', askFirst: true })).body,
  )
  const url = `${b.dashboardUrl}/mcp/${connectionId}`
  const headers = {
    ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
  }
  const called = { name: 'refund', arguments: {} }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: called })
  const held = fetch(url, { method: 'POST', headers, body }).then(answer => answer.text())
  const heldNow = async () => z.array(Approval).parse((await a.rest('GET', '/assistant/approvals')).body)
  await expect.poll(heldNow).toHaveLength(1)
  const slow = request(url, { method: 'POST', headers: { ...headers, expect: '100-continue' } })
  slow.flushHeaders()
  await once(slow, 'continue')
  isCurrent = false
  slow.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  const [answer] = await once(slow, 'response')
  expect([answer.statusCode, await text(answer)]).toEqual([503, expect.stringContaining('not confirmed')])
  const [call] = await heldNow()
  await a.rest('POST', `/assistant/approvals/${call?.approvalId}`, { decision: 'allow' })
  expect(await held).toContain('cannot use its storage')
  expect(system.requests).toEqual([])
})

test('a call and a form of a conversation on such a node say so, and the form can be sent again', async () => {
  let isCurrent = true
  const [, b] = await openTwoNodes({}, (storage, node) =>
    node === 0 ? storage : withOther(storage, { isCurrent: () => isCurrent }),
  )
  const talk = await startTalk({ at: b })
  const form = { fields: ['order_id'], submitUrl: talk.system.url }
  await talk.rest('PUT', '/platform/conversation-actions', [
    { trigger: 'keyword:refund', action: 'refund', form },
  ])
  await talk.ask('PATCH', '', { agent: { agentId: 'default' } })
  const failed = { state: 'failed', error: { code: 'storage_unavailable' } }
  talk.model.script([call(talk.names.lookUp, { order_id: '1' })], say('Later.'))
  isCurrent = false
  await talk.send('A refund')
  const answered = await talk.until('idle')
  expect(callsOf(answered)).toMatchObject([failed])
  const path = `/forms/${formsOf(answered)[0]?.formId}`
  await talk.ask('POST', path, { fields: { order_id: '1' } })
  expect(formsOf(await talk.now())).toMatchObject([failed])
  expect(talk.system.requests).toEqual([])
  isCurrent = true
  await talk.ask('POST', path, { fields: { order_id: '1' } })
  expect(formsOf(await talk.now())).toMatchObject([{ state: 'answered' }])
})
