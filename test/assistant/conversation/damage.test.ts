import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { say } from '../../support/scripted-model.ts'
import { startTalk, type Talk } from './fixtures.ts'

const note = '[The disk has damaged this part of the message.]'

/** A conversation of two questions with their answers, each of which has two parts. */
async function startTwoTurns(): Promise<Talk> {
  const talk = await startTalk()
  for (const question of ['Where is it?', 'And the other?']) {
    talk.model.script(say(`Answer to: ${question}`))
    await talk.send(question)
    await talk.until('idle')
  }
  return talk
}

/** Changes what is stored while the service is stopped. */
async function change(talk: Talk, sql: string): Promise<void> {
  await talk.stop()
  const database = new DatabaseSync(join(talk.dataFolder, 'history.sqlite'))
  expect(database.prepare(sql).run().changes).toBeGreaterThan(0)
  database.close()
  await talk.restart()
}

const textsOf = ({ messages }: Awaited<ReturnType<Talk['now']>>) =>
  messages.map(({ role, parts }) => [role, ...parts.map(part => ('text' in part ? part.text : part.type))])

const whole = [
  ['user', 'Where is it?'],
  ['assistant', 'Answer to: Where is it?'],
  ['user', 'And the other?'],
  ['assistant', 'Answer to: And the other?'],
]

test.each([
  [
    'a part that cannot be read',
    'UPDATE conversation_items SET body = substr(body, 2) WHERE message = 1 AND part = 0',
    [1, ['assistant', note]],
  ],
  ['a lost message', 'DELETE FROM conversation_items WHERE message = 1', [1, ['assistant', note]]],
  [
    'the head of a message that cannot be read',
    "UPDATE conversation_items SET body = '{' WHERE message = 2 AND part = -1",
    [2, ['user', 'And the other?']],
  ],
] as const)('a conversation with %s shows the rest, and goes on', async (_, sql, [place, shown]) => {
  const talk = await startTwoTurns()
  await change(talk, sql)
  const expected = whole.with(place, [...shown])
  expect(textsOf(await talk.now())).toEqual(expected)
  talk.model.script(say('Yes.'))
  await talk.send('Still there?')
  await talk.until('idle')
  await talk.restart()
  expect(textsOf(await talk.now())).toEqual([...expected, ['user', 'Still there?'], ['assistant', 'Yes.']])
})

test('a conversation whose head cannot be read keeps its place in the list, says so, and can be deleted', async () => {
  const talk = await startTwoTurns()
  await change(talk, "UPDATE conversations SET head = '{'")
  const { conversationId, rest } = talk
  expect((await rest('GET', '/conversations')).body).toMatchObject({
    conversations: [{ conversationId, title: 'Damaged conversation', status: 'failed' }],
  })
  expect(await talk.ask('GET')).toMatchObject({ status: 500, body: { code: 'damaged_data' } })
  expect((await talk.ask('DELETE')).body).toEqual({ deleted: 1 })
  expect((await rest('GET', '/conversations')).body).toMatchObject({ conversations: [] })
})
