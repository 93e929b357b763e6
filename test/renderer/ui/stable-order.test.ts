import { describe, expect, test } from 'vitest'
import { stableOrder } from '#renderer/ui/stable-order.ts'

describe('the order on the screen', () => {
  test('does not change when events arrive', () => {
    expect(stableOrder(['a', 'b', 'c'], ['c', 'a', 'b'])).toEqual(['a', 'b', 'c'])
  })
  test('is the chosen order at first', () => {
    expect(stableOrder(null, ['c', 'a', 'b'])).toEqual(['c', 'a', 'b'])
  })
  test('has new rows first, and no removed ones', () => {
    expect(stableOrder(['a', 'b', 'c'], ['c', 'n', 'a'])).toEqual(['n', 'a', 'c'])
  })
  test('has the rows of a further page last', () => {
    expect(stableOrder(['a', 'b'], ['a', 'n', 'b', 'c'], true)).toEqual(['a', 'b', 'n', 'c'])
  })
})
