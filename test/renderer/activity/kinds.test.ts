import { expect, test } from 'vitest'
import { countsOf, endWords, kindOf, kindsOf, plainFacts } from '#renderer/features/activity/kinds.ts'
import { type ListedOccurrence, occurrenceTypes } from '#shared/model/activity.ts'
import { accepted, at, called, rejected } from './fixtures.ts'

const rowOf = (item: ListedOccurrence) => kindOf(item).row(item)
const said = (item: ListedOccurrence) =>
  rowOf(item)
    .details.map(({ text }) => text)
    .join(' · ')

test('an event shows its subject and its warnings', () => {
  expect(rowOf(accepted(1))).toMatchObject({ title: 'order.paid', status: 200, isBad: false, ms: 1.6 })
  expect(said(accepted(1))).toBe('ORD-1')
  expect(said(accepted(1, { declared: false }))).toBe('ORD-1 · Not declared')
  expect(said(accepted(1, { repeat: true, previousSecret: true }))).toBe('ORD-1 · repeat · old secret')
  const { repeat, previousSecret, ...event } = accepted(1, { subject: null })
  expect(said({ ...event, type: 'event.replayed', replayOf: 'evt_1' })).toBe('replay')
  expect(said({ ...event, type: 'event.repeated' })).toBe('repeat, ignored')
  const redelivered = (runs: number) =>
    said({ ...event, type: 'event.repeated', redelivery: { of: 'evt_1', runs } })
  expect([redelivered(2), redelivered(1), redelivered(0)]).toEqual([
    'redelivery, started 2 runs',
    'redelivery, started 1 run',
    'redelivery, nothing to start again',
  ])
})

test('a call shows its source, and its status or the reason for having none', () => {
  expect(rowOf(called(1))).toMatchObject({ status: 200, code: null, ms: 187 })
  const failed = called(1, { status: null, code: 'timeout', ok: false, source: 'cli' })
  expect(rowOf(failed)).toMatchObject({ status: null, code: 'timeout', isBad: true })
  expect(said(failed)).toBe('Command line')
})

test('a refused tool call shows its reason and its client', () => {
  const client = { name: 'Claude', tokenId: 'tok_1', tokenName: 'Laptop', tool: 'shop_x1y2__cancel_order' }
  const refused = {
    type: 'call.refused' as const,
    ...{ id: '1', at: at(1), refusalId: 'ref_1', connectionId: 'conn_1', actionId: 'act_1' },
    ...{ toolName: 'cancel_order', method: 'DELETE' as const, code: 'call_declined', source: 'mcp' as const },
  }
  expect(rowOf({ ...refused, client })).toMatchObject({
    ...{ title: 'cancel_order', isBad: true, status: null, code: 'call_declined' },
    details: [{ text: 'Claude' }],
  })
  expect(said({ ...refused, client: null })).toBe('MCP client')
  expect(said(called(1, { source: 'mcp', client }))).toBe('Claude')
  expect(plainFacts({ ...refused, client })).toEqual({
    text: 'Somebody declined the call in the dashboard. Nothing was sent.',
    list: [
      ['Source', 'MCP client'],
      ['Client', 'Claude'],
      ['Token', 'Laptop'],
    ],
  })
  expect(plainFacts({ ...refused, code: 'of_a_later_version', client: null })).toEqual({
    text: 'of_a_later_version Nothing was sent.',
    list: [['Source', 'MCP client']],
  })
})

test('a message of a workflow shows itself, unless it is not stored', () => {
  const notification = {
    type: 'workflow.notified' as const,
    ...{ id: '1', at: at(1), connectionId: 'conn_1' },
    ...{ workflowId: 'wf_1', runId: 'run_1', path: 'tell', message: 'Order ORD-1 paid' },
  }
  expect(rowOf(notification)).toMatchObject({ title: 'Order ORD-1 paid', isBad: false })
  expect(rowOf({ ...notification, message: null }).title).toBe('A message that is not stored')
})

test('a failed run shows its workflow, why it failed as its list says, and its subject or event', () => {
  const failed = {
    type: 'run.failed' as const,
    ...{ id: '1', at: at(1), connectionId: 'conn_1', workflowId: 'wf_1', workflowName: 'Reserve stock' },
    ...{ runId: 'run_1', event: { eventId: 'evt_1', eventName: 'order.paid' }, test: false },
    ...{
      code: 'http_422',
      message: 'Shop answered 422.',
      path: 'reserve',
      callId: 'call_1',
      subject: 'ORD-1',
    },
  }
  expect(rowOf(failed)).toMatchObject({ title: 'Reserve stock', isBad: true, status: null })
  expect(said(failed)).toBe('Failed: 422 · ORD-1')
  expect(said({ ...failed, subject: null, test: true, code: 'missing_value' })).toBe(
    'Failed: missing_value · order.paid · test',
  )
})

test('a rejection shows its diagnosis, or else its code', () => {
  expect(rowOf(rejected(1))).toMatchObject({
    title: expect.not.stringMatching(/rejected/i),
    isName: false,
    status: 401,
  })
  expect(said(rejected(1))).toBe('Rejected · invalid_signature')
  expect(rowOf(rejected(1)).title).toBe('Signature does not match')
  const diagnosis = { code: 'signed_body_only' as const, message: 'Sign the timestamp too.' }
  expect(rowOf(rejected(1, { diagnosis })).title).toBe('Signed the body alone')
  expect(rowOf(rejected(1, { code: 'connection_disabled' })).status).toBe(403)
})

test('each kind is in its channel, and refused requests are also inbound', () => {
  expect(kindsOf(undefined)).toBeUndefined()
  expect(kindsOf('inbound')).toBe('event.accepted,event.repeated,event.replayed,event.rejected')
  expect(kindsOf('outbound')).toBe('call.finished,call.refused')
  expect(kindsOf('rejected')).toBe('event.rejected')
})

test('each filter counts what it shows', () => {
  const byKind = Object.fromEntries(occurrenceTypes.map((type, index) => [type, 10 ** index]))
  expect(countsOf({ total: 11_111_111, byKind, byCause: {}, complete: true })).toEqual({
    all: 11_111_111,
    inbound: 1111,
    rejected: 1000,
    outbound: 110_000,
  })
  expect(countsOf({ total: 2, byKind: { 'call.finished': 2 }, byCause: {}, complete: true })).toEqual({
    ...{ all: 2, inbound: 0, rejected: 0, outbound: 2 },
  })
})

test('the end of the list is named', () => {
  expect(endWords({ reason: 'start' }, false)).toBe('Nothing has happened before.')
  expect(endWords({ reason: 'start' }, true)).toBe('No older ones match.')
  expect(endWords({ reason: 'memory' }, true)).toBe('Older ones may have been in memory only.')
  const kept = [
    { kinds: ['event.accepted' as const, 'event.replayed' as const], days: 30, count: 10_000 },
    { kinds: ['event.rejected' as const], days: 7, count: 200 },
    { kinds: ['call.finished' as const], days: 1, count: 1000 },
  ]
  expect(endWords({ reason: 'retention', kept }, true)).toBe(
    'Older ones are not kept: events for 30 days or 10,000, refused requests for 7 days or 200, calls for 1 day or 1,000.',
  )
})
