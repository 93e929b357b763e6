import { expect, test } from 'vitest'
import { labelsOf } from '#renderer/features/palette/item-labels.ts'
import { type ListedOccurrence, type OccurrenceType, occurrenceTypes } from '#shared/model/activity.ts'
import { accepted, at, called, rejected } from '../activity/fixtures.ts'

const { repeat: _repeat, previousSecret: _secret, ...event } = accepted(1)
const message = {
  type: 'workflow.notified' as const,
  ...{ id: '1', at: at(1), connectionId: 'conn_1' },
  ...{ workflowId: 'wf_1', runId: 'run_1', path: 'tell', message: 'Order ORD-1 paid' },
}
const failed = {
  type: 'run.failed' as const,
  ...{ id: '2', at: at(1), connectionId: null, workflowId: 'wf_1', workflowName: 'Reserve stock' },
  ...{ runId: 'run_1', event: { eventId: null, eventName: 'order.paid' }, test: true, code: 'http_422' },
  ...{ message: 'Shop answered 422.', path: 'reserve', callId: null, subject: null },
}

const alert = {
  ...{ id: 'opened_1', at: at(1), connectionId: 'conn_1', alertId: 'alert_1', alertKind: 'refused' as const },
  ...{ workspaceId: 'default', workflowId: null, message: 'Shop has refused 5 of 5 requests.' },
} as const

const shown: { readonly [Type in OccurrenceType]: readonly [ListedOccurrence & { type: Type }, object] } = {
  'event.accepted': [
    accepted(1),
    { group: 'Received events', text: 'order.paid', fact: 'ORD-1', runId: null },
  ],
  'event.repeated': [
    { ...event, type: 'event.repeated' },
    { text: 'order.paid', itemId: event.eventId },
  ],
  'event.replayed': [
    { ...event, type: 'event.replayed', replayOf: 'evt_1' },
    { text: 'order.paid', itemId: event.eventId },
  ],
  'event.rejected': [rejected(1), { group: 'Activity', fact: 'Rejected', itemId: rejected(1).attemptId }],
  'call.finished': [
    called(1, { connectionId: null, step: { runId: 'run_1', path: 'reserve' } }),
    { text: 'look_up_order', fact: '200', runId: 'run_1' },
  ],
  'call.refused': [
    {
      type: 'call.refused',
      ...{ id: '1', at: at(1), refusalId: 'ref_1', connectionId: 'conn_1', actionId: 'act_1' },
      ...{ toolName: 'cancel_order', method: 'DELETE', code: 'call_declined', source: 'mcp', client: null },
    },
    { text: 'cancel_order', fact: 'call_declined', itemId: 'ref_1' },
  ],
  'workflow.notified': [
    message,
    {
      group: 'Activity',
      text: 'Order ORD-1 paid',
      fact: 'Message of a workflow',
      itemId: '1',
      runId: 'run_1',
    },
  ],
  'alert.opened': [
    { ...alert, type: 'alert.opened' },
    { text: alert.message, fact: 'Alert', itemId: alert.id },
  ],
  'alert.closed': [
    { ...alert, type: 'alert.closed' },
    { text: alert.message, fact: 'Alert over' },
  ],
  'run.failed': [
    failed,
    {
      ...{ group: 'Activity', text: 'Reserve stock', fact: 'Failed: 422 · order.paid' },
      ...{ itemId: '2', runId: 'run_1' },
    },
  ],
}

test.each(occurrenceTypes)('the palette has words for %s, and something to open', type => {
  const [item, words] = shown[type]
  expect(labelsOf(item)).toMatchObject(words)
})

test('a message that is not stored is shown as such', () => {
  expect(labelsOf({ ...message, message: null }).text).toBe('A message that is not stored')
})
