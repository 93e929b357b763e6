import type { Call, ItemOf, Rejection } from '#renderer/features/activity/rows.ts'
import type { Attempt } from '#shared/model/attempt.ts'

const start = Date.parse('2026-11-21T09:30:00.000Z')
/** Returns an ISO 8601 time some milliseconds after a fixed start. */
export const at = (ms: number) => new Date(start + ms).toISOString()
const id = (ms: number) => String(ms).padStart(11, '0')

export function accepted(
  ms: number,
  change: Partial<ItemOf<'event.accepted'>> = {},
): ItemOf<'event.accepted'> {
  return {
    id: id(ms),
    at: at(ms),
    type: 'event.accepted',
    connectionId: 'conn_1',
    eventId: `evt_${id(ms)}`,
    eventName: 'order.paid',
    declared: true,
    bytes: 50,
    subject: 'ORD-1',
    tookMs: 1.6,
    repeat: false,
    stored: false,
    previousSecret: false,
    duplicateOf: null,
    ...change,
  }
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
