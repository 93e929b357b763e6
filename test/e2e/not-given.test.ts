import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Conversation } from '#shared/model/conversation.ts'
import { RunDetails } from '#shared/model/run.ts'
import { Tool } from '#shared/model/tool.ts'
import { runCliHere } from '../support/cli-here.ts'
import { type CliService, keptToken, rest, sharedService } from '../support/cli-service.ts'
import { openExternalSystem } from '../support/external-system.ts'
import { connectMcp, httpTransport } from '../support/mcp-client.ts'
import { httpClient, signIn } from '../support/rpc-client.ts'
import { type ScriptedModel, say, startScriptedModel } from '../support/scripted-model.ts'

const shared = sharedService()
const Created = z.object({ connectionId: z.string() })
const CreatedAction = z.object({ actionId: z.string() })
const Outcome = z.object({ ok: z.boolean(), error: z.object({ message: z.string() }).nullable() })

let system: Awaited<ReturnType<typeof openExternalSystem>>
let model: ScriptedModel
let service: CliService
let ids: { connectionId: string; actionId: string; name: string }

beforeAll(async () => {
  system = await openExternalSystem((_request, response) => void response.end('{"ok":true}'))
  model = await startScriptedModel()
})
afterAll(async () => {
  system.close()
  await model.close()
})
beforeEach(async () => {
  system.requests.length = 0
  service = await shared.empty()
})

const optional = { description: 'Optional', required: false }
const parameters = [
  { name: 'order_id', type: 'string', description: 'The order', required: true },
  { name: 'note', type: 'string', ...optional },
  { name: 'units', type: 'number', ...optional },
  { name: 'gift', type: 'boolean', ...optional },
  { name: 'extra', type: 'object', ...optional },
]

async function prepare(method: 'GET' | 'POST'): Promise<void> {
  const fields = { name: 'Shop', baseUrl: system.url, persistEvents: true }
  const { connectionId } = Created.parse((await rest(service, 'POST', '/connections', { body: fields })).body)
  const body = { name: 'Act', toolName: 'act', description: 'Acts', method, path: '/act', parameters }
  const action = await rest(service, 'POST', `/connections/${connectionId}/actions`, { body })
  const { actionId } = CreatedAction.parse(action.body)
  await rest(service, 'PATCH', '/settings', { body: { assistantModel: model.model } })
  const tools = Tool.array().parse((await rest(service, 'GET', '/tools')).body)
  ids = { connectionId, actionId, name: tools.find(tool => tool.actionId === actionId)?.name ?? '' }
}

type Given = Readonly<Record<string, unknown>>

/** Calls the action in one of the ways in, and returns the message of its error; null for none. */
type Way = (given: Given) => Promise<string | null>

async function inConversation(argumentsText: string): Promise<string | null> {
  const { body } = await rest(service, 'POST', '/conversations', { body: {} })
  const { conversationId } = Conversation.parse(body)
  model.script([{ call: ids.name, arguments: argumentsText }], say('Done.'))
  const path = `/conversations/${conversationId}`
  await rest(service, 'POST', `${path}/messages`, { body: { text: 'Act' } })
  const now = async () => Conversation.parse((await rest(service, 'GET', path)).body)
  await expect.poll(async () => (await now()).status).not.toBe('answering')
  const callOf = ({ messages }: Conversation) =>
    messages.flatMap(({ parts }) => parts).find(part => part.type === 'call')
  const asked = callOf(await now())
  if (asked?.state === 'asking')
    await rest(service, 'POST', `${path}/calls/${asked.toolCallId}`, { body: { decision: 'once' } })
  await expect.poll(async () => (await now()).status).toBe('idle')
  return callOf(await now())?.error?.message ?? null
}

const ways: Readonly<Record<string, Way>> = {
  'the Test of the dashboard': async given => {
    const session = await signIn(service.dashboardUrl, keptToken(service.data))
    const client = httpClient(
      () => service.dashboardUrl,
      () => session,
    )
    const argumentsText = JSON.stringify(given)
    const { connectionId, actionId } = ids
    const target = { connectionId, actionId, source: 'test' as const }
    const outcome = await client.actions.test({ ...target, arguments: {}, argumentsText })
    return outcome.error?.message ?? null
  },
  REST: async given => {
    const path = `/connections/${ids.connectionId}/actions/${ids.actionId}/test`
    const { body } = await rest(service, 'POST', path, { body: { arguments: given } })
    return Outcome.parse(body).error?.message ?? null
  },
  'the command line': async given => {
    const args = ['call', 'Shop', 'act', '--args', JSON.stringify(given), '--data', service.data]
    const { code, stderr } = await runCliHere(args)
    return code === 0 ? null : stderr
  },
  MCP: async given => {
    const transport = httpTransport(`${service.dashboardUrl}/mcp`, keptToken(service.data))
    const { client } = await connectMcp(transport, '2025-11-25')
    const { isError, content } = await client.callTool({ name: ids.name, arguments: { ...given } })
    return isError === true ? JSON.stringify(content) : null
  },
  'a conversation': given => inConversation(JSON.stringify(given)),
  'a workflow': async given => {
    const literal = {
      key: 'literal',
      type: 'action',
      connectionId: ids.connectionId,
      toolName: 'act',
      arguments: given,
    }
    const variables = Object.fromEntries(Object.keys(given).map(name => [name, `{{event.${name}}}`]))
    const steps = [literal, { ...literal, key: 'variables', arguments: variables }]
    const workflow = { name: 'W', trigger: { type: 'external.event' }, steps: steps.slice(0, 1) }
    const made = z.object({ workflowId: z.string(), issues: z.array(z.unknown()) })
    const results = []
    for (const step of steps) {
      const body = { ...workflow, steps: [step] }
      const { workflowId } = made.parse((await rest(service, 'POST', '/workflows', { body })).body)
      const tested = await rest(service, 'POST', `/workflows/${workflowId}/test`, {
        body: { payload: given },
      })
      results.push(RunDetails.parse(tested.body).error?.message ?? null)
    }
    // The same as a value and as a variable.
    expect(results[0] === null).toBe(results[1] === null)
    return results[0] ?? null
  },
}

describe.each(Object.keys(ways))('in %s', name => {
  const way: Way = given => ways[name]?.(given) ?? Promise.reject(new Error('There is no such way.'))

  test.each([
    ['null', { order_id: 'ORD-1', note: null, units: null, gift: null, extra: null }],
    ['absent', { order_id: 'ORD-1' }],
  ])('an optional argument that is %s is left out', async (_, given) => {
    for (const method of ['POST', 'GET'] as const) {
      await shared.empty()
      await prepare(method)
      system.requests.length = 0
      expect(await way(given)).toBeNull()
      const sent = method === 'GET' ? '/act?order_id=ORD-1' : '{"order_id":"ORD-1"}'
      for (const { url, body } of system.requests) expect(method === 'GET' ? url : body).toBe(sent)
      expect(system.requests.length).toBeGreaterThan(0)
    }
  })

  test.each([
    ['null', { order_id: null, note: 'n' }],
    ['absent', { note: 'n' }],
  ])('a required argument that is %s is refused', async (_, given) => {
    await prepare('POST')
    expect(await way(given)).toContain('order_id')
    expect(system.requests).toEqual([])
  })

  test('an unknown argument that is null is refused', async () => {
    await prepare('POST')
    expect(await way({ order_id: 'ORD-1', other: null })).toContain('other')
    expect(system.requests).toEqual([])
  })
})

test('null as all arguments of a conversation’s call means none', async () => {
  await prepare('POST')
  expect(await inConversation('null')).toContain('order_id is required')
})
