import { expect, test } from 'vitest'
import { checkHistory } from './support/history/check-history.ts'
import type { Call, History, Look, Read, Sent, Span, Walk } from './support/history/history.ts'

const span = (from: number, to = from + 1): Span => ({ from, to })

const sent = (id: string, from: number, rest: Partial<Sent> = {}): Sent => ({
  ...{ ...span(from), node: 0, stream: 'plain', id, status: 200 },
  ...rest,
})

const call = (id: string, step: string, from: number, rest: Partial<Call> = {}): Call => ({
  ...{ ...span(from), node: 'a', stream: 'lane', id, step, key: `run-${id}.${step}`, isAnswered: true },
  ...rest,
})

const look = (value: string, from: number, rest: Partial<Look> = {}): Look => ({
  ...{ ...span(from), node: 0, by: 'change', register: 'secret', value },
  ...rest,
})

const read = (recordId: string, from: number, rest: Partial<Read> = {}): Read => ({
  ...{ ...span(from), node: 0, recordId, status: 200, found: recordId },
  ...rest,
})

const failedRead = (recordId: string, from: number, status: number): Read => ({
  ...{ ...span(from), node: 0, recordId, status },
})

const walk = (ids: readonly string[], from: number, rest: Partial<Walk> = {}): Walk => ({
  ...{ ...span(from), node: 'a', of: 'events', stream: 'plain', ids, isWhole: true },
  ...rest,
})

const event = (id: string, stream = 'plain') => ({ eventId: `event-${id}`, stream, id })

const run = (id: string, stream: string, status = 'succeeded') => ({
  ...{ runId: `run-${id}`, eventId: `event-${id}`, stream, status },
})

/** Two plain events, two of a lane one after another, and two of one key. */
const right: History = {
  streams: {
    plain: { steps: [] },
    lane: { steps: ['first', 'second'], isOrdered: true },
    once: { steps: ['only'], isOnce: true },
  },
  sent: [
    sent('1', 0),
    sent('2', 10),
    sent('3', 20, { stream: 'lane' }),
    sent('4', 30, { stream: 'lane' }),
    sent('5', 40, { stream: 'once', key: 'k' }),
    sent('6', 40, { stream: 'once', key: 'k' }),
  ],
  calls: [
    call('3', 'first', 22),
    call('3', 'second', 24),
    call('4', 'first', 32),
    call('4', 'second', 34),
    call('5', 'only', 42, { stream: 'once' }),
  ],
  looks: [look('a', 0), look('a', 5, { by: 'read' }), look('b', 10)],
  reads: [
    read('event-1', 50),
    read('run-3', 22, { state: 'running' }),
    read('run-3', 50, { state: 'succeeded' }),
  ],
  walks: [walk(['event-2', 'event-1'], 50), walk(['run-4', 'run-3'], 50, { of: 'runs', stream: 'lane' })],
  events: [
    ...[event('1'), event('2'), event('3', 'lane'), event('4', 'lane')],
    ...[event('5', 'once'), event('6', 'once')],
  ],
  runs: [run('3', 'lane'), run('4', 'lane'), run('5', 'once')],
}

/** Returns the rules that a history violates, and how often. */
function violated(change: Partial<History>): Record<string, number> {
  const found = checkHistory({ ...right, ...change }).filter(({ proofs }) => proofs.length > 0)
  return Object.fromEntries(found.map(({ rule, proofs }) => [rule, proofs.length]))
}

/** Adds records to those of the right history. */
function added(change: Partial<Omit<History, 'streams'>>): Partial<History> {
  return {
    ...{ sent: [...right.sent, ...(change.sent ?? [])], calls: [...right.calls, ...(change.calls ?? [])] },
    ...{ looks: [...right.looks, ...(change.looks ?? [])], reads: [...right.reads, ...(change.reads ?? [])] },
    ...{ walks: [...right.walks, ...(change.walks ?? [])], runs: [...right.runs, ...(change.runs ?? [])] },
    events: [...right.events, ...(change.events ?? [])],
  }
}

test('finds nothing in a right history', () => {
  expect(violated({})).toEqual({})
})

const none = { stream: 'lane', status: null } as const

