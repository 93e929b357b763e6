import { describe, expect, test } from 'vitest'
import { bodySize, rejectionChecks, timestampWords } from '#renderer/entities/event/checks.ts'
import { explanations } from '#renderer/entities/snippet/explanations.ts'
import { fixFor } from '#renderer/entities/snippet/fixes.ts'
import { rejectionStory, senderMessage } from '#renderer/features/activity/rejection-story.ts'
import { inboundErrors } from '#shared/errors/inbound.ts'
import { defaultSender, Sender } from '#shared/model/sender/sender.ts'
import { attempted } from './fixtures.ts'

const states = (code: string, isStored = true) =>
  Object.fromEntries(rejectionChecks(code, isStored, '0.2 s old').map(({ name, state }) => [name, state]))

describe('checks', () => {
  test('the checks before the failed one passed, those after it were not reached', () => {
    expect(states('invalid_signature')).toEqual({
      'Token known': 'passed',
      'Connection enabled': 'passed',
      'Encoding and size': 'passed',
      Timestamp: 'passed',
      Signature: 'failed',
      Body: 'not reached',
      Stored: 'not reached',
      Trigger: 'not reached',
    })
    expect(states('missing_event', false)).toMatchObject({
      Signature: 'passed',
      Body: 'failed',
      Trigger: 'not reached',
    })
    expect(states('missing_event', false)).not.toHaveProperty('Stored')
    expect(states('unavailable', false)).toMatchObject({ Body: 'passed', Stored: 'failed' })
  })

  test('a request without a readable timestamp has not passed its check', () => {
    const shown = rejectionChecks('invalid_signature', true, null)
    expect(shown.find(({ name }) => name === 'Timestamp')?.state).toBe('not reached')
  })

  test('a missing signature is detected before the timestamp is checked', () => {
    expect(states('missing_signature')).toMatchObject({ Timestamp: 'not reached', Signature: 'failed' })
  })

  test.each(Object.keys(inboundErrors))('%s fails one check', code => {
    expect(rejectionChecks(code, false, null).filter(({ state }) => state === 'failed')).toHaveLength(1)
  })

  test('the check of the request itself is shown only if it failed', () => {
    expect(states('unknown_token')).not.toHaveProperty('Request')
    expect(states('malformed_request')).toMatchObject({ Request: 'failed', 'Token known': 'not reached' })
  })

  test('an unknown code has no checks', () => {
    expect(rejectionChecks('made_up', true, null)).toEqual([])
  })

  const at = '2026-11-21T09:30:00.000Z'
  const arrived = Date.parse(at)
  const words = (timestamp: string) => timestampWords(at, [['X-Service-Timestamp', timestamp]], defaultSender)

  test.each([
    [4, '4 ms old'],
    [220, '0.2 s old'],
    [-42_000, '42 s ahead'],
    [360_000, '6 min old'],
    [1_000_000_000_000, '32 years old'],
  ])('a timestamp of %i ms before the arrival is %s', (ms, age) => {
    expect(words(String(arrived - ms))).toBe(age)
  })

  test.each([0, 42, -42, 86_399, -86_399])('a timestamp of %i seconds before it is in seconds', seconds => {
    expect(words(String(arrived / 1000 - seconds))).toBe('in seconds, not milliseconds')
  })

  test.each(['soon', '', '1790295474.5', '1790295474090000'])('the timestamp %j has no age', timestamp => {
    expect(words(timestamp)).toBeNull()
    expect(timestampWords(at, [], defaultSender)).toBeNull()
  })

  test('a timestamp is read where the scheme of the connection has it', () => {
    const seconds = Math.floor(Date.parse(at) / 1000) - 60
    const words = (scheme: string, headers: [string, string][]) =>
      timestampWords(at, headers, Sender.parse({ scheme }))
    expect(words('slack', [['X-Slack-Request-Timestamp', String(seconds)]])).toBe('1 min old')
    expect(words('slack', [['X-Slack-Request-Timestamp', `${seconds}000`]])).toBe(
      'in milliseconds, not seconds',
    )
    expect(words('stripe', [['Stripe-Signature', `t=${seconds},v1=00`]])).toBe('1 min old')
    expect(words('github', [['X-Hub-Signature-256', 'sha256=00']])).toBeNull()
  })

  test.each([
    [12, '12', '12 bytes', 'The body is no longer stored.'],
    [0, '0', '0 bytes', 'The request had no body.'],
    [0, undefined, '0 bytes', 'The request had no body.'],
    [0, '1100029', '1.1 MB announced', 'The body was refused before it was read.'],
  ])('a body of %j bytes with the Content-Length %j has the size %j', (bytes, length, size, absence) => {
    const headers = length === undefined ? [] : ([['Content-Length', length]] as const)
    expect(bodySize(bytes, headers)).toEqual({ size, absence })
  })
})

describe('the explanation of a refusal', () => {
  const message = 'You signed the body alone.'
  const attempt = attempted(1, {
    headers: [['x-service-timestamp', '1795271515090']],
    bodyText: '{"event":"a"}',
  })

  test('a diagnosis shows what was signed and what must be', () => {
    const diagnosis = { code: 'signed_body_only' as const, message }
    expect(rejectionStory('invalid_signature', '', diagnosis, attempt)).toEqual({
      title: 'The sender signed the body alone',
      explanation: message,
      forSender: message,
      was: '{"event":"a"}',
      must: '1795271515090.{"event":"a"}',
    })
    expect(rejectionStory('invalid_signature', '', diagnosis, undefined).must).toBeNull()
  })

  test('without a diagnosis, the code explains the refusal and what to do', () => {
    const story = rejectionStory('missing_event', inboundErrors.missing_event.message, null, attempt)
    expect(story.title).toBe('Body has no event')
    expect(story.explanation).toMatch(/field "event"\. Send the name/)
    expect(story.must).toBeNull()
  })

  test('what only the owner can do is not for the sender', () => {
    const { message, remedy, ownerRemedy } = inboundErrors.connection_disabled
    const story = rejectionStory('connection_disabled', message, null, undefined)
    expect(story.forSender).toBe(`${message} ${remedy}`)
    expect(story.explanation).toBe(`${message} ${remedy} ${ownerRemedy}`)
  })

  test('an unknown cause has a neutral title', () => {
    const unknown = { code: 'unknown' as const, message: 'It matches none of the usual mistakes.' }
    expect(rejectionStory('invalid_signature', '', unknown, attempt)).toMatchObject({
      title: 'Signature does not match',
      explanation: unknown.message,
      must: null,
    })
  })
})

test('the message for the sender explains the fix and contains nothing of the request', () => {
  const lines = fixFor('signed_body_only', 'node')
  if (lines === null) throw new Error('There is a fix for this.')
  const rejection = { at: '2026-11-21T09:30:00.000Z', status: 401, code: 'invalid_signature' }
  const story = { title: 'The sender signed the body alone', forSender: 'Sign the timestamp too.' }
  const text = senderMessage(rejection, story, explanations.signed_body_only, { language: 'Node', lines })
  expect(text).toBe(
    [
      'A request of 2026-11-21T09:30:00.000Z to our webhook was answered 401 invalid_signature.',
      '',
      'The sender signed the body alone.',
      'Sign the timestamp too.',
      '',
      'Was: {body}',
      'Must be: {timestamp}.{body}',
      '',
      'In Node:',
      "  const digest = createHmac('sha256', secret)",
      '-   .update(body)',
      `+   .update(\`\${timestamp}.\${body}\`)`,
      "    .digest('hex')",
      '',
    ].join('\n'),
  )
})
