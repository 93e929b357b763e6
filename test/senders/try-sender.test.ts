import { expect, test } from 'vitest'
import { type TrialJob, trySender } from '#main/senders/try-sender.ts'
import { TriedSender } from '#shared/model/sender/sender-trial.ts'
import { hmacHex, nowMs } from '../signing/sender.ts'

const secret = 'pk_live_secret-of-pakket'
const seconds = String(Math.floor(nowMs / 1000))
const body = '{"type":"parcel.delivered","data":{"parcel":"PKT-7"}}'
const pakket = (more: object = {}) =>
  TriedSender.parse({
    ...{ scheme: 'template', signatureHeader: 'x-pakket-signature', prefix: 'v1=', encoding: 'hex' },
    ...{ signed: '{{timestamp}}.{{body}}', timestampHeader: 'x-pakket-time', eventName: { path: 'type' } },
    ...more,
  })
const signature = `v1=${hmacHex(secret, `${seconds}.${body}`)}`
const text = `x-pakket-time: ${seconds}\nx-pakket-signature: ${signature}\n\n${body}`
const job = (more: Partial<TrialJob> = {}): TrialJob => ({
  sender: pakket(),
  secrets: [{ secret, expiresAt: null }],
  url: 'https://in.example/api/connect/token/events',
  request: { text, at: null },
  ownSecret: 'whsec_own',
  inboundToken: 'token',
  otherConnections: [],
  kept: [],
  ...{ connectionId: 'con_1', triggers: [] },
  nowMs,
  ...more,
})
const states = ({ steps }: ReturnType<typeof trySender>) => steps.map(({ step, state }) => `${step} ${state}`)

test('verifies a pasted request step by step', () => {
  const trial = trySender(job())
  expect(trial).toMatchObject({
    ok: true,
    diagnosis: null,
    bodyText: body,
    refused: { total: 0, accepted: 0 },
  })
  expect(states(trial)).toEqual([
    'header passed',
    'prefix passed',
    'encoding passed',
    'time passed',
    'signed_text passed',
    'signature passed',
    'event_name passed',
    'data passed',
  ])
})

test('takes a pasted request as of its own time, and one whose arrival is known as of that', () => {
  const later = nowMs + 7_200_000
  const pasted = trySender(job({ nowMs: later }))
  expect(pasted.ok).toBe(true)
  expect(pasted.steps).toContainEqual(
    expect.objectContaining({ step: 'time', state: 'passed', ageMs: 7_200_123 }),
  )
  const received = trySender(job({ request: { text, at: later } }))
  expect(received).toMatchObject({ ok: false, code: 'stale_timestamp', diagnosis: { code: 'unknown' } })
})

test('ignores the line break that an editor adds', () => {
  expect(trySender(job({ request: { text: `${text}\n`, at: null } }))).toMatchObject({
    ok: true,
    bodyText: body,
  })
})

test('says which signed text verifies, though the described one cannot be saved', () => {
  const trial = trySender(job({ sender: pakket({ signed: '{{body}}' }) }))
  expect(trial).toMatchObject({
    ok: false,
    diagnosis: { code: 'other_signed_text', change: { signed: '{{timestamp}}.{{body}}' } },
    refused: null,
  })
  expect(states(trial).slice(4)).toEqual([
    'signed_text passed',
    'signature failed',
    'event_name not_reached',
    'data not_reached',
  ])
})

test('tries the refused requests as well', () => {
  const headers = [
    ['x-pakket-time', seconds],
    ['x-pakket-signature', signature],
  ] as const
  const kept = [
    { headers, bodyText: body, at: nowMs },
    { headers, bodyText: `${body} `, at: nowMs },
    { headers, bodyText: body, at: nowMs + 600_000 },
  ]
  expect(trySender(job({ kept })).refused).toEqual({
    total: 3,
    accepted: 1,
    eventNames: ['parcel.delivered'],
  })
})

test('says what is wrong with a text that is not a request', () => {
  expect(() => trySender(job({ request: { text: body, at: null } }))).toThrow(
    expect.objectContaining({
      code: 'invalid_input',
      data: { issues: [{ path: 'text', message: expect.stringContaining('Paste the header lines') }] },
    }),
  )
})

test('never shows a secret or an expected signature', () => {
  const sender = pakket({ signed: '{{body}}' })
  const shown = JSON.stringify(trySender(job({ sender })))
  expect(shown).not.toContain(secret)
  expect(shown).not.toContain(hmacHex(secret, body))
})

const url = 'https://in.example/api/connect/token/events'

test.each([
  [
    'a pasted request',
    { text: 'GET /x?hub.mode=subscribe&hub.challenge=42&hub.verify_token=a HTTP/1.1\n\n' },
  ],
  ['a curl command', { text: `curl '${url}?hub.mode=subscribe&hub.challenge=42&hub.verify_token=a'` }],
  [
    'its parts',
    {
      ...{ headers: [], body: '', method: 'GET' },
      query: 'hub.mode=subscribe&hub.challenge=42&hub.verify_token=a',
    },
  ],
])('answers a question from %s', (_what, request) => {
  const asked = job({ sender: TriedSender.parse({ scheme: 'meta' }), request: { ...request, at: null } })
  expect(trySender({ ...asked, verifyToken: 'a' })).toMatchObject({ ok: true, challenge: '42', steps: [] })
  expect(trySender({ ...asked, verifyToken: 'another' })).toMatchObject({
    ...{ ok: false, code: 'invalid_signature', challenge: null },
    message: 'The verify token is not that of this connection.',
    diagnosis: { code: 'other_verify_token' },
  })
  expect(trySender(asked)).toMatchObject({ ok: false, code: 'method_not_allowed' })
})

test('finds a token in the query of a pasted request', () => {
  const sender = TriedSender.parse({ scheme: 'event-grid' })
  const event = '[{"eventType":"a","data":{}}]'
  const request = {
    text: `POST /x?token=${secret} HTTP/1.1\naeg-event-type: Notification\n\n${event}`,
    at: null,
  }
  expect(trySender(job({ sender, request }))).toMatchObject({ ok: true, bodyText: event })
})
