import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, say } from '../../support/scripted-model.ts'
import { callsOf, lastMessage, startTalk, textsOf } from './fixtures.ts'

test('a restart in mid-answer keeps what was shown and marks the answer as interrupted', async () => {
  const talk = await startTalk()
  talk.model.script(
    [{ text: 'I will refund it. ' }, call(talk.names.refund, { order_id: '1', amount: 5 })],
    say('Again.'),
  )
  await talk.send('Refund')
  await talk.until('asking')
  await talk.restart()
  const found = await talk.rest('GET', '/conversations')
  expect(found.body).toMatchObject({ conversations: [{ status: 'failed', title: 'Refund' }] })
  const after = await talk.now()
  expect(textsOf(after)).toEqual(['Refund', 'I will refund it. [create_refund cancelled]'])
  expect(lastMessage(after)).toMatchObject({ ended: 'failed', error: { code: 'answer_interrupted' } })
  const [cancelled] = callsOf(after)
  expect(
    (await talk.ask('POST', `/calls/${cancelled?.toolCallId}`, { decision: 'once' })).body,
  ).toMatchObject({ code: 'call_not_waiting' })
  await talk.ask('POST', '/retry')
  expect(textsOf(await talk.until('idle'))).toEqual(['Refund', 'Again.'])
})

test('a backup holds the conversations', async () => {
  const talk = await startTalk()
  talk.model.script(say('Kept.'))
  await talk.send('Keep this')
  await talk.until('idle')
  const { manifest, stream } = await talk.service.backups.create()
  stream.destroy()
  expect(manifest.files.map(({ name }) => name)).toContain('history.sqlite')
})

test('two messages at once start one answer', async () => {
  const talk = await startTalk()
  talk.model.script([{ hold: true }])
  const sent = await Promise.all(['One', 'Two', 'Three'].map(text => talk.ask('POST', '/messages', { text })))
  expect(sent.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  const codes = z.array(z.looseObject({ code: z.string().optional() })).parse(sent.map(({ body }) => body))
  expect(codes.filter(({ code }) => code === 'conversation_busy')).toHaveLength(2)
  await talk.ask('DELETE')
  await talk.model.requests[0]?.closed
  expect((await talk.ask('GET')).status).toBe(404)
})
