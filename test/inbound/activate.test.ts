import { expect, test } from 'vitest'
import { createActivate } from '#main/inbound/activate.ts'
import type { Question } from '#main/inbound/challenges.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { startInbound } from '../support/inbound-fixture.ts'

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
