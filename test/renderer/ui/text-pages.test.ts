import { describe, expect, test } from 'vitest'
import { countLines, findPlace, pagesOf } from '#renderer/ui/text-pages.ts'

const lines = (count: number, length = 3) =>
  Array.from({ length: count }, (_, index) => String(index).padEnd(length, '.')).join('\n')

describe.each([
  ['nothing', ''],
  ['one line', 'a'],
  ['many lines', lines(1000)],
  ['lines that end', `${lines(900)}\n`],
  ['one long line', 'x'.repeat(100_001)],
  ['long lines among short ones', `a\n${'y'.repeat(90_000)}\nb\n${'z'.repeat(40_000)}\nc`],
  ['empty lines', '\n'.repeat(2000)],
  ['characters of two units', '😀'.repeat(60_001)],
])('pages of %s', (_name, text) => {
  const pages = pagesOf(text)

  test('have all of it, in pieces of a bounded size', () => {
    expect(pages.map(({ from, to }) => text.slice(from, to)).join('')).toBe(text)
    for (const { from, to } of pages) expect(to - from).toBeLessThanOrEqual(40_001)
    expect(pages.length).toBeGreaterThan(0)
  })

  test('name their first line', () => {
    for (const { from, line, isWithin } of pages) {
      expect(line).toBe(text.slice(0, from).split('\n').length)
      expect(isWithin).toBe(from > 0 && text[from - 1] !== '\n')
    }
  })

  test('do not cut a character', () => {
    for (const { to } of pages) expect(text.slice(0, to).isWellFormed()).toBe(true)
  })
})

test('lines are counted without one after the last line feed', () => {
  expect(['', 'a', 'a\n', 'a\nb', '\n\n'].map(countLines)).toEqual([0, 1, 1, 2, 2])
})

test('a place is found on its page, also within a long line and beyond the end', () => {
  const text = `first\n${'y'.repeat(90_000)}\n${lines(600)}`
  const pages = pagesOf(text)
  const find = (line: number, column: number) => {
    const { page, at } = findPlace(text, pages, { line, column })
    const { from = 0, to = 0 } = pages[page] ?? {}
    expect(at).toBeGreaterThanOrEqual(from)
    expect(at).toBeLessThan(to)
    return at
  }
  expect(find(1, 1)).toBe(0)
  expect(find(2, 1)).toBe(6)
  expect(find(2, 80_001)).toBe(80_006)
  expect(text.slice(find(3, 1)).startsWith('0..')).toBe(true)
  expect(text.slice(find(503, 1)).startsWith('500')).toBe(true)
  expect(find(9999, 1)).toBeGreaterThan(90_000)
  expect(findPlace('', pagesOf(''), { line: 1, column: 1 })).toEqual({ page: 0, at: 0 })
})
