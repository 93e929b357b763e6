import { describe, expect, test } from 'vitest'
import {
  addHour,
  answerBounds,
  callPair,
  countDuration,
  countPair,
  emptyHour,
  eventPair,
  type HourCounts,
  quantileOf,
  readHour,
  storedHour,
} from '#main/storage/hour-counts.ts'

describe('the counts of an hour', () => {
  test('are stored without what is zero', () => {
    expect(storedHour(emptyHour())).toBe('{}')
    expect(storedHour({ ...emptyHour(), accepted: 3, runs: { succeeded: 0, failed: 1, cancelled: 0 } })).toBe(
      '{"a":3,"n":[0,1]}',
    )
    expect(readHour('{"a":3}')).toEqual({ ...emptyHour(), accepted: 3 })
  })

  test('of a damaged text are nothing, and fields of later versions are passed over', () => {
    for (const text of ['', '{', '[]', '{"a":-1}', '{"a":"1"}', 'null'])
      expect(readHour(text)).toEqual(emptyHour())
    expect(readHour('{"a":1,"later":{"a":1}}').accepted).toBe(1)
  })

  test('add up, also with buckets of different lengths', () => {
    const sum = emptyHour()
    addHour(sum, { ...emptyHour(), answerMs: [1, 2], refused: { a: 1 } })
    addHour(sum, { ...emptyHour(), answerMs: [0, 0, 0, 5], refused: { a: 1, b: 2 } })
    expect(sum).toEqual({ ...emptyHour(), answerMs: [1, 2, 0, 5], refused: { a: 2, b: 2 } })
  })
})

describe('the pairs of an hour', () => {
  test('are at most 2,000, and those that are there count on', () => {
    const counts = emptyHour()
    for (let index = 0; index < 1500; index++)
      countPair(counts, 'started', eventPair('wf_1', `${index}`), 1, 0)
    for (let index = 0; index < 500; index++)
      countPair(counts, 'called', callPair('client', `${index}`), 1, 1)
    expect(counts.limited).toBe(false)
    countPair(counts, 'started', eventPair('wf_1', 'new'), 1, 0)
    countPair(counts, 'called', callPair('client', '499'), 1, 0)
    expect(counts.limited).toBe(true)
    expect(Object.keys(counts.started)).toHaveLength(1500)
    expect(counts.called['client 499']).toEqual([2, 1])
    const sum = emptyHour()
    addHour(sum, counts)
    addHour(sum, { ...emptyHour(), started: { 'wf_2 new': [1, 0] } })
    expect(readHour(storedHour(sum))).toEqual(counts)
  })

  test('without failures are stored as numbers, and read as texts of before have them', () => {
    const counts = {
      ...{ ...emptyHour(), runs: { succeeded: 5, failed: 0, cancelled: 0 } },
      ...{ started: { 'wf_1 a': [5, 0], 'wf_2 a': [5, 1] }, called: { 'client b': [2, 0] } },
    } satisfies HourCounts
    const text = '{"n":[5],"s":{"wf_1 a":5,"wf_2 a":[5,1]},"e":{"client b":2}}'
    expect(storedHour(counts)).toBe(text)
    expect(readHour(text)).toEqual(counts)
    expect(readHour('{"n":[5,0,0],"s":{"wf_1 a":[5,0],"wf_2 a":[5,1]},"e":{"client b":[2,0]}}')).toEqual(
      counts,
    )
  })

  test('may have any name', () => {
    const counts = emptyHour()
    for (const name of ['__proto__', '\0', '\ud800', ''])
      countPair(counts, 'started', eventPair('', name), 1, 0)
    expect(Object.keys(readHour(storedHour(counts)).started)).toEqual([' __proto__', ' \0', ' \ud800', ' '])
  })
})

describe('the estimate of durations', () => {
  const buckets = (times: readonly number[]) => {
    const counted: number[] = []
    for (const time of times) countDuration(counted, answerBounds, time)
    return counted
  }

  test('puts each duration into the first of 12 buckets that it fits, and the longest into the last', () => {
    expect(buckets([0, 0.25])).toEqual([2])
    expect(buckets([0.26])).toEqual([0, 1])
    expect(buckets([5000, 5001, 1e9])).toEqual([...Array(11).fill(0), 3])
  })

  test('is between the bounds of the bucket that has it', () => {
    expect(quantileOf([], answerBounds, 0.5)).toBeNull()
    expect(quantileOf([0, 0], answerBounds, 0.5)).toBeNull()
    expect(quantileOf([0, 0, 10], answerBounds, 0.5)).toBe(0.75)
    expect(quantileOf([90, 10], answerBounds, 0.95)).toBe(0.375)
    expect(quantileOf(buckets([1e9]), answerBounds, 0.5)).toBe(3000)
  })
})
