import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { inboundErrors } from '#shared/errors/inbound.ts'
import { countOf } from '../storage/event-log-events.ts'
import { type InboundFixture, openInbound } from '../support/inbound-fixture.ts'
import { openRawClient, type RawAnswer } from '../support/raw-http.ts'
import { signedRequest } from '../support/sender.ts'
import { bodySizeRows } from './bad-input/body-size.ts'
import { type Case, type Expected, type Row, sceneOf } from './bad-input/case.ts'
import { contentRows } from './bad-input/content.ts'
import { framingRows } from './bad-input/framing.ts'
import { signatureRows } from './bad-input/signature.ts'
import { stateRows } from './bad-input/state.ts'
import { targetRows } from './bad-input/target.ts'

/** Every inbound row of the list of bad input; rows that need more have a file of their own beside this one. */
const rows: Row[] = [
  ...targetRows,
  ...signatureRows,
  ...bodySizeRows,
  ...framingRows,
  ...contentRows,
  ...stateRows,
]

describe.each(rows)('$row: $title', ({ options, cases }) => {
  let fixture: InboundFixture
  beforeAll(async () => {
    fixture = await openInbound(options)
  })
  afterAll(() => fixture.close())

  test.each(cases)('$name', async input => {
    const scene = sceneOf(fixture)
    const { connection, inbound } = fixture
    const triggersOf = (id: string) => fixture.triggers.filter(trigger => trigger.connectionId === id).length
    const triggersBefore = triggersOf(connection.connectionId)
    const storedBefore = await countOf(fixture.log, connection.connectionId)

    const answers = await play(fixture, input)
    const [good] = await goodEvent(fixture)

    expect(answers.map(statusAndCode)).toEqual(input.toHead ? input.answers.map(withoutCode) : input.answers)
    expect(good?.status, 'a good event on another connection').toBe(200)
    const accepted = input.triggers ?? input.answers.filter(answer => answer === 200).length
    expect(triggersOf(connection.connectionId) - triggersBefore).toBe(accepted)
    expect((await countOf(fixture.log, connection.connectionId)) - storedBefore).toBe(accepted)
    for (const { text } of answers) {
      expectNoSecret(text, fixture)
      expect(text).not.toContain('whsec_')
    }
    for (const { diagnosis } of inbound.attempts.list(connection.connectionId))
      expectNoSecret(JSON.stringify(diagnosis), fixture)
    expect(fixture.errors).toEqual([])
    await input.check?.(scene, answers)
  })
})

test('every row is covered', () => {
  expect([...new Set(rows.map(({ row }) => row))].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  )
})

test('every code of the table of refusals is provoked by a case', () => {
  const answers = rows.flatMap(({ cases }) => cases.flatMap(one => one.answers))
  const provoked = new Set(answers.flatMap(answer => (typeof answer === 'number' ? [] : [answer[1]])))
  // Only other schemes take forms and lists of events: form-limit.test.ts and event-lists.test.ts send those.
  const ofForms = ['too_many_fields', 'too_many_events']
  // Only they have public keys and tokens: keys.test.ts sends those.
  const ofKeys = ['keys_unavailable', 'token_expired', 'unknown_key']
  expect([...provoked, ...ofForms, ...ofKeys].sort()).toEqual(Object.keys(inboundErrors).sort())
})

/** Sends a case over a socket of its own and sees what becomes of the socket. */
async function play(fixture: InboundFixture, input: Case): Promise<RawAnswer[]> {
  const client = await openRawClient(fixture)
  onTestFinished(() => client.destroy())
  for (const piece of input.send(sceneOf(fixture))) {
    if (typeof piece === 'function') await piece()
    else await client.write(piece)
  }
  const answers: RawAnswer[] = []
  while (answers.length < input.answers.length)
    answers.push(await client.read({ toHead: input.toHead ?? false }))
  const last = answers.at(-1)
  switch (input.socket) {
    case 'stays':
      await client.write(signedRequest(fixture.other, fixture.clock.now).bytes)
      expect((await client.read()).status, 'a good event over the same socket').toBe(200)
      break
    case 'cut':
      expect(await client.closed(), 'said after the last answer').toBe('')
      break
    case 'closes':
      expect(last?.headers.get('connection')).toBe('close')
      client.end()
      expect(await client.closed(), 'said after the last answer').toBe('')
      break
    case 'leaves':
      client.end()
      expect((await client.read()).body).toContain('"malformed_request"')
      expect(await client.closed()).toBe('')
      break
    case 'resets':
      client.reset()
  }
  return answers
}

async function goodEvent(fixture: InboundFixture): Promise<RawAnswer[]> {
  const { other, triggers } = fixture
  const before = triggers.length
  const answer = await fixture.post({}, other)
  expect(triggers.slice(before).map(({ connectionId }) => connectionId)).toEqual([other.connectionId])
  return [answer]
}

function statusAndCode({ status, body }: RawAnswer): Expected | unknown {
  if (status === 100) return 100
  if (status === 200) return body === '{"ok":true}' ? 200 : body
  if (body === '') return [status]
  const { ok, error, message, ...rest } = JSON.parse(body)
  expect({ ok, rest }).toEqual({ ok: false, rest: {} })
  expect(message).toMatch(/^[A-Z].*\.$/s)
  return [status, error]
}

const withoutCode = (expected: Expected) => (typeof expected === 'number' ? expected : [expected[0]])

/** Neither a secret nor the token, nor anything that could be a digest. */
function expectNoSecret(text: string, { connection }: InboundFixture): void {
  expect(text).not.toMatch(/[0-9a-f]{32}/i)
  expect(text).not.toContain(connection.token)
  const secret = connection.secret.slice('whsec_'.length)
  if (secret !== '') expect(text).not.toContain(secret)
}
