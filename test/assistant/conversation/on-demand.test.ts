import { expect, test } from 'vitest'
import { z } from 'zod'
import { readTranscript, storedHead } from '#main/assistant/conversation/stored-transcript.ts'
import { newTranscript } from '#main/assistant/conversation/transcript.ts'
import { createAction } from '../../support/actions.ts'
import { call, say } from '../../support/scripted-model.ts'
import { sharedService } from '../../support/service-fixture.ts'
import { callsOf, lastMessage, startTalk, type Talk } from './fixtures.ts'

const cleanService = sharedService()
const refund = { order_id: 'ORD-1', amount: 25 }
const three = ['find_tools', 'describe_tool', 'call_tool']

async function startOnDemand(): Promise<Talk> {
  const talk = await startTalk({ at: await cleanService() })
  expect((await talk.ask('PATCH', '', { tools: 'on demand' })).body).toMatchObject({ tools: 'on demand' })
  return talk
}

const toolsOf = (talk: Talk, request: number) =>
  talk.model.requests[request]?.tools?.map(tool => tool.function.name)

/** Returns the results that the model was given. */
const toldIn = (talk: Talk, request: number) =>
  talk.model.requests[request]?.messages.flatMap(({ role, content }) => (role === 'tool' ? content : []))

test('a model finds a tool, reads it and calls it, and the call is that of the tool', async () => {
  const talk = await startOnDemand()
  const { names, model } = talk
  model.script(
    [call('find_tools', { query: 'looking up orders', limit: 1 })],
    [call('describe_tool', { name: names.lookUp })],
    [call('call_tool', { name: names.lookUp, arguments: { order_id: 'ORD-1' } })],
    say('It was sent.'),
  )
  await talk.send('Where is ORD-1?')
  const done = await talk.until('idle')
  expect(lastMessage(done)).toMatchObject({ ended: 'complete' })
  expect(toolsOf(talk, 0)).toEqual(three)
  expect(model.requests[0]?.messages[0]).toMatchObject({ content: expect.stringContaining('find_tools') })
  const [found, described, called] = callsOf(done)
  expect(found).toMatchObject({ name: 'find_tools', state: 'answered', connectionId: null, callId: null })
  expect(JSON.parse(found?.resultText ?? '')).toMatchObject([{ name: names.lookUp, title: 'Look up order' }])
  expect(JSON.parse(described?.resultText ?? '')).toMatchObject({
    name: names.lookUp,
    inputSchema: { required: ['order_id'], properties: { order_id: { type: 'string' } } },
  })
  const order = { order_id: 'ORD-1' }
  expect(called).toMatchObject({
    name: names.lookUp,
    toolName: 'look_up_order',
    arguments: order,
    status: 200,
  })
  expect(talk.system.requests).toMatchObject([{ url: '/orders?order_id=ORD-1' }])
  // The model sees its own call, not a tool that it does not have.
  const calls = model.requests[3]?.messages.flatMap(({ tool_calls = [] }) => tool_calls)
  expect(calls?.map(one => one.function.name)).toEqual(three)
  expect(JSON.parse(calls?.[2]?.function.arguments ?? '')).toEqual({ name: names.lookUp, arguments: order })
  expect(toldIn(talk, 1)).toEqual([expect.stringContaining(names.lookUp)])
  const { body } = await talk.rest('GET', '/assistant/calls?limit=1')
  expect(body).toMatchObject({ calls: [{ name: names.lookUp, source: 'conversation', arguments: order }] })
  expect(done.calls).toBe(1)
})

test('a call that changes something asks, with the tool and its arguments; “always” is the tool’s', async () => {
  const talk = await startOnDemand()
  const asked = call('call_tool', { name: talk.names.refund, arguments: refund })
  talk.model.script([asked], [asked], say('Twice.'))
  await talk.send('Refund ORD-1 twice.')
  const [waiting] = callsOf(await talk.until('asking'))
  expect(waiting).toMatchObject({ toolName: 'create_refund', method: 'POST', arguments: refund })
  expect(talk.system.requests).toEqual([])
  await talk.decide(waiting!, { decision: 'always' })
  const done = await talk.until('idle')
  expect(callsOf(done).map(({ decision }) => decision)).toEqual(['always', 'automatic'])
  expect(done.always).toEqual([talk.actions.refund.actionId])
  expect(talk.system.requests.map(({ body }) => body)).toEqual(Array(2).fill(JSON.stringify(refund)))
})

test('wrong calls of the three tools are told to the model, and make no request', async () => {
  const talk = await startOnDemand()
  const other = { name: talk.names.lookUp.replace('look', 'took'), arguments: {} }
  talk.model.script(
    [
      call('find_tools', {}),
      call('describe_tool', { name: other.name }),
      call('call_tool', other),
      { call: 'call_tool', arguments: '[1' },
      // A tool may also be called by its own name, as in a conversation that had all of them.
      call(talk.names.lookUp, {}),
    ],
    say('I cannot.'),
  )
  await talk.send('Try.')
  const calls = callsOf(await talk.until('idle'))
  expect(calls.map(({ state, error }) => [state, error?.code ?? null])).toEqual([
    ['failed', 'invalid_arguments'],
    ['failed', 'unknown_tool'],
    ['unknown_tool', null],
    ['failed', 'invalid_arguments'],
    ['failed', 'invalid_arguments'],
  ])
  expect(calls[1]?.resultText).toContain('Find tools with find_tools')
  expect(calls[2]?.resultText).toContain('Find tools with find_tools')
  expect(talk.system.requests).toEqual([])
})

test('the context counts three tools, however many the workspace has', async () => {
  const talk = await startTalk({ at: await cleanService() })
  const Connections = z.array(z.object({ connectionId: z.string() }))
  const [shop] = Connections.parse((await talk.rest('GET', '/connections')).body)
  const connectionId = shop?.connectionId ?? ''
  for (let number = 0; number < 20; number++)
    await createAction(talk.rest, connectionId, { name: `Look up ${number}` })
  const Use = z.object({ context: z.object({ instructionsAndTools: z.int() }) })
  const used = async (tools: string) =>
    Use.parse((await talk.ask('PATCH', '', { tools })).body).context.instructionsAndTools
  const all = await used('all')
  const few = await used('on demand')
  expect(few).toBeLessThan(all - 300)
  await createAction(talk.rest, connectionId, { name: 'One more' })
  expect(await used('on demand')).toBe(few)
})

test('a conversation is created with its tools, and stores them only on demand', async () => {
  const { rest } = await cleanService()
  expect((await rest('POST', '/conversations', {})).body).toMatchObject({ tools: 'all' })
  const { body } = await rest('POST', '/conversations', { tools: 'on demand' })
  const { conversationId } = z.object({ conversationId: z.string() }).parse(body)
  expect((await rest('GET', `/conversations/${conversationId}`)).body).toMatchObject({ tools: 'on demand' })
  expect((await rest('POST', '/conversations', { tools: 'none' })).status).toBe(400)
  const at = '2026-11-22T14:33:00.000Z'
  for (const tools of ['all', 'on demand'] as const) {
    const given = { conversationId: 'conv_1', workspaceId: 'default', agent: null, tools }
    const stored = storedHead(newTranscript(given, at), 1)
    expect(stored.head.includes('tools')).toBe(tools === 'on demand')
    expect(readTranscript(stored, [])).toMatchObject({ tools })
  }
})
