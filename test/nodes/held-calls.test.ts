import { expect } from 'vitest'
import { z } from 'zod'
import { Approval, CreatedClientToken } from '#shared/model/assistant.ts'
import { createAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { connectMcp, generations, httpTransport } from '../support/mcp-client.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import type { ServiceFixtureOptions } from '../support/service-fixture.ts'
import { openTwoNodes, sharedNodes, test } from './open-nodes.ts'

const takeNodes = sharedNodes()

const heldOn = async (rest: Rest) => z.array(Approval).parse((await rest('GET', '/assistant/approvals')).body)

/** Two nodes, and a tool whose calls wait. */
async function openHolding(options?: ServiceFixtureOptions) {
  const [a, b] = await (options === undefined ? takeNodes() : openTwoNodes(options))
  const system = await startExternalSystem()
  const { connectionId } = await createConnection(a.rest, { name: 'Shop', baseUrl: system.url })
  await createAction(a.rest, connectionId, { name: 'Refund', toolName: 'refund', method: 'POST' })
  const { token } = CreatedClientToken.parse(
    (await a.rest('POST', '/assistant/tokens', { name: 'Laptop', askFirst: true })).body,
  )
  const decide = (rest: Rest, approvalId: string | undefined, decision: string) =>
    rest('POST', `/assistant/approvals/${approvalId}`, { decision })
  return { a, b, system, token, decide, url: `${a.dashboardUrl}/mcp/${connectionId}` }
}

for (const generation of generations)
  test(`a call that MCP ${generation} holds on one node is decided on another, once`, async () => {
    const { a, b, system, token, decide, url } = await openHolding()
    const { client } = await connectMcp(httpTransport(url, token), generation)
    for (const decision of ['allow', 'decline'] as const) {
      const changes = b.service.changeCounts().assistant
      const result = client.callTool({ name: 'refund', arguments: {} })
      await expect.poll(() => heldOn(b.rest)).toMatchObject([{ name: 'refund', tokenName: 'Laptop' }])
      await expect.poll(() => b.service.changeCounts().assistant).toBeGreaterThan(changes)
      const [held] = await heldOn(b.rest)
      const decided = await Promise.all(
        [b.rest, a.rest].map(rest => decide(rest, held?.approvalId, decision)),
      )
      expect(decided.map(({ status }) => status).toSorted()).toEqual([200, 404])
      expect(decided.find(({ status }) => status === 404)?.body).toMatchObject({ code: 'approval_not_found' })
      const text = JSON.stringify(await result)
      if (decision === 'allow') expect(text).toContain('ok')
      else expect(text).toContain('call_declined')
      expect(await heldOn(b.rest)).toEqual([])
    }
    expect(system.requests).toHaveLength(1)
  })

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
/** The headers, and what a request has beside its name and arguments. */
const versions = [
  [{ 'mcp-protocol-version': '2025-06-18' }, {}],
  [
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'refund' },
    { _meta: modern },
  ],
] as const

/** Calls the tool that waits. Returns the text of the answer. */
async function callRefund(
  url: string,
  token: string,
  [version, more]: (typeof versions)[number],
  { id = 1, signal = null }: { id?: number | string; signal?: AbortSignal | null } = {},
): Promise<string> {
  const params = { name: 'refund', arguments: {}, ...more }
  return send(url, token, { id, method: 'tools/call', params }, version, signal)
}

async function send(
  url: string,
  token: string,
  message: object,
  version: Readonly<Record<string, string>>,
  signal: AbortSignal | null = null,
): Promise<string> {
  const headers = {
    ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...{ accept: 'application/json, text/event-stream', ...version },
  }
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  return (await fetch(url, { method: 'POST', headers, body, signal })).text()
}

test('a call that nobody decides about in time ends on all nodes', async () => {
  const { b, system, token, url } = await openHolding({ service: { approvalMs: 50 } })
  for (const version of versions) {
    expect(await callRefund(url, token, version)).toContain('approval_timed_out')
    expect(await heldOn(b.rest)).toEqual([])
  }
  expect(system.requests).toEqual([])
})

test('a held call ends on all nodes with its request, and with its node', async () => {
  const { a, b, system, token, decide, url } = await openHolding({})
  for (const version of versions) {
    const leaving = new AbortController()
    const left = callRefund(url, token, version, { signal: leaving.signal })
    left.catch(() => {})
    await expect.poll(() => heldOn(b.rest)).toHaveLength(1)
    const [held] = await heldOn(b.rest)
    leaving.abort()
    await expect.poll(() => heldOn(b.rest)).toEqual([])
    const late = await decide(b.rest, held?.approvalId, 'allow')
    expect(late).toMatchObject({ status: 404, body: { code: 'approval_not_found' } })
  }
  const stopped = callRefund(url, token, versions[0])
  stopped.catch(() => {})
  await expect.poll(() => heldOn(b.rest)).toHaveLength(1)
  await a.stop()
  expect(await heldOn(b.rest)).toEqual([])
  expect(system.requests).toEqual([])
})

test('a client of MCP 2025-06-18 withdraws a call that waits on one node through another', async () => {
  const { a, b, system, token, decide, url } = await openHolding()
  const { token: other } = CreatedClientToken.parse(
    (await a.rest('POST', '/assistant/tokens', { name: 'Other', askFirst: true })).body,
  )
  const [version] = versions
  const kept = [callRefund(url, other, version), callRefund(url, token, version, { id: '1' })]
  await expect.poll(() => heldOn(b.rest)).toHaveLength(2)
  const withdrawn = callRefund(url, token, version)
  await expect.poll(() => heldOn(b.rest)).toHaveLength(3)
  const urlOfB = url.replace(a.dashboardUrl, b.dashboardUrl)
  const cancel = { method: 'notifications/cancelled', params: { requestId: 1 } }
  expect(await send(urlOfB, token, cancel, version[0])).toBe('')
  expect(await withdrawn).toContain('call_cancelled')
  const held = await heldOn(b.rest)
  expect(held.map(({ tokenName }) => tokenName).toSorted()).toEqual(['Laptop', 'Other'])
  for (const { approvalId } of held) await decide(b.rest, approvalId, 'allow')
  expect((await Promise.all(kept)).filter(text => text.includes('Status 200'))).toHaveLength(2)
  expect(system.requests).toHaveLength(2)
})
