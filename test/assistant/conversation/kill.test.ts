import { expect, onTestFinished, test } from 'vitest'
import { Conversation } from '#shared/model/conversation.ts'
import { keptToken, rest, serve, temporaryFolder } from '../../support/cli-service.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { say, startScriptedModel } from '../../support/scripted-model.ts'
import { formsOf, lastMessage, textsOf } from './fixtures.ts'

test('kill -9 in mid-answer loses nothing that was shown', async () => {
  const data = temporaryFolder()
  const model = await startScriptedModel()
  onTestFinished(() => model.close())
  model.script([{ text: 'Some words that are shown before the end. ' }, { hold: true }], say('Again.'))
  const first = await serve(data)
  const patch = await fetch(`${first.dashboardUrl}/api/v1/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${keptToken(data)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ assistantModel: model.model }),
  })
  expect(patch.status).toBe(200)
  const { conversationId } = Conversation.parse(
    (await rest(first, 'POST', '/conversations', { body: {} })).body,
  )
  const path = `/conversations/${conversationId}`
  // It never answers.
  const system = await startExternalSystem(() => {})
  const form = { fields: ['order_id'], submitUrl: system.url }
  const actions = ['refund', 'return'].map(word => ({ trigger: `keyword:${word}`, action: word, form }))
  await rest(first, 'PUT', '/platform/conversation-actions', { body: actions })
  await rest(first, 'PATCH', path, { body: { agent: { agentId: 'default' } } })
  await rest(first, 'POST', `${path}/messages`, { body: { text: 'Write of a refund or return' } })
  const read = async (service: typeof first) => Conversation.parse((await rest(service, 'GET', path)).body)
  await expect.poll(async () => textsOf(await read(first))[1]).toContain('before the end.')
  const [refund] = formsOf(await read(first))
  const submission = `${path}/forms/${refund?.formId}`
  rest(first, 'POST', submission, { body: { fields: { order_id: 'ORD-1' } } }).catch(() => {})
  await expect.poll(() => system.requests).toHaveLength(1)
  expect(formsOf(await read(first))).toMatchObject([{ state: 'sending' }, { state: 'offered' }])
  const shown = textsOf(await read(first)).map(text => text.replace('[form sending]', '[form failed]'))
  first.process.signal('SIGKILL')
  await first.process.ended

  const second = await serve(data)
  const after = await read(second)
  expect(textsOf(after)).toEqual(shown)
  expect(after.agent).toMatchObject({ agentId: 'default' })
  expect(formsOf(after)).toMatchObject([
    { state: 'failed', values: { order_id: 'ORD-1' }, error: { code: 'form_interrupted' } },
    { state: 'offered' },
  ])
  expect(lastMessage(after)).toMatchObject({ ended: 'failed', error: { code: 'answer_interrupted' } })
  // Also while somebody looks at it.
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const headers = { authorization: `Bearer ${keptToken(data)}` }
  await fetch(`${second.dashboardUrl}/api/v1${path}/live`, { headers, signal: stop.signal })
  expect((await rest(second, 'GET', '/conversations')).body).toMatchObject({
    conversations: [{ conversationId, status: 'failed' }],
  })
  await rest(second, 'POST', `${path}/messages`, { body: { text: 'Again?' } })
  await expect.poll(async () => (await read(second)).status).toBe('idle')
  second.process.signal('SIGKILL')
  await second.process.ended

  const third = await serve(data)
  const { messages } = await read(third)
  expect(messages.map(({ ended }) => ended)).toEqual([null, 'failed', null, 'complete'])
})
