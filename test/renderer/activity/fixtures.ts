import type { Call, LiveEvent, Rejection, StoredEntry } from '#renderer/features/activity/entry.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { Attempt } from '#shared/model/attempt.ts'

const start = Date.parse('2026-11-21T09:30:00.000Z')
/** Returns an ISO 8601 time some milliseconds after a fixed start. */
export const at = (ms: number) => new Date(start + ms).toISOString()
const id = (ms: number) => String(ms).padStart(11, '0')

export function accepted(ms: number, change: Partial<Extract<LiveEvent, { type: 'event.accepted' }>> = {}) {
  const bodyText = '{"event":"order.paid","data":{"order_id":"ORD-1"}}'
  return {
    id: id(ms),
    at: at(ms),
    type: 'event.accepted',
    connectionId: 'conn_1',
    eventId: `evt_${id(ms)}`,
    eventName: 'order.paid',
    declared: true,
    bodyText,
    bytes: bodyText.length,
    tookMs: 1.6,
    repeat: false,
    stored: false,
    previousSecret: false,
    notes: [],
    ...change,
  } as const satisfies ActivityItem
}

export function rejected(ms: number, change: Partial<Rejection> = {}): Rejection {
  return {
    id: id(ms),
    at: at(ms),
    type: 'event.rejected',
    connectionId: 'conn_1',
    attemptId: `att_${id(ms)}`,
    code: 'invalid_signature',
    message: 'The signature does not match the timestamp and body received.',
    diagnosis: null,
    bytes: 2,
    tookMs: 0.3,
    ...change,
  }
}

export function called(ms: number, change: Partial<Call> = {}): Call {
  return {
    id: id(ms),
    at: at(ms),
    type: 'call.finished',
    callId: `call_${id(ms)}`,
    connectionId: 'conn_1',
    actionId: 'act_1',
    toolName: 'look_up_order',
    method: 'GET',
    status: 200,
    ok: true,
    code: null,
    totalMs: 187,
    source: 'test',
    step: null,
    client: null,
    conversationId: null,
    ...change,
  }
}

export function stored(ms: number, change: Partial<StoredEntry> = {}): StoredEntry {
  return {
    type: 'event.stored',
    eventId: `evt_${id(ms)}`,
    eventName: 'order.paid',
    at: at(ms),
    repeat: false,
    replayOf: null,
    field: null,
    ...change,
  }
}

export function attempted(ms: number, change: Partial<Attempt> = {}): Attempt {
  return {
    attemptId: `att_${id(ms)}`,
    at: at(ms),
    code: 'invalid_signature',
    message: 'The signature does not match the timestamp and body received.',
    diagnosis: null,
    headers: [],
    bodyText: '{}',
    ...change,
  }
}
