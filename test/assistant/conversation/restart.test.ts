import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { restoreBackup } from '#main/backup/restore.ts'
import { saveBackup } from '#main/backup/save-backup.ts'
import { newFolder } from '../../storage/config-fixtures.ts'
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

test('a restored backup has the conversations, and finds their text', async () => {
  const talk = await startTalk()
  talk.model.script([call(talk.names.lookUp, { order_id: 'ORD-1' })], say('Kept.'))
  await talk.send('Keep this')
  const before = await talk.until('idle')
  const file = join(await newFolder(), 'backup.tar.gz')
  await saveBackup((await talk.service.backups.create()).stream, { file, force: false })
  await talk.ask('DELETE')
  expect((await talk.ask('GET')).status).toBe(404)
  await talk.stop()
  const { dataFolder, clock } = talk
  const { setAside } = await restoreBackup({ file, dataFolder, force: true, clock: () => clock.now })
  onTestFinished(() => rm(setAside ?? '', { recursive: true, force: true }))
  await talk.restart()
  const restored = await talk.now()
  // The context is counted once more after the answer has ended, maybe only now.
  expect(restored).toEqual({
    ...before,
    context: { ...before.context, messages: restored.context?.messages },
  })
  expect((await talk.rest('GET', '/conversations?text=kept')).body).toMatchObject({
    conversations: [{ conversationId: talk.conversationId }],
  })
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