const allowed: Readonly<Record<string, Partial<History>>> = {
  'an event answered 503 that is not stored': added({ sent: [sent('9', 60, { status: 503 })] }),
  'an event without an answer that is stored': added({
    sent: [sent('9', 60, { status: null })],
    events: [event('9')],
  }),
  'a wrong event that is refused': added({ sent: [sent('9', 60, { status: 401, mayBeRefused: true })] }),
  'a signed request that is sent again': added({ sent: [sent('1', 60)] }),
  'an event refused by a node and accepted by another': added({
    sent: [sent('9', 60, { status: 403, mayBeRefused: true }), sent('9', 62)],
    events: [event('9')],
  }),
  'a call that is repeated with its key before the next run of the lane': added({
    calls: [call('3', 'second', 27)],
  }),
  'a call that was given up and seems to last': added({
    calls: [call('3', 'second', 23, { to: 90, isAnswered: false })],
  }),
  'runs of a lane in any order whose events were sent at once': added({
    sent: [sent('8', 60, { stream: 'lane', to: 65 }), sent('9', 61, { stream: 'lane', to: 63 })],
    events: [event('8', 'lane'), event('9', 'lane')],
    runs: [run('8', 'lane'), run('9', 'lane')],
    calls: [
      ...[call('9', 'first', 70), call('9', 'second', 72)],
      ...[call('8', 'first', 74), call('8', 'second', 76)],
    ],
  }),
  'a run whose event was not answered before the next one was sent': added({
    sent: [sent('8', 60, none), sent('9', 70, { stream: 'lane' })],
    events: [event('8', 'lane'), event('9', 'lane')],
    runs: [run('8', 'lane'), run('9', 'lane')],
    calls: [
      ...[call('9', 'first', 72), call('9', 'second', 74)],
      ...[call('8', 'first', 76), call('8', 'second', 78)],
    ],
  }),
  'an accepted request that had begun before the change was answered': added({
    sent: [sent('9', 10.5, { to: 90, shows: { register: 'secret', value: 'a' } })],
    events: [event('9')],
  }),
  'a change that some nodes have before it is answered': added({
    looks: [look('c', 60, { by: 'read' }), look('b', 70, { by: 'read' }), look('c', 80)],
  }),
  'a value that nobody has seen before the next one': added({ looks: [look('late', 60)] }),
  'a read that began before the record was seen': added({
    reads: [failedRead('event-1', 0, 404)],
  }),
  'a list that began before the event was answered': added({ walks: [walk(['event-1'], 5, { to: 30 })] }),
  'a list that was not read to its end': added({ walks: [walk(['event-2'], 60, { isWhole: false })] }),
  'a list that failed at once': added({ walks: [walk([], 60, { isWhole: false })] }),
}

for (const [name, history] of Object.entries(allowed))
  test(`allows ${name}`, () => {
    expect(violated(history)).toEqual({})
  })

