import { expect } from 'vitest'
import { z } from 'zod'
import { Approval, CreatedClientToken } from '#shared/model/assistant.ts'
import { createAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { connectMcp, generations, httpTransport } from '../support/mcp-client.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import type { ServiceFixtureOptions } from '../support/service-fixture.ts'
import { openTwoNodes, test } from './open-nodes.ts'

const heldOn = async (rest: Rest) => z.array(Approval).parse((await rest('GET', '/assistant/approvals')).body)

/** Two nodes, and a tool whose calls wait. */
async function openHolding(options?: ServiceFixtureOptions) {
  const [a, b] = await openTwoNodes(options)
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

test('a held call ends for all nodes with its time, with its request and with its node', async () => {
  const { a, b, system, token, decide, url } = await openHolding({ service: { approvalMs: 1000 } })
  const headers = {
    ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...{ accept: 'application/json, text/event-stream' },
  }
  const params = { name: 'refund', arguments: {} }
  const modern = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const versions = [
    [{ 'mcp-protocol-version': '2025-06-18' }, params],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'refund' },
      { ...params, _meta: modern },
    ],
  ] as const
  for (const [version, given] of versions) {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: given }
    const init = { method: 'POST', headers: { ...headers, ...version }, body: JSON.stringify(message) }
    const heldOnce = async () => {
      await expect.poll(() => heldOn(b.rest)).toHaveLength(1)
      return (await heldOn(b.rest))[0]?.approvalId
    }
    const gone = { status: 404, body: { code: 'approval_not_found' } }

    const late = fetch(url, init).then(answer => answer.text())
    const lateId = await heldOnce()
    expect(await late).toContain('approval_timed_out')
    expect(await decide(b.rest, lateId, 'allow')).toMatchObject(gone)

    const leaving = new AbortController()
    const left = fetch(url, { ...init, signal: leaving.signal }).then(answer => answer.text())
    left.catch(() => {})
    const leftId = await heldOnce()
    leaving.abort()
    await expect.poll(() => heldOn(b.rest)).toEqual([])
    expect(await decide(b.rest, leftId, 'allow')).toMatchObject(gone)
  }
  await a.stop()
  expect(await heldOn(b.rest)).toEqual([])
  expect(system.requests).toEqual([])
})
