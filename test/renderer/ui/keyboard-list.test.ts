import { describe, expect, test } from 'vitest'
import { rowOfKey } from '#renderer/ui/keyboard-list.ts'

const press = (key: string) => ({ key, ctrlKey: false, metaKey: false, altKey: false })

describe('the row of a key', () => {
  test.each([
    ['ArrowDown', 1, 2],
    ['ArrowUp', 1, 0],
    ['Home', 1, 0],
    ['End', 1, 9],
    ['PageDown', 1, 5],
    ['PageUp', 6, 2],
    ['ArrowDown', 9, 9],
    ['ArrowUp', 0, 0],
    ['PageDown', 8, 9],
    ['ArrowDown', -1, 0],
    ['ArrowUp', -1, 0],
    ['Enter', 1, null],
  ])('%s in row %i of ten leads to %s', (key, at, row) => {
    expect(rowOfKey(press(key), at, 10, 4)).toBe(row)
  })

  test('is none in an empty list, with a modifier, and for a page of a list that has none', () => {
    expect(rowOfKey(press('End'), -1, 0)).toBeNull()
    expect(rowOfKey({ ...press('ArrowDown'), altKey: true }, 1, 10)).toBeNull()
    expect(rowOfKey(press('PageDown'), 1, 10)).toBeNull()
  })
})
