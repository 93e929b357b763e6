import { expect, test } from 'vitest'
import { createActivate } from '#main/inbound/activate.ts'
import type { Question } from '#main/inbound/challenges.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { pathOf } from '../support/sender.ts'

const question: Question = {
  answer: { status: 200, rawHeaders: [], body: '' },
  ...{ secret: 'that-a-handshake-brings', confirmUrl: null, openUrl: null },
}

test('a secret of a handshake is not kept for a scheme that was chosen meanwhile', async () => {
  const fixture = await startInbound({ connection: { sender: Sender.parse({ scheme: 'asana' }) } })
  const { store, clock, connection } = fixture
  const current = () => {
    const record = store.snapshot().connections.get(connection.connectionId)
    if (record === undefined) throw new Error('The connection is missing.')
    return record
  }
  const activate = createActivate({ store, fetch: undefined, clock: () => clock.now })
  const asked = current()
  await fixture.change({ sender: Sender.parse({ scheme: 'github' }) })
  await expect(activate(asked, question)).rejects.toMatchObject({ code: 'unavailable' })
  expect(current().senderSecret).toBeUndefined()
  expect(current().activation).toBeUndefined()

  await fixture.change({ sender: asked.sender })
  await activate(current(), question)
  expect(current()).toMatchObject({ senderSecret: question.secret, activation: expect.anything() })
})

test('of two handshakes at the same time one is kept, and the other is refused and recorded', async () => {
  const fixture = await startInbound({ connection: { sender: Sender.parse({ scheme: 'asana' }) } })
  const requestOf = (secret: string) =>
    Buffer.from(
      `POST ${pathOf(fixture.connection.token)} HTTP/1.1\r\nHost: in.example\r\nX-Hook-Secret: ${secret}\r\nContent-Length: 2\r\n\r\n{}`,
    )
  const statuses = async (...secrets: string[]) => {
    const client = await fixture.open()
    await client.write(Buffer.concat(secrets.map(requestOf)))
    const answers: number[] = []
    for (const _ of secrets) answers.push((await client.read()).status)
    return answers
  }
  expect(await statuses('one', 'other')).toEqual([200, 503])
  expect(fixture.outcomes.map(({ kind }) => kind).toSorted()).toEqual(['event.accepted', 'event.unavailable'])
  expect(await statuses('other', 'one')).toEqual([401, 200])
})

test.each([
  ['asana', 'X-Hook-Secret: brought\r\n', '{}'],
  ['notion', '', '{"verification_token":"brought"}'],
])('a handshake of %s may come in chunks', async (scheme, header, body) => {
  const fixture = await startInbound({ connection: { sender: Sender.parse({ scheme }) } })
  const head = `POST ${pathOf(fixture.connection.token)} HTTP/1.1\r\nHost: in.example\r\n${header}`
  const client = await fixture.open()
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
  await client.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk(body)}`)
  expect((await client.read()).status).toBe(200)
  const padded = `${body.slice(0, -1)},"x":"${'x'.repeat(16 * 1024)}"}`.replace('{,', '{')
  await client.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk(padded)}`)
  expect((await client.read()).status).toBe(scheme === 'asana' ? 200 : 401)
})
