import { expect } from 'vitest'
import { z } from 'zod'
import { Approval, CreatedClientToken } from '#shared/model/assistant.ts'
import { createAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { connectMcp, generations, httpTransport } from '../support/mcp-client.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { openTwoNodes, test } from './open-nodes.ts'

const heldOn = async (rest: Rest) => z.array(Approval).parse((await rest('GET', '/assistant/approvals')).body)

for (const generation of generations)
  test(`a call that MCP ${generation} holds on one node is decided on another, once`, async () => {
    const [a, b] = await openTwoNodes()
    const system = await startExternalSystem()
    const { connectionId } = await createConnection(a.rest, { name: 'Shop', baseUrl: system.url })
    await createAction(a.rest, connectionId, { name: 'Refund', method: 'POST' })
    const { token } = CreatedClientToken.parse(
      (await a.rest('POST', '/assistant/tokens', { name: 'Laptop', askFirst: true })).body,
    )
    const { client } = await connectMcp(httpTransport(`${a.dashboardUrl}/mcp`, token), generation)
    const { tools } = await client.listTools()
    const name = tools[0]?.name ?? ''
    for (const decision of ['allow', 'decline'] as const) {
      const changes = b.service.changeCounts().assistant
      const result = client.callTool({ name, arguments: {} })
      await expect.poll(() => heldOn(b.rest)).toMatchObject([{ name, tokenName: 'Laptop' }])
      await expect.poll(() => b.service.changeCounts().assistant).toBeGreaterThan(changes)
      const [held] = await heldOn(b.rest)
      const path = `/assistant/approvals/${held?.approvalId}`
      const decided = await Promise.all([
        b.rest('POST', path, { decision }),
        a.rest('POST', path, { decision }),
      ])
      expect(decided.map(({ status }) => status).toSorted()).toEqual([200, 404])
      expect(decided.find(({ status }) => status === 404)?.body).toMatchObject({ code: 'approval_not_found' })
      const text = JSON.stringify(await result)
      if (decision === 'allow') expect(text).toContain('ok')
      else expect(text).toContain('call_declined')
      expect(await heldOn(b.rest)).toEqual([])
    }
    expect(system.requests).toHaveLength(1)
  })
