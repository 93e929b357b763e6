import { describe, expect, test } from 'vitest'
import { connectionThresholds, serviceWatch } from '#shared/model/alert.ts'
import {
  ConnectionStatus,
  type LastHour,
  type StatusFacts,
  statusOf,
} from '#shared/model/connection-status.ts'

const nothing: LastHour = { accepted: 0, refused: 0, calls: 0, callsFailed: 0, callsNotMade: 0, runs: [] }
const usual: StatusFacts = {
  ...{ enabled: true, isPaused: false, isUsed: true, lastHour: nothing },
  ...{ thresholds: connectionThresholds, runsFailing: serviceWatch.runsFailing },
}
const runs = (...counts: [ended: number, failed: number][]) => ({
  runs: counts.map(([ended, failed], index) => ({ workflowId: `wf_${index}`, ended, failed })),
})
const read = (lastHour: Partial<LastHour>, facts: Partial<StatusFacts> = {}) => {
  const { state, cause, count, of } = statusOf({ ...usual, lastHour: { ...nothing, ...lastHour }, ...facts })
  return [state, cause, count, of]
}
const strict = { ...connectionThresholds, callsFailing: { enabled: false, percent: 50 } }

describe('the status of a connection', () => {
  test.each<[string, Partial<LastHour>, Partial<StatusFacts>, ReturnType<typeof read>]>([
    ['works', { accepted: 9, calls: 9 }, {}, ['receiving', null, 0, 0]],
    ['was never used', {}, { isUsed: false }, ['silent', null, 0, 0]],
    [
      'is disabled, whatever failed',
      { calls: 9, callsFailed: 9 },
      { enabled: false },
      ['disabled', null, 0, 0],
    ],
    ['fails from 3 calls and 20 % on', { calls: 15, callsFailed: 3 }, {}, ['failing', 'calls', 3, 15]],
    ['has fewer than 20 %', { calls: 16, callsFailed: 3 }, {}, ['attention', 'calls', 3, 16]],
    ['has fewer than 3', { calls: 2, callsFailed: 2 }, {}, ['attention', 'calls', 2, 2]],
    [
      'has a threshold of its own',
      { calls: 9, callsFailed: 4 },
      { thresholds: strict },
      ['attention', 'calls', 4, 9],
    ],
    ['makes no calls', { callsNotMade: 9 }, {}, ['receiving', null, 0, 0]],
    ['fails in runs of one workflow', runs([9, 0], [15, 3]), {}, ['failing', 'runs', 3, 15]],
    ['fails in runs of several', runs([2, 2], [2, 2], [16, 3]), {}, ['attention', 'runs', 2, 2]],
    ['fails in runs that are not the largest share', runs([1, 1], [9, 3]), {}, ['failing', 'runs', 3, 9]],
    [
      'rejects from 5 requests and 20 % on',
      { accepted: 20, refused: 5 },
      {},
      ['rejecting', 'rejected', 5, 25],
    ],
    ['rejects fewer than 20 %', { accepted: 21, refused: 5 }, {}, ['receiving', null, 0, 0]],
    ['rejects fewer than 5', { refused: 4 }, { isUsed: false }, ['silent', null, 0, 0]],
    ['is paused', { calls: 9, callsFailed: 1 }, { isPaused: true }, ['attention', 'paused', 0, 0]],
    ['fails and is paused', { calls: 9, callsFailed: 9 }, { isPaused: true }, ['failing', 'calls', 9, 9]],
    [
      'fails in both directions',
      { refused: 9, calls: 9, callsFailed: 9, ...runs([9, 9]) },
      {},
      ['failing', 'calls', 9, 9],
    ],
    [
      'rejects, and a call has failed',
      { refused: 5, calls: 9, callsFailed: 1 },
      {},
      ['rejecting', 'rejected', 5, 5],
    ],
  ])('%s', (_name, lastHour, facts, expected) => {
    expect(read(lastHour, facts)).toEqual(expected)
    ConnectionStatus.parse(statusOf({ ...usual, ...facts, lastHour: { ...nothing, ...lastHour } }))
  })
})
