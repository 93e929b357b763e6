import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { startScriptedModel } from '../support/scripted-model.ts'
import { startService } from '../support/service-fixture.ts'

const Summary = z.object({ conversationId: z.string(), title: z.string() })
const Page = z.object({ conversations: z.array(Summary), nextBefore: z.string().nullable() })

describe('conversations', () => {
  test('are created, listed with the last changed first, renamed, found by their title and deleted', async () => {
    const { rest, restart } = await startService()
    const ids: string[] = []
    for (const title of ['Damaged cables', 'Stock of KEYBOARDS', 'Late orders']) {
      const { status, body } = await rest('POST', '/conversations', {})
      expect(status).toBe(201)
      const { conversationId } = Summary.parse(body)
      ids.push(conversationId)
      expect((await rest('PATCH', `/conversations/${conversationId}`, { title })).status).toBe(200)
    }
    const first = Page.parse((await rest('GET', '/conversations?limit=2')).body)
    expect(first.conversations.map(({ title }) => title)).toEqual(['Late orders', 'Stock of KEYBOARDS'])
    const rest2 = Page.parse((await rest('GET', `/conversations?limit=2&before=${first.nextBefore}`)).body)
    expect(rest2).toMatchObject({ conversations: [{ title: 'Damaged cables' }], nextBefore: null })
    const found = Page.parse((await rest('GET', '/conversations?text=keyboards')).body)
    expect(found.conversations.map(({ conversationId }) => conversationId)).toEqual([ids[1]])
    await restart()
    expect((await rest('GET', `/conversations/${ids[0]}`)).body).toMatchObject({
      title: 'Damaged cables',
      workspaceId: 'default',
      status: 'idle',
      messages: [],
      model: null,
    })
    expect((await rest('DELETE', `/conversations/${ids[0]}`)).body).toEqual({ deleted: 1 })
    expect((await rest('GET', `/conversations/${ids[0]}`)).body).toMatchObject({
      code: 'conversation_not_found',
    })
    expect((await rest('GET', '/conversations?before=nonsense')).body).toMatchObject({
      code: 'invalid_input',
    })
  })

  test('are deleted with their workspace', async () => {
    const { rest } = await startService()
    const workspace = z
      .object({ workspaceId: z.string() })
      .parse((await rest('POST', '/workspaces', { name: 'Other' })).body)
    const { conversationId } = Summary.parse((await rest('POST', '/conversations', workspace)).body)
    await rest('DELETE', `/workspaces/${workspace.workspaceId}`)
    expect((await rest('GET', `/conversations/${conversationId}`)).status).toBe(404)
    await expect
      .poll(async () => Page.parse((await rest('GET', '/conversations')).body).conversations)
      .toEqual([])
    expect((await rest('POST', '/conversations', { workspaceId: 'ws_gone' })).body).toMatchObject({
      code: 'workspace_not_found',
    })
  })
})

describe('models', () => {
  test('of servers on this computer are found, with what they can do', async () => {
    const model = await startScriptedModel()
    onTestFinished(() => model.close())
    // Nothing listens at the port of a server that was closed.
    const closed = await startScriptedModel()
    await closed.close()
    const { rest } = await startService({
      service: { modelServers: { ollama: model.origin, lm_studio: closed.origin } },
    })
    const { body } = await rest('GET', '/assistant/models')
    expect(body).toMatchObject({
      providers: [
        {
          provider: 'ollama',
          name: 'Ollama',
          baseUrl: `${model.origin}/v1`,
          state: 'found',
          models: [
            { model: 'qwen3:14b', bytes: 9_300_000_000, callsTools: true, contextTokens: 40_960 },
            { model: 'gemma2:9b', callsTools: false },
          ],
          problem: null,
        },
        { provider: 'lm_studio', state: 'not_running', models: [], problem: { code: 'model_unreachable' } },
      ],
    })
  })

  test('of any server can be tried, and are then chosen in the settings', async () => {
    const model = await startScriptedModel()
    onTestFinished(() => model.close())
    const { rest } = await startService({ service: { env: { OPENAI_API_KEY: 'sk-canary-1234567890' } } })
    const { baseUrl } = model.model
    const listed = await rest('POST', '/assistant/models/test', { baseUrl })
    expect(listed.body).toMatchObject({
      state: 'found',
      models: [{ model: 'qwen3:14b', contextTokens: null }, { model: 'gemma2:9b' }],
    })
    const tried = await rest('POST', '/assistant/models/test', {
      baseUrl,
      model: 'qwen3:14b',
      keyVariable: 'OPENAI_API_KEY',
    })
    expect(tried.body).toMatchObject({ state: 'found', models: [{ model: 'qwen3:14b', callsTools: true }] })
    expect(model.requests[0]?.authorization).toBe('Bearer sk-canary-1234567890')
    const missing = await rest('POST', '/assistant/models/test', { baseUrl, keyVariable: 'NO_SUCH_KEY' })
    expect(missing.body).toMatchObject({ state: 'failed', problem: { code: 'model_key_missing' } })
    model.script({ status: 401, body: '{"error":{"message":"Incorrect API key: sk-canary-1234567890"}}' })
    const refused = await rest('POST', '/assistant/models/test', {
      baseUrl,
      model: 'qwen3:14b',
      keyVariable: 'OPENAI_API_KEY',
    })
    expect(refused.body).toMatchObject({ state: 'failed', problem: { code: 'model_unauthorized' } })
    expect(refused.text).not.toContain('sk-canary')
    const blocked = await rest('POST', '/assistant/models/test', { baseUrl: 'http://169.254.169.254/v1' })
    expect(blocked.body).toMatchObject({ state: 'failed', problem: { code: 'model_address_blocked' } })
    const assistantModel = { ...model.model, keyVariable: 'OPENAI_API_KEY' }
    expect((await rest('PATCH', '/settings', { assistantModel })).body).toMatchObject({ assistantModel })
    expect((await rest('GET', '/environment')).body).toMatchObject([
      { name: 'OPENAI_API_KEY', sources: ['process'], kind: 'value', usedBy: [] },
    ])
  })
})
