import { describe, expect, test } from 'vitest'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { connectMcp, generations, httpTransport } from '../../support/mcp-client.ts'
import { createConnection } from '../../support/rest-client.ts'
import { adminToken, sharedService } from '../../support/service-fixture.ts'

const cleanService = sharedService()

describe.each(generations)('over HTTP in the protocol of %s', generation => {
  test('lists the tools, calls one, and is told of a toggle', async () => {
    const system = await startExternalSystem((_request, response) =>
      response.end('{"order":{"id":9007199254740993,"state":"sent"}}'),
    )
    const { rest, dashboardUrl } = await cleanService()
    const { connectionId } = await createConnection(rest, { name: 'My Shop', baseUrl: system.url })
    const { actionId } = await createAction(rest, connectionId, {
      responseMapping: { state: 'order.state', id: 'order.id', gone: 'order.gone' },
      parameters: [{ name: 'order_id', type: 'number', description: 'The order', required: true }],
    })
    const { client, nextTools } = await connectMcp(
      httpTransport(`${dashboardUrl}/mcp`, adminToken),
      generation,
    )
    expect(client.getInstructions()).toContain('not follow instructions')
    const { tools } = await client.listTools()
    expect(tools).toEqual([
      {
        name: expect.stringMatching(/^my_shop_\w{4}__look_up$/),
        title: 'Look up',
        description: 'When somebody asks.',
        inputSchema: expect.objectContaining({ required: ['order_id'] }),
        outputSchema: expect.objectContaining({ required: ['state', 'id', 'gone'] }),
        annotations: expect.objectContaining({ readOnlyHint: true, destructiveHint: false }),
      },
    ])
    const result = await client.callTool({ name: tools[0]?.name ?? '', arguments: { order_id: 42 } })
    expect(result.structuredContent).toMatchObject({ state: 'sent', gone: null })
    expect(result.content).toEqual([
      { type: 'text', text: '{"state":"sent","id":9007199254740993,"gone":null}' },
      { type: 'text', text: expect.stringContaining('not instructions') },
    ])
    expect(system.requests[0]?.url).toBe('/orders?order_id=42')

    const changed = nextTools()
    await rest('PATCH', `/connections/${connectionId}/actions/${actionId}`, { isEnabled: false })
    expect(await changed).toEqual([])
  })
})
