import { expect, test } from 'vitest'
import { z } from 'zod'
import { Approval, CreatedClientToken } from '#shared/model/assistant.ts'
import { CallRecord } from '#shared/model/call.ts'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { connectMcp, generations, httpTransport } from '../../support/mcp-client.ts'
import { createConnection } from '../../support/rest-client.ts'
import { sharedService } from '../../support/service-fixture.ts'

const cleanService = sharedService()

const input = (name: string, type: string, more: object = {}) => ({
  ...{ name, type, description: `The ${name}`, required: false },
  ...more,
})
const parameters = [
  input('amount', 'number', { required: true }),
  input('express', 'boolean'),
  input('lines', 'object', { isList: true }),
  input('limit', 'number'),
  input('page', 'number', { schema: { type: 'integer', maximum: 9 } }),
  input('note', 'string'),
]
const written = {
  amount: '12345678901234567890.10',
  express: 'true',
  lines: '[{"sku": "A-1"}]',
  limit: '',
  note: '5',
}
const sent = '{"amount":12345678901234567890.10,"express":true,"lines":[{"sku":"A-1"}],"note":"5"}'
const converted = [
  { name: 'amount', as: 'number' },
  { name: 'express', as: 'boolean' },
  { name: 'lines', as: 'list' },
  { name: 'limit', as: null },
]

async function start(token: object) {
  const { rest, dashboardUrl } = await cleanService()
  const system = await startExternalSystem()
  const { connectionId } = await createConnection(rest, { baseUrl: system.url })
  const { actionId } = await createAction(rest, connectionId, { method: 'POST', parameters })
  const { body } = await rest('POST', '/assistant/tokens', { name: 'Laptop', connectionId, ...token })
  const transport = httpTransport(`${dashboardUrl}/mcp/${connectionId}`, CreatedClientToken.parse(body).token)
  const lastCall = async () => {
    const { calls } = z
      .object({ calls: z.array(z.object({ callId: z.string() })) })
      .parse((await rest('GET', '/assistant/calls?limit=1')).body)
    const { text, body: record } = await rest('GET', `/calls/${calls[0]?.callId}`)
    return { text, record: CallRecord.parse(record) }
  }
  return { rest, system, transport, lastCall, path: `/connections/${connectionId}/actions/${actionId}` }
}

test.each(generations)(
  'texts of an MCP client are taken as the JSON that they are, in %s',
  async generation => {
    const { transport, system, lastCall, rest, path } = await start({})
    const { client } = await connectMcp(transport, generation)
    const result = await client.callTool({ name: 'look_up', arguments: written })
    expect(result.isError).not.toBe(true)
    expect(system.requests.map(({ body }) => body)).toEqual([sent])
    const { record, text } = await lastCall()
    expect(record.converted).toEqual(converted)
    expect(text).toContain(`"argumentsText":${JSON.stringify(sent)}`)

    const wrong = await client.callTool({ name: 'look_up', arguments: { amount: '05', limit: ' 5' } })
    expect(JSON.stringify(wrong)).toContain('amount must be a number, not a string. limit must be a number')
    expect((await lastCall()).record).not.toHaveProperty('converted')
    const beyond = await client.callTool({ name: 'look_up', arguments: { amount: 1, page: '10' } })
    expect(JSON.stringify(beyond)).toContain('page must be at most 9.')
    // A person's test is checked as it is given.
    const tested = await rest('POST', `${path}/test`, { arguments: { amount: '5' } })
    expect(tested.body).toMatchObject({ error: { code: 'invalid_arguments' } })
    expect(system.requests).toHaveLength(1)
  },
)

test('a call of an MCP client waits with the values that are sent, also one on demand', async () => {
  const { transport, system, rest, lastCall } = await start({ askFirst: true, tools: 'on demand' })
  const { client } = await connectMcp(transport, '2026-07-28')
  const waits = Promise.withResolvers<void>()
  const call = client.callTool(
    { name: 'call_tool', arguments: { name: 'look_up', arguments: JSON.stringify(written) } },
    { onprogress: () => waits.resolve() },
  )
  await waits.promise
  const { text, body } = await rest('GET', '/assistant/approvals')
  expect(text).toContain(JSON.stringify(sent))
  const [approval] = z.array(Approval).parse(body)
  await rest('POST', `/assistant/approvals/${approval?.approvalId}`, { decision: 'allow' })
  expect((await call).isError).not.toBe(true)
  expect(system.requests.map(request => request.body)).toEqual([sent])
  expect((await lastCall()).record.converted).toEqual(converted)
})
