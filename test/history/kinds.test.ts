import { describe, expect, test } from 'vitest'
import { kindOf, kinds, type Occurrence, recalled, storageBounds, toStored } from '#main/history/kinds.ts'
import { type EventSource, readEvent } from '#main/inbound/event-text.ts'
import { occurrenceMatcher } from '#main/storage/occurrence-filter.ts'
import { ActivityItem } from '#shared/model/activity.ts'

const at = Date.parse('2026-11-21T09:30:00.000Z')
const place = { id: '0i3mxhytq80', at: new Date(at).toISOString() }
const lookups = {
  isDeclared: () => true,
  diagnosisOf: () => null,
  notesOf: (event: EventSource) => readEvent(event)?.notes ?? [],
}
const event = {
  id: 'evt_0i3mxhytq80',
  at,
  connectionId: 'conn_x',
  eventName: 'a',
  bodyText: '{"event":"a","data":{"eventName":"b","x":1,"x":2},"more":1}',
}
const diagnosis = { code: 'unknown' as const, message: 'No usual mistake matches.' }
const rejected = {
  kind: 'event.rejected',
  id: 'att_0i3mxhytq78',
  connectionId: null,
  at,
  code: 'invalid_signature',
  detail: undefined,
  bytes: 12,
  tookMs: 0.123,
  isBodyStored: false,
} as const
const call = {
  kind: 'call.finished',
  id: 'call_0i3mxhytq77',
  at,
  connectionId: 'conn_x',
  actionId: 'act_x',
  toolName: 'look_up',
  method: 'GET',
  status: null,
  ok: false,
  code: 'timeout',
  totalMs: 30_000,
  responseBytes: null,
  source: 'cli',
  step: { runId: 'run_1', path: 'a.b' },
  client: { name: 'Claude', tokenId: null, tokenName: null, tool: 'shop_x1y2__look_up' },
  conversationId: null,
} as const

const refused = {
  kind: 'call.refused',
  id: 'ref_0i3mxhytq75',
  at,
  connectionId: 'conn_x',
  actionId: 'act_x',
  toolName: 'delete_order',
  method: 'DELETE',
  code: 'call_declined',
  source: 'mcp',
  client: { name: 'Claude', tokenId: 'tok_x', tokenName: 'Laptop', tool: 'delete_order' },
} as const

const notified = {
  kind: 'workflow.notified',
  id: 'note_0i3mxhytq76',
  at,
  connectionId: 'conn_x',
  workflowId: 'wf_x',
  runId: 'run_1',
  path: 'a.0.tell',
  message: 'more',
  isMessageStored: true,
} as const

const failed = {
  kind: 'run.failed',
  id: 'fail_0i3mxhytq74',
  at,
  connectionId: 'conn_x',
  workflowId: 'wf_x',
  workflowName: 'Reserve stock',
  runId: 'run_0i3mxhytq73',
  event: { eventId: 'evt_0i3mxhytq72', eventName: 'order.paid' },
  test: false,
  code: 'http_422',
  message: 'more',
  path: 'reserve',
  callId: 'call_0i3mxhytq71',
  body: null,
  subject: 'ORD-1',
  isContentStored: true,
} as const

const alert = {
  ...{ alertId: 'alert_0i3mxhytq80', kind: 'refused' as const, workspaceId: 'default', workflowId: null },
  message: 'Shop has refused 5 of 5 requests of the last hour.',
} as const

