import { expect } from 'vitest'
import { z } from 'zod'
import { CreatedClientToken, McpClient } from '#shared/model/assistant.ts'
import { createAction } from '../support/actions.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { connectMcp, httpTransport } from '../support/mcp-client.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import type { ServiceFixture } from '../support/service-fixture.ts'
import { openTwoNodes, sharedNodes, test } from './open-nodes.ts'

const takeNodes = sharedNodes()

const versions = ['2026-07-28', '2025-11-25', '2025-06-18'] as const

/** Returns a transport whose requests go to each node in turn. */
function inTurn(nodes: readonly ServiceFixture[], token: string) {
  let next = 0
  return httpTransport(`${nodes[0]?.dashboardUrl}/mcp`, token, (url, init) => {
    const { pathname, search } = new URL(url instanceof Request ? url.url : url)
    return fetch(`${nodes[next++ % nodes.length]?.dashboardUrl}${pathname}${search}`, init)
  })
}

async function createToken(rest: Rest) {
  const { body } = await rest('POST', '/assistant/tokens', { name: 'Laptop' })
  return CreatedClientToken.parse(body)
}

const clientsOn = async ({ rest }: ServiceFixture) =>
  z.array(McpClient).parse((await rest('GET', '/assistant/clients')).body)

test('a client whose requests go to each node in turn lists and calls, and is one client', async () => {
  const nodes = await takeNodes()
  const [a, b] = nodes
  const system = await startExternalSystem()
  const { connectionId } = await createConnection(a.rest, { name: 'Shop', baseUrl: system.url })
  await createAction(a.rest, connectionId)
  for (const version of versions) {
    const { token, tokenId } = await createToken(a.rest)
    const { client } = await connectMcp(inTurn(nodes, token), version)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    for (let times = 3; times > 0; times--) {
      const [tool] = (await client.listTools(undefined, { cacheMode: 'bypass' })).tools
      const { content } = await client.callTool({ name: tool?.name ?? '', arguments: {} })
      expect(content[0]).toEqual({ type: 'text', text: '{"ok":true}' })
    }
    const own = async (node: ServiceFixture) =>
      (await clientsOn(node)).filter(listed => listed.tokenId === tokenId)
    // Only the version of 2026 can listen for changes.
    const connections = version === '2026-07-28' ? 1 : 0
    const expected = [{ name: 'Test client', version: '1.2.3', protocol: version, calls: 3, connections }]
    await expect.poll(() => own(a)).toMatchObject(expected)
    await eventually(async () => expect(await own(b)).toEqual(await own(a)))
  }
  expect(system.requests).toHaveLength(9)
})

test('the clients of a node are listed on the others while it lives, and a change of them is announced', async () => {
  const [a, b] = await openTwoNodes()
  const { token } = await createToken(a.rest)
  const before = b.service.changeCounts().assistant
  await connectMcp(httpTransport(`${a.dashboardUrl}/mcp`, token), '2025-11-25', 'Of node A')
  await expect.poll(() => clientsOn(b)).toMatchObject([{ name: 'Of node A' }])
  await expect.poll(() => b.service.changeCounts().assistant).toBeGreaterThan(before)
  await a.stop()
  await expect.poll(() => clientsOn(b)).toEqual([])
})

test('revoking a token on one node ends its calls on another, and closing a request ends its call', async () => {
  const [a, b] = await takeNodes()
  const started: (() => void)[] = []
  const closed: (() => void)[] = []
  const system = await startExternalSystem((_request, response) => {
    response.once('close', () => closed.shift()?.())
    started.shift()?.()
  })
  const { connectionId } = await createConnection(a.rest, { name: 'Shop', baseUrl: system.url })
  await createAction(a.rest, connectionId, { toolName: 'slow' })
  const { token, tokenId } = await createToken(a.rest)
  async function call(signal: AbortSignal | null) {
    const isStarted = new Promise<void>(resolve => void started.push(resolve))
    const isClosed = new Promise<void>(resolve => void closed.push(resolve))
    const answer = fetch(`${a.dashboardUrl}/mcp/${connectionId}`, {
      ...{ method: 'POST', signal },
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{}}}',
    }).then(response => response.text())
    // The test may end before it does.
    answer.catch(() => {})
    await isStarted
    return { answer, isClosed }
  }
  const leaving = new AbortController()
  const left = await call(leaving.signal)
  leaving.abort()
  await left.isClosed
  const revoked = await call(null)
  await b.rest('DELETE', `/assistant/tokens/${tokenId}`)
  await revoked.isClosed
  expect(await revoked.answer).toBe('')
})
