import { describe, expect, test } from 'vitest'
import { prepareSender } from '#main/signing/prepare-sender.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { openOwnSender } from '../support/own-sender.ts'

/** Returns the name of an event, or the code of its refusal. */
async function nameOf(eventName: object, body: object, headers = {}, query = '') {
  const { fixture, post } = await openOwnSender({ eventName })
  const answer = await post(JSON.stringify(body), headers, query)
  const [outcome] = fixture.outcomes
  return answer.status === 200 && outcome?.kind === 'event.accepted' ? outcome.eventName : answer.error
}

describe('one Slack app is one connection', () => {
  const places = [{ path: 'event.type' }, { path: 'type' }, { path: 'command' }]
  test.each([
    [{ type: 'event_callback', event: { type: 'message' } }, 'message'],
    [{ type: 'block_actions', user: {} }, 'block_actions'],
    [{ command: '/weather', text: 'Berlin' }, '/weather'],
    [{ type: null, command: '/weather' }, '/weather'],
    [{ text: 'Berlin' }, 'missing_event'],
    // The first that has a value wins, even if that cannot be a name.
    [{ type: 7, command: '/weather' }, 'invalid_event'],
  ])('%j', async (body, name) => expect(await nameOf(places, body)).toBe(name))
})

test.each([
  [{ constant: 'change' }, {}, 'change'],
  [[{ path: 'type' }, { constant: 'notification' }], {}, 'notification'],
  [[{ path: 'type' }, { constant: 'notification' }], { type: 'a' }, 'a'],
  [{ present: ['message', 'edited_message'] }, { update_id: 1, edited_message: {} }, 'edited_message'],
  [{ present: ['message', 'edited_message'] }, { message: {}, edited_message: {} }, 'message'],
  [{ present: ['message'] }, { message: null }, 'missing_event'],
  [{ present: ['update.created', 'update["was gone"]'] }, { update: { 'was gone': 0 } }, 'was gone'],
  [[{ present: ['message'] }, { constant: 'other' }], { poll: {} }, 'other'],
])('%j names %j', async (eventName, body, name) => expect(await nameOf(eventName, body)).toBe(name))

test('a query parameter names the event, decoded', async () => {
  const eventName = { query: 'topic' }
  expect(await nameOf(eventName, {}, {}, '?a=1&topic=order%20paid')).toBe('order paid')
  expect(await nameOf(eventName, {}, {}, '?topics=a')).toBe('missing_event')
  expect(await nameOf(eventName, {}, {}, '')).toBe('missing_event')
  expect(await nameOf(eventName, {}, {}, '?topic=a&topic=b')).toBe('invalid_event')
  expect(await nameOf(eventName, {}, {}, '?topic=')).toBe('invalid_event')
  expect(await nameOf([eventName, { constant: 'none' }], {}, {}, '?x')).toBe('none')
})

test.each([
  [{ path: 'type' }, '{{timestamp}}.{{body}}', false],
  [{ constant: 'a' }, '{{timestamp}}.{{body}}', false],
  [{ present: ['a'] }, '{{timestamp}}.{{body}}', false],
  [{ header: 'X-Topic' }, '{{timestamp}}.{{body}}', true],
  [[{ path: 'type' }, { header: 'X-Topic' }], '{{timestamp}}.{{body}}', true],
  [{ header: 'X-Topic' }, '{{timestamp}}.{{header:x-topic}}.{{body}}', false],
  [{ query: 'topic' }, '{{timestamp}}.{{body}}', true],
  [{ query: 'topic' }, '{{timestamp}}.{{url}}.{{body}}', false],
])('a name at %j of what %s signs makes the bytes ambiguous: %s', (eventName, signed, isAmbiguous) => {
  const sender = Sender.parse({
    ...{ scheme: 'template', signatureHeader: 'x-sig', encoding: 'hex', timestampHeader: 'x-time' },
    ...{ signed, eventName },
  })
  expect(prepareSender(sender, [])[0].isAmbiguous).toBe(isAmbiguous)
})

test('a copy of a request with another name in its query is a repeat', async () => {
  const { post, stored, kinds } = await openOwnSender({ eventName: { query: 'topic' } })
  expect(await post('{"a":1}', {}, '?topic=a')).toMatchObject({ status: 200 })
  expect(await post('{"a":1}', {}, '?topic=b')).toMatchObject({ status: 200 })
  expect((await stored()).map(({ eventName }) => eventName)).toEqual(['a'])
  expect(kinds()).toEqual(['event.accepted', 'event.repeated'])
})