const occurrences: { readonly [Name in Occurrence['kind']]: Extract<Occurrence, { kind: Name }> } = {
  'event.accepted': {
    kind: 'event.accepted',
    ...event,
    repeat: false,
    stored: true,
    previousSecret: false,
    duplicateOf: null,
    tookMs: 1.5,
  },
  'event.repeated': { kind: 'event.repeated', ...event, tookMs: 0.25 },
  'event.replayed': { kind: 'event.replayed', ...event, replayOf: 'evt_0i3mxhytq79', stored: true },
  'event.rejected': rejected,
  'event.diagnosed': {
    kind: 'event.diagnosed',
    id: 'diag_0i3mxhytq79',
    at,
    connectionId: null,
    attemptId: rejected.id,
    diagnosis,
    isBodyStored: false,
  },
  'event.unavailable': {
    kind: 'event.unavailable',
    id: 'una_0i3mxhytq80',
    at,
    connectionId: 'conn_x',
    error: new Error('disk full'),
  },
  'call.finished': call,
  'alert.opened': { kind: 'alert.opened', id: 'opened_0i3mxhytq81', at, connectionId: 'conn_x', alert },
  'alert.closed': { kind: 'alert.closed', id: 'closed_0i3mxhytq82', at, connectionId: null, alert },
  'call.refused': refused,
  'workflow.notified': notified,
  'run.failed': failed,
}

describe.each(Object.values(occurrences))('an occurrence of the kind $kind', occurrence => {
  test('makes an item that matches the model exactly', () => {
    const item = kindOf(occurrence).toItem(occurrence, place, lookups)
    expect(ActivityItem.parse(item)).toEqual(item)
  })

  test('has an id with the prefix of its kind', () => {
    expect(occurrence.id.startsWith(kinds[occurrence.kind].prefix)).toBe(true)
  })

  test('is logged without its body', () => {
    expect(JSON.stringify(kindOf(occurrence).logFields(occurrence))).not.toContain('more')
  })
})

test.each([rejected, call, refused, notified, failed])('a stored $kind is recalled unchanged', occurrence => {
  expect(recalled(toStored(occurrence, '{}'))).toEqual(occurrence)
})

test.each([
  [rejected, ['invalid_SIGNATURE', '401'], ['0.123', '12', 'tookMs']],
  [call, ['look_up', 'timeout', 'run_1', 'claude', 'cli'], ['30000', 'totalms', 'runid']],
  [refused, ['delete_order', 'call_declined', 'laptop'], ['tokenname']],
  [notified, ['run_1', 'a.0.tell', 'more'], ['path']],
  [failed, ['stock', 'http_422', 'order.paid', 'ord-1', failed.callId], ['callid', 'false']],
] as const)(
  'a search finds a stored $0.kind by its texts, codes and ids only',
  (occurrence, found, absent) => {
    const stored = toStored(occurrence, '{}')
    const finds = (text: string) =>
      occurrenceMatcher({ kinds: [stored.kind], connectionIds: null, text }, storageBounds)(stored)
    expect([...found, ...absent].filter(finds)).toEqual(found)
  },
)

test('stores no message of an event that is not stored', () => {
  const stored = toStored({ ...notified, isMessageStored: false }, '{}')
  expect(JSON.stringify(stored)).not.toContain('more')
  expect(recalled(stored)).toEqual({ ...notified, message: null, isMessageStored: false })
})

test('stores neither message nor subject of a failed run of an event that is not stored', () => {
  const body = '{"event":"order.paid","data":{"order_id":"ORD-2"}}'
  const unstored = { ...failed, body, subject: null, isContentStored: false }
  expect(kindOf(unstored).toItem(unstored, place, lookups)).toMatchObject({
    message: 'more',
    subject: 'ORD-2',
  })
  const stored = toStored(unstored, '{}')
  expect(JSON.stringify(stored)).not.toMatch(/more|ORD-2/)
  const nothing = { body: null, subject: null, message: null }
  expect(recalled(stored)).toEqual({ ...failed, ...nothing, isContentStored: false })
  expect(recalled(toStored({ ...unstored, isContentStored: true }, '{}'))).toMatchObject({ subject: 'ORD-2' })
})

test('shows the diagnosis of a refused request in the activity', () => {
  const item = kinds['event.rejected'].toItem(rejected, place, { ...lookups, diagnosisOf: () => diagnosis })
  expect(item).toMatchObject({ attemptId: rejected.id, diagnosis })
})
