import { expect, test } from 'vitest'
import { toActivityItem } from '#main/inbound/activity-entries.ts'
import type { InboundOutcome } from '#main/inbound/outcomes.ts'
import { ActivityItem } from '#shared/model/activity.ts'

const at = '2026-11-21T09:30:00.000Z'
const event = {
  eventId: 'evt_0i3mxhytq80',
  connectionId: 'conn_x',
  eventName: 'a',
  bodyText: '{"event":"a","data":{"eventName":"b","x":1,"x":2},"more":1}',
  headerLines: '',
  receivedAt: Date.parse(at),
  repeat: false,
  replayOf: null,
}
const attempt = {
  attemptId: 'att_0i3mxhytq78',
  connectionId: null,
  at: Date.parse(at),
  code: 'invalid_signature' as const,
  detail: undefined,
  headerLines: '',
  body: Buffer.alloc(0),
  diagnosis: { code: 'unknown' as const, message: 'No usual mistake matches.' },
  undiagnosed: false,
  isLogged: false,
  tookMs: 0.123,
}
const outcomes: InboundOutcome[] = [
  { kind: 'accepted', event, stored: true, previousSecret: false, tookMs: 1.5 },
  { kind: 'repeated', event, tookMs: 0.25 },
  { kind: 'replayed', event, replayOf: 'evt_0i3mxhytq79' },
  { kind: 'refused', attempt, bytes: 12 },
  { kind: 'unavailable', connectionId: 'conn_x', error: new Error('disk full') },
]

test.each(outcomes)('an item made of what was $kind is one that the model knows, to the field', outcome => {
  const item = toActivityItem(outcome, '0i3mxhytq80', at, () => true)
  expect(ActivityItem.parse(item)).toEqual(item)
})
