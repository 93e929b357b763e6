import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mostFollowed, withNewest, withOlder } from '#renderer/entities/occurrence/pages.ts'
import type { OccurrencePage } from '#shared/model/activity.ts'
import { accepted } from '../../activity/fixtures.ts'

const idOf = (number: number) => accepted(number).id
const end = { reason: 'start' as const }

/** A page of these items. @param next the number of its `nextBefore`; null at the end. */
const page = (numbers: readonly number[], next: number | null, damaged?: number): OccurrencePage => ({
  items: numbers.map(number => accepted(number)),
  nextBefore: next === null ? null : idOf(next),
  end: next === null ? end : null,
  ...(damaged !== undefined && { damaged }),
})
const numbersOf = ({ items }: OccurrencePage) => items.map(({ id }) => Number(id))

describe('the newest page of a list', () => {
  const held = page([9, 8, 7, 6, 5, 4], 4)

  test('is all that is held at first', () => {
    expect(withNewest(undefined, held)).toBe(held)
  })

  test('goes above what is held, and replaces what it covers', () => {
    const newest = page([12, 11, 9, 8], 8)
    const merged = withNewest(held, newest)
    expect(numbersOf(merged)).toEqual([12, 11, 9, 8, 7, 6, 5, 4])
    expect(merged.items.slice(0, 4)).toEqual(newest.items)
    expect([merged.nextBefore, merged.end]).toEqual([idOf(4), null])
  })

  test('takes away what was deleted within it, down to where the service has looked', () => {
    expect(numbersOf(withNewest(held, page([10, 8], 8)))).toEqual([10, 8, 7, 6, 5, 4])
    expect(numbersOf(withNewest(held, page([10], 6)))).toEqual([10, 5, 4])
    expect(numbersOf(withNewest(held, page([], 6)))).toEqual([5, 4])
  })

  test('is all that is left if something between may be missing', () => {
    const newest = page([20, 19, 18], 18)
    expect(withNewest(held, newest)).toBe(newest)
  })

  test('is all that is left if it is the whole list, or reaches further down', () => {
    for (const newest of [page([10, 9], null), page([], null), page([10, 9], 2)])
      expect(withNewest(held, newest)).toBe(newest)
  })

  test('drops the oldest of too many, which are read again after the last one that stays', () => {
    const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index)
    const full = page(numbers(2000, mostFollowed), null)
    const merged = withNewest(full, page([2002, 2001, 2000], 2000))
    expect(numbersOf(merged)).toEqual(numbers(2002, mostFollowed))
    const last = 2003 - mostFollowed
    expect([merged.nextBefore, merged.end]).toEqual([idOf(last), null])
    const further = withOlder(merged, idOf(last), page([last - 1, last - 2], null))
    expect(numbersOf(further)).toEqual(numbers(2002, mostFollowed + 2))
    expect(further.end).toEqual(end)
  })

  test('keeps the end that was reached', () => {
    const whole = page([5, 4, 3], null)
    expect(withNewest(whole, page([6, 5], 5))).toMatchObject({ nextBefore: null, end })
  })

  test('keeps the largest number of damaged events that was seen', () => {
    expect(withNewest(page([5, 4], 4, 3), page([6, 5], 5, 1)).damaged).toBe(3)
    expect(withNewest(page([5, 4], 4), page([6, 5], 5, 1)).damaged).toBe(1)
  })
})

describe('an older page', () => {
  test('goes below what is held, with its own end', () => {
    const merged = withOlder(page([9, 8], 8, 1), idOf(8), page([7, 6], null, 2))
    expect(numbersOf(merged)).toEqual([9, 8, 7, 6])
    expect(merged).toMatchObject({ nextBefore: null, end, damaged: 3 })
  })

  test('is left out if what is held has another end meanwhile', () => {
    const held = page([20, 19], 19)
    expect(withOlder(held, idOf(8), page([7, 6], null))).toBe(held)
  })
})

test('whatever is read and happens, what is held is the list down to where it was read, without a gap', () => {
  const actions = fc.array(
    fc.oneof(
      fc.record({ add: fc.integer({ min: 1, max: 8 }) }),
      fc.record({ remove: fc.nat() }),
      fc.constant('newest' as const),
      fc.constant('older' as const),
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(actions, fc.integer({ min: 1, max: 4 }), (steps, limit) => {
      let list: number[] = []
      let number = 0
      let held: OccurrencePage | undefined
      /** Returns a page of the service's items below a number, newest first. */
      const read = (below: number) => {
        const found = list.filter(one => one < below).toReversed()
        const items = found.slice(0, limit)
        return page(items, found.length > limit ? (items.at(-1) ?? 0) : null)
      }
      for (const step of [...steps, 'newest' as const])
        if (step === 'newest') {
          held = withNewest(held, read(number + 1))
          const from = held.nextBefore === null ? 0 : Number(held.nextBefore)
          const known = new Set(list)
          // What was deleted further down is noticed when it is read again.
          expect(numbersOf(held).filter(one => known.has(one))).toEqual(
            list.filter(one => one >= from).toReversed(),
          )
          expect(numbersOf(held)).toEqual([...new Set(numbersOf(held))].sort((a, b) => b - a))
        } else if (step === 'older') {
          const before = held?.nextBefore ?? null
          if (held !== undefined && before !== null) held = withOlder(held, before, read(Number(before)))
        } else if ('add' in step) for (let n = 0; n < step.add; n++) list.push(++number)
        else list = list.filter((_, index) => index !== step.remove % list.length)
    }),
  )
})