const wrong: readonly (readonly [rule: string, change: Partial<History>, others?: Record<string, number>])[] =
  [
    ['events answered 200 that are not stored', added({ sent: [sent('9', 60)] })],
    [
      'events stored more than once',
      added({ events: [{ ...event('1'), eventId: 'event-0' }] }),
      { 'lists that miss a record from before': 1 },
    ],
    [
      'ids of events that are not unique',
      added({ sent: [sent('9', 60)], events: [{ ...event('9'), eventId: 'event-1' }] }),
    ],
    [
      'events stored although they were refused',
      added({ sent: [sent('9', 60, { status: 401, mayBeRefused: true })], events: [event('9')] }),
    ],
    ['events stored that were never sent', added({ events: [event('9')] })],
    ['events refused although they are right', added({ sent: [sent('9', 60, { status: 404 })] })],
    [
      'events without exactly one run',
      added({ sent: [sent('9', 60, { stream: 'lane' })], events: [event('9', 'lane')] }),
    ],
    [
      'keys without exactly one run',
      added({ runs: [run('6', 'once')], calls: [call('6', 'only', 44, { stream: 'once' })] }),
    ],
    [
      'keys without exactly one run',
      added({ sent: [sent('9', 60, { key: 'l' })], events: [event('9', 'once')] }),
    ],
    [
      'runs of events that are not stored',
      added({ runs: [run('9', 'once', 'succeeded')], calls: [call('9', 'only', 60)] }),
      { 'calls that belong to no run of their event': 1 },
    ],
    [
      'ids of runs that are not unique',
      added({ runs: [run('5', 'once')] }),
      { 'keys without exactly one run': 1 },
    ],
    [
      'runs that have not succeeded',
      { runs: right.runs.map(one => ({ ...one, status: 'failed' })) },
      { 'runs that have not succeeded': 3 },
    ],
    [
      'steps called under several keys',
      added({ calls: [call('5', 'only', 44, { stream: 'once', key: 'run-6.only' })] }),
      { 'calls that belong to no run of their event': 1 },
    ],
    [
      'keys of several steps',
      added({ calls: [call('3', 'third', 25, { key: 'run-3.second' })] }),
      { 'calls of a step after those of a later step': 1 },
    ],
    ['calls that belong to no run of their event', added({ calls: [call('1', 'first', 60)] })],
    [
      'steps of runs that were never called',
      { calls: right.calls.filter(({ key }) => key !== 'run-4.second') },
    ],
    ['calls of a step after those of a later step', added({ calls: [call('3', 'first', 27)] })],
    ['runs of a lane that overlap', added({ calls: [call('3', 'second', 32.5)] })],
    ['runs of a lane that overlap', added({ calls: [call('3', 'second', 31, { to: 32.5 })] })],
    [
      'runs of a lane in another order than their events',
      added({
        sent: [sent('8', 60, { stream: 'lane' }), sent('9', 70, none)],
        events: [event('8', 'lane'), event('9', 'lane')],
        runs: [run('8', 'lane'), run('9', 'lane')],
        calls: [
          ...[call('9', 'first', 72), call('9', 'second', 74)],
          ...[call('8', 'first', 76), call('8', 'second', 78)],
        ],
      }),
    ],
    ['reads of records that were seen and are not found', added({ reads: [failedRead('event-1', 60, 404)] })],
    ['reads of records that were seen and are not found', added({ reads: [failedRead('event-2', 60, 404)] })],
    ['reads of another record', added({ reads: [read('event-1', 60, { found: 'event-2' })] })],
    [
      'reads answered otherwise than with 200, 404 or 503',
      added({ reads: [failedRead('event-1', 60, 500)] }),
    ],
    ['runs that went on after their end', added({ reads: [read('run-3', 60, { state: 'running' })] })],
    [
      'lists out of order, or with a record twice',
      added({ walks: [walk(['event-2', 'event-2', 'event-1'], 60)] }),
    ],
    [
      'lists out of order, or with a record twice',
      added({ walks: [walk(['run-3', 'run-4'], 60, { of: 'runs', stream: 'lane' })] }),
    ],
    [
      'lists that miss a record from before',
      added({ walks: [walk(['event-2'], 60)] }),
      { 'lists that miss a record from before': 2 },
    ],
    [
      'lists that miss a record from before',
      {
        walks: [
          walk(['event-1'], 15, { isWhole: false }),
          walk(['run-3'], 33, { of: 'runs', stream: 'lane' }),
        ],
      },
      { 'lists that miss a record from before': 2 },
    ],
    [
      'requests by a configuration that was replaced before',
      added({ looks: [look('a', 60, { by: 'read' })] }),
    ],
    [
      'requests by a configuration that was replaced before',
      added({ sent: [sent('9', 60, { shows: { register: 'secret', value: 'a' } })], events: [event('9')] }),
    ],
    [
      'requests by a configuration that was replaced before',
      added({
        sent: [sent('9', 60, { status: null, shows: { register: 'secret', value: 'a' } })],
        events: [event('9')],
      }),
    ],
    [
      'requests by a configuration that was replaced before',
      added({
        sent: [sent('9', 60, { stream: 'once', key: 'l' })],
        events: [event('9', 'once')],
        runs: [run('9', 'once')],
        calls: [call('9', 'only', 70, { stream: 'once', shows: { register: 'secret', value: 'a' } })],
      }),
    ],
  ]

for (const [index, [rule, change, others = {}]] of wrong.entries())
  test(`finds ${rule} (${index + 1})`, () => {
    expect(violated(change)).toEqual({ [rule]: 1, ...others })
  })

test('has a wrong history for each rule', () => {
  expect(new Set(wrong.map(([rule]) => rule))).toEqual(new Set(checkHistory(right).map(({ rule }) => rule)))
})
