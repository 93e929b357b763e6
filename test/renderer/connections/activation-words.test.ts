import { expect, test } from 'vitest'
import {
  challengesOf,
  isSigning,
  questionName,
  questionRequest,
  questionWords,
} from '#renderer/features/connections/sender/activation-words.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { schemeNames, schemes } from '#shared/model/sender/templates.ts'

const asking = schemeNames.filter(name => (schemes[name].challenges ?? []).length > 0)
const senderOf = (scheme: string) => Sender.parse({ scheme, settings: { topic_arn: 'arn' } })
const challengeOf = (scheme: string) => {
  const [challenge] = challengesOf(senderOf(scheme))
  if (challenge === undefined) throw new Error('It asks nothing.')
  return challenge
}

test('every question has a sentence', () => {
  expect(asking.length).toBeGreaterThan(10)
  for (const name of asking)
    expect(questionWords(challengeOf(name), true), name).toMatch(
      /^A (signed )?(GET|HEAD|POST)( with .+|, answered with 200)\.$/,
    )
})

test.each([
  [
    'meta',
    'A GET with `hub.mode=subscribe`, your verify token and a text of at most 4 KiB, sent back as it is.',
  ],
  ['asana', 'A POST with the secret, which is kept.'],
  ['notion', 'A POST with a token, which is kept.'],
  [
    'zoom',
    'A signed POST with `event=endpoint.url_validation` and a text of at most 4 KiB, sent back as JSON.',
  ],
  ['sns', 'A signed POST with `Type=SubscriptionConfirmation` and an address to confirm.'],
  ['trello', 'A HEAD, answered with 200.'],
  [
    'event-grid',
    'A POST with `aeg-event-type=SubscriptionValidation`, an address to confirm and a text of at most 4 KiB, sent back as JSON.',
  ],
])('%s asks with %s', (scheme, words) => {
  expect(questionWords(challengeOf(scheme), isSigning(senderOf(scheme)))).toBe(words)
})

test('a question is shown without what it brought', () => {
  expect(questionRequest(challengeOf('meta'), '/events')).toEqual([
    'GET /events?hub.mode=subscribe',
    '    &hub.challenge=…',
    '    &hub.verify_token=••••••••',
  ])
  expect(questionRequest(challengeOf('asana'), '/events')).toEqual(['POST /events', 'x-hook-secret: …'])
  expect(questionRequest(challengeOf('notion'), '/events')).toEqual([
    'POST /events',
    '',
    'verification_token: …',
  ])
  expect([questionName(challengeOf('meta')), questionName(challengeOf('trello'))]).toEqual([
    'hub.challenge',
    null,
  ])
})

test('every preset that asks says where the URL is entered', () => {
  expect(asking.filter(name => schemes[name].urlPlace === undefined)).toEqual([])
})
