import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Approval, CreatedClientToken } from '#shared/model/assistant.ts'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { connectMcp, generations, httpTransport } from '../../support/mcp-client.ts'
import { createConnection } from '../../support/rest-client.ts'
import { adminToken, sharedService } from '../../support/service-fixture.ts'

const cleanService = sharedService()

const Content = z.object({ content: z.array(z.object({ type: z.literal('text'), text: z.string() })) })
const Found = z.array(
  z.strictObject({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    score: z.number().min(0).max(1),
  }),
)

describe.each(generations)('tools on demand over HTTP in the protocol of %s', generation => {
  async function startShop(fields: object = {}) {
    const fixture = await cleanService()
    const { rest, dashboardUrl } = fixture
    const system = await startExternalSystem()
    const shop = await createConnection(rest, { name: 'Shop', baseUrl: system.url })
    const order = { name: 'order_id', type: 'number', description: 'The order to close', required: true }
    const look = await createAction(rest, shop.connectionId, { name: 'Look up order', parameters: [order] })
    const close = await createAction(rest, shop.connectionId, {
      ...{ name: 'Close order', method: 'POST', path: '/close', parameters: [order] },
    })
    const remove = await createAction(rest, shop.connectionId, {
      ...{ name: 'Remove order', method: 'DELETE', path: '/orders', parameters: [order] },
    })
    const { body } = await rest('POST', '/assistant/tokens', { name: 'L', tools: 'on demand', ...fields })
    const token = CreatedClientToken.parse(body)
    const connect = (path = '', of = token.token) =>
      connectMcp(httpTransport(`${dashboardUrl}/mcp${path}`, of), generation)
    const { client, nextTools } = await connect()
    const call = (name: string, given: object) => client.callTool({ name, arguments: { ...given } })
    return {
      ...{ rest, system, shop, look, close, remove, token, connect, client, nextTools, call },
      place: `/assistant/tokens/${token.tokenId}`,
      actionPath: (actionId: string) => `/connections/${shop.connectionId}/actions/${actionId}`,
      async find(query: string, more: object = {}) {
        const { content } = Content.parse(await call('find_tools', { query, ...more }))
        return Found.parse(JSON.parse(content[0]?.text ?? ''))
      },
    }
  }

  test('lists three tools, finds, describes and calls the others', async () => {
    const { client, connect, call, find, system, rest, close, place } = await startShop()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['find_tools', 'describe_tool', 'call_tool'])
    expect(tools.map(({ annotations }) => annotations)).toMatchObject([
      { readOnlyHint: true, destructiveHint: false },
      { readOnlyHint: true, destructiveHint: false },
      { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    ])
    expect(client.getInstructions()).toContain('find_tools')

    const [best] = await find('closing orders')
    expect(best).toMatchObject({
      name: expect.stringMatching(/^shop_\w{4}__close_order$/),
      title: 'Close order',
    })
    expect(await find('closing orders', { limit: 1 })).toHaveLength(1)
    expect(await find('weather')).toEqual([])
    // The dashboard shows what the client gets.
    const shown = async (query: string) =>
      z
        .object({
          found: z.array(z.object({ ...Found.element.shape, actionId: z.string(), permission: z.string() })),
          total: z.int(),
        })
        .parse((await rest('GET', `${place}/find?query=${encodeURIComponent(query)}`)).body)
    const { found, total } = await shown('closing orders')
    expect(found.map(({ actionId: _, permission: __, ...one }) => one)).toEqual(await find('closing orders'))
    expect(found[0]).toMatchObject({ actionId: close.actionId, permission: 'run' })
    expect(total).toBe(found.length)
    await rest('PATCH', place, { permissions: { [close.actionId]: 'refuse' } })
    expect((await shown('closing orders')).found.map(({ actionId }) => actionId)).not.toContain(
      close.actionId,
    )
    await rest('PATCH', place, { permissions: {} })
    expect(await shown('weather')).toEqual({ found: [], total: 0 })

    const name = best?.name ?? ''
    const { content } = Content.parse(await call('describe_tool', { name }))
    const { client: whole } = await connect('', adminToken)
    const listed = (await whole.listTools()).tools.find(tool => tool.name === name)
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(listed)

    const answer = await call('call_tool', { name, arguments: { order_id: 42 } })
    expect(answer.content).toMatchObject([{ text: '{"ok":true}' }, {}])
    expect(system.requests).toMatchObject([{ url: '/close', body: '{"order_id":42}' }])
    const record = { name, actionId: close.actionId, arguments: { order_id: 42 }, ok: true, tokenName: 'L' }
    expect((await rest('GET', '/assistant/calls?limit=1')).body).toMatchObject({ calls: [record] })
  })

  test('takes the names of a connection at its own address, and arguments as a text', async () => {
    const { connect, shop, system } = await startShop()
    const { client } = await connect(`/${shop.connectionId}`)
    const text = { name: 'close_order', arguments: '{"order_id":12345678901234567890}' }
    await client.callTool({ name: 'call_tool', arguments: text })
    expect(system.requests).toMatchObject([{ body: '{"order_id":12345678901234567890}' }])
  })

  test('neither finds, describes nor calls what the token may not call', async () => {
    const { call, find, system, rest, place, close, remove, client } = await startShop()
    const [{ name } = { name: '' }] = await find('close order')
    await rest('PATCH', place, { permissions: { [close.actionId]: 'refuse', [remove.actionId]: 'refuse' } })
    expect((await find('close order')).map(({ title }) => title)).toEqual(['Look up order'])
    const given = { arguments: { order_id: 1 } }
    const absent = name.replace('close', 'clone')
    for (const tool of ['describe_tool', 'call_tool']) {
      const refused = await call(tool, { name, ...given })
      const unknown = await call(tool, { name: absent, ...given })
      expect(refused).toMatchObject({ isError: true })
      expect(JSON.stringify(refused)).toContain('unknown_tool')
      expect(JSON.stringify(refused).replaceAll(name, absent)).toBe(JSON.stringify(unknown))
    }
    await expect(client.callTool({ name, ...given })).rejects.toThrow(/no tool named/)
    await expect(client.callTool({ name: absent, ...given })).rejects.toThrow(/no tool named/)
    expect(system.requests).toEqual([])
    // The owner sees what was tried.
    const { body } = await rest('GET', '/assistant/calls?limit=4')
    expect(body).toMatchObject({
      calls: [
        { code: 'unknown_tool' },
        { code: 'tool_not_permitted', actionId: close.actionId },
        { code: 'unknown_tool' },
        { code: 'tool_not_permitted', actionId: close.actionId },
      ],
    })
    // What is left only reads.
    expect((await client.listTools()).tools[2]?.annotations).toMatchObject({
      ...{ readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    })
  })

  test('asks first for the tool itself, with its arguments', async () => {
    const { client, find, system, rest, close } = await startShop({ askFirst: true })
    const [{ name } = { name: '' }] = await find('close order')
    for (const decision of ['allow', 'decline'] as const) {
      const waits = Promise.withResolvers<string | undefined>()
      const call = client.callTool(
        { name: 'call_tool', arguments: { name, arguments: { order_id: 7 } } },
        { onprogress: ({ message }) => waits.resolve(message) },
      )
      expect(await waits.promise).toContain('dashboard')
      const [approval] = z.array(Approval).parse((await rest('GET', '/assistant/approvals')).body)
      const asked = { name, toolName: 'close_order', method: 'POST', arguments: { order_id: 7 } }
      expect(approval).toMatchObject({ ...asked, actionId: close.actionId })
      await rest('POST', `/assistant/approvals/${approval?.approvalId}`, { decision })
      const result = JSON.stringify(await call)
      expect(result).toContain(decision === 'allow' ? '{\\"ok\\":true}' : 'call_declined')
    }
    expect(system.requests).toHaveLength(1)
  })

  test('makes no call of a tool that was changed while it waited', async () => {
    const { client, find, system, rest, close, actionPath } = await startShop({ askFirst: true })
    const [{ name } = { name: '' }] = await find('close order')
    const waits = Promise.withResolvers<void>()
    const call = client.callTool(
      { name: 'call_tool', arguments: { name, arguments: { order_id: 7 } } },
      { onprogress: () => waits.resolve() },
    )
    await waits.promise
    const [approval] = z.array(Approval).parse((await rest('GET', '/assistant/approvals')).body)
    await rest('PATCH', actionPath(close.actionId), { path: '/all' })
    await rest('POST', `/assistant/approvals/${approval?.approvalId}`, { decision: 'allow' })
    expect(JSON.stringify(await call)).toContain('tool_changed')
    expect(system.requests).toEqual([])
  })

  test('names what is wrong with the arguments of the three tools', async () => {
    const { call, find, system } = await startShop()
    const [{ name } = { name: '' }] = await find('close order')
    for (const [tool, given] of [
      ['find_tools', {}],
      ['find_tools', { query: 5 }],
      ['find_tools', { query: 'a', limit: 1000 }],
      ['describe_tool', {}],
      ['call_tool', { arguments: {} }],
      ['call_tool', { name, arguments: 'not JSON' }],
      ['call_tool', { name, arguments: [] }],
    ] as const) {
      const result = await call(tool, given)
      expect(result).toMatchObject({ isError: true })
      expect(JSON.stringify(result)).toContain('invalid_arguments')
    }
    expect(JSON.stringify(await call('call_tool', { name }))).toContain('order_id')
    expect(system.requests).toEqual([])
  })

  test('is told of a change of what it lists, and of no other', async () => {
    const { client, nextTools, rest, place, shop, remove, close, actionPath } = await startShop()
    await client.listTools()
    const changed = nextTools()
    // Neither changes the three tools; the last does, because no DELETE is left.
    await createAction(rest, shop.connectionId, { name: 'Ship order', method: 'POST' })
    await rest('PATCH', actionPath(close.actionId), { name: 'Another name' })
    await rest('DELETE', actionPath(remove.actionId))
    expect(await changed).toMatchObject([{}, {}, { annotations: { destructiveHint: false } }])

    const all = nextTools()
    await rest('PATCH', place, { tools: 'all' })
    expect((await all).map(({ name }) => name.split('__')[1])).toEqual([
      'look_up_order',
      'close_order',
      'ship_order',
    ])
    const few = nextTools()
    await rest('PATCH', place, { tools: 'on demand' })
    expect((await few).map(({ name }) => name)).toEqual(['find_tools', 'describe_tool', 'call_tool'])
  })
})

test('the list of tools is the same size however many there are, and a tool may have the name of one of the three', async () => {
  const { rest, dashboardUrl } = await cleanService()
  const system = await startExternalSystem()
  const { connectionId } = await createConnection(rest, { name: 'Shop', baseUrl: system.url })
  await createAction(rest, connectionId, { name: 'Find tools', toolName: 'find_tools' })
  const { body } = await rest('POST', '/assistant/tokens', { name: 'L', connectionId, tools: 'on demand' })
  const { token } = CreatedClientToken.parse(body)
  const url = `${dashboardUrl}/mcp/${connectionId}`
  const { client } = await connectMcp(httpTransport(url, token), '2026-07-28')
  const { tools } = await client.listTools()
  expect(tools).toHaveLength(3)
  expect(JSON.stringify(tools).length).toBeLessThan(3000)
  const given = { name: 'find_tools', arguments: {} }
  expect(await client.callTool({ name: 'call_tool', arguments: given })).toMatchObject({
    content: [{ text: '{"ok":true}' }, {}],
  })
})
