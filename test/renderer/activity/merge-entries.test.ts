import { expect, test } from 'vitest'
import { keyOf } from '#renderer/features/activity/entry.ts'
import { eventIdsOf, mergeEntries } from '#renderer/features/activity/merge-entries.ts'
import { accepted, attempted, called, rejected, stored } from './fixtures.ts'

const attempt = (ms: number) => ({ type: 'attempt' as const, key: `attempt ${ms}`, attempt: attempted(ms) })

test('merges live, stored and attempted entries into one list, newest first', () => {
  const live = [accepted(30), rejected(40), called(50)]
  const merged = mergeEntries(
    live,
    [stored(45), stored(20), stored(10)],
    [attempt(42), attempt(5)],
    new Set(),
  )
  expect(merged.map(entry => ('at' in entry ? entry.at : entry.attempt.at))).toEqual(
    [50, 45, 42, 40, 30, 20, 10, 5].map(ms => accepted(ms).at),
  )
})

test('keeps the live entry of an event that is also stored', () => {
  const live = [accepted(10), accepted(20)]
  const merged = mergeEntries(live, [stored(20), stored(10), stored(5)], [], eventIdsOf(live))
  expect(merged.map(({ type }) => type)).toEqual(['event.accepted', 'event.accepted', 'event.stored'])
  expect(new Set(merged.map(keyOf)).size).toBe(3)
})

test('a paused feed does not show a waiting event from the log', () => {
  const all = [accepted(10), accepted(20)]
  const merged = mergeEntries(all.slice(0, 1), [stored(20), stored(10)], [], eventIdsOf(all))
  expect(merged.map(keyOf)).toEqual([keyOf(accepted(10))])
})

test('merges a hundred thousand stored events in order', () => {
  const older = Array.from({ length: 100_000 }, (_, index) => stored(200_000 - index))
  const live = Array.from({ length: 1000 }, (_, index) => accepted(199_000 + index))
  const merged = mergeEntries(live, older, [], eventIdsOf(live))
  expect(merged).toHaveLength(100_000)
  expect(
    merged.every((entry, index) => index === 0 || keyOf(entry) < keyOf(merged[index - 1] ?? entry)),
  ).toBe(true)
})
