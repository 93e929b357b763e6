import { expect, test } from 'vitest'
import { dayWords, groupRows, mostGroupRows } from '#renderer/features/activity/feed-rows.ts'
import { groupStatus, groupTitle } from '#renderer/features/activity/group-labels.ts'
import type { OccurrenceGroup } from '#shared/model/activity.ts'

const at = '2026-11-21T14:32:08.000Z'
const group = (kind: OccurrenceGroup['kind'], cause: string): OccurrenceGroup => ({
  ...{ kind, cause, connectionId: 'conn_1', count: 2, firstAt: at, lastAt: at, newestId: '1' },
})

test('a group is told by what has failed, and has the status of its answer', () => {
  const told = (kind: OccurrenceGroup['kind'], cause: string) => [
    groupTitle({ kind, cause }),
    groupStatus({ kind, cause }),
  ]
  expect(told('event.rejected', 'timestamp_in_seconds')).toEqual(['Timestamp in seconds', 401])
  expect(told('event.rejected', 'unknown')).toEqual(['The request could not be verified', 401])
  expect(told('event.rejected', 'invalid_json')[1]).toBe(400)
  expect(told('call.finished', 'http_503')).toEqual(['Answered 503, Service Unavailable', 503])
  expect(told('call.finished', 'timeout')).toEqual(['timeout', null])
  expect(told('call.refused', 'call_declined')).toEqual(['call_declined', null])
  expect(told('run.failed', 'http_404')).toEqual(['Run ended with 404, Not Found', 404])
})

test('a group keeps its row while more of the same happens', () => {
  const one = group('call.finished', 'timeout')
  const [row] = groupRows([one])
  expect(groupRows([{ ...one, count: 3, newestId: '2' }])[0]?.id).toBe(row?.id)
  const many = Array.from({ length: 10 }, (_, n) => group('call.finished', `http_${500 + n}`))
  expect(new Set(groupRows(many).map(({ id }) => id)).size).toBe(mostGroupRows)
})

test('a day is told by its date, and today by its name', () => {
  expect(dayWords(at, Date.parse(at))).toBe('Today')
  expect(dayWords(at, Date.parse(at) + 48 * 3_600_000)).toMatch(/21/)
})
