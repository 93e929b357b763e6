import { describe, expect, test } from 'vitest'
import { mergeCounts, SavedCounts } from '#main/storage/statistics.ts'
import { recentCounts, savedCounts, savedHour } from './statistics-contract.ts'

describe('merged counts', () => {
  test('are those of the 24 hours up to the later hour', () => {
    const earlier = savedCounts(5, { upToHour: savedHour - 2, callTimes: [3], lastOldSecretAt: 7 })
    const later = savedCounts(1, {
      callTimes: [4],
      lastEvent: { eventId: 'evt_2', eventName: 'b', at: savedHour * 3_600_000 + 1 },
    })
    for (const merged of [mergeCounts(earlier, later), mergeCounts(later, earlier)]) {
      expect(merged).toMatchObject({ upToHour: savedHour, lastOldSecretAt: 7, lastEvent: later.lastEvent })
      expect(merged.accepted).toEqual(new Array(24).fill(0).with(21, 5).with(23, 1))
      expect(merged.eventNames).toMatchObject([{ hours: merged.accepted }])
      expect(merged.callTimes.toSorted()).toEqual([3, 4])
    }
    expect(mergeCounts(savedCounts(5, { upToHour: savedHour - 24 }), later).accepted).toEqual(later.accepted)
  })

  test('have those of the last hour up to the later 5 minutes; those of version 0.2.0 have none', () => {
    const { recent: _, ...old } = savedCounts(1)
    const one = savedCounts(5, { recent: recentCounts(5, savedHour * 12 - 3) })
    const two = savedCounts(1, { recent: recentCounts(1) })
    for (const merged of [mergeCounts(one, two), mergeCounts(two, one)])
      expect(merged.recent).toEqual({
        ...recentCounts(1),
        accepted: new Array(12).fill(0).with(8, 5).with(11, 1),
      })
    expect(mergeCounts(SavedCounts.parse(old), two).recent).toEqual(two.recent)
  })

  test('have the names of both, the newest durations of both, and counts that fit 32 bits', () => {
    const name = (eventName: string, lastAt: number) => ({
      eventName,
      lastAt,
      hours: savedCounts(1).accepted,
    })
    const one = savedCounts(0xffff_ffff, { eventNames: [name('a', 1), name('__proto__', 2)] })
    const two = savedCounts(1, { eventNames: [name('b', 3), name('a', 4)] })
    const merged = mergeCounts(one, two)
    expect(merged.accepted.at(-1)).toBe(0xffff_ffff)
    expect(
      merged.eventNames.map(({ eventName, lastAt, hours }) => [eventName, lastAt, hours.at(-1)]),
    ).toEqual([
      ['a', 4, 2],
      ['__proto__', 2, 1],
      ['b', 3, 1],
    ])
    const times = (count: number, first: number) => Array.from({ length: count }, (_, index) => first + index)
    const merge = (answerTimes: number[], others: number[]) =>
      mergeCounts(savedCounts(1, { answerTimes }), savedCounts(1, { answerTimes: others })).answerTimes
    expect(merge(times(256, 0), times(256, 1000))).toEqual([...times(128, 128), ...times(128, 1128)])
    expect(merge(times(256, 0), [1000])).toEqual([...times(255, 1), 1000])
    expect(merge(times(256, 0), [])).toEqual(times(256, 0))
  })
})
