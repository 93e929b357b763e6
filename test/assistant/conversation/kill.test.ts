import { expect, onTestFinished, test } from 'vitest'
import { Conversation } from '#shared/model/conversation.ts'
import { keptToken, rest, serve, temporaryFolder } from '../../support/cli-service.ts'
import { say, startScriptedModel } from '../../support/scripted-model.ts'
import { lastMessage, textsOf } from './fixtures.ts'

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
  await rest(first, 'POST', `${path}/messages`, { body: { text: 'Write' } })
  const read = async (service: typeof first) => Conversation.parse((await rest(service, 'GET', path)).body)
  await expect.poll(async () => textsOf(await read(first))[1]).toContain('before the end.')
  const shown = textsOf(await read(first))
  first.process.signal('SIGKILL')
  await first.process.ended

  const second = await serve(data)
  const after = await read(second)
  expect(textsOf(after)).toEqual(shown)
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
