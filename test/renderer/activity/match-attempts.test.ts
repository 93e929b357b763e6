import { expect, test } from 'vitest'
import { matchAttempts } from '#renderer/features/activity/match-attempts.ts'
import { attempted, rejected } from './fixtures.ts'

test('a rejection gets the request that was refused just before it', () => {
  const [early, late] = [rejected(105), rejected(1005)]
  const [first, second] = [attempted(100), attempted(1000)]
  const { byItem, others } = matchAttempts([early, late], [second, first])
  expect(byItem.get(early.id)).toBe(first)
  expect(byItem.get(late.id)).toBe(second)
  expect(others).toEqual([])
})

test('of several under way at once the one of the same size and code is taken', () => {
  const item = rejected(50, { bytes: 4 })
  const [fits, other, later] = [
    attempted(10, { bodyText: '{"ü' }),
    attempted(20, { bodyText: '{"a":1}' }),
    attempted(60, { bodyText: '{"a"' }),
  ]
  const code = attempted(30, { code: 'missing_signature', bodyText: '{"a"' })
  const { byItem, others } = matchAttempts([item], [later, code, other, fits])
  expect(byItem.get(item.id)).toBe(fits)
  expect(others.map(({ attempt }) => attempt)).toEqual([later, code, other])
})

test('what the feed has forgotten is there under keys of its own', () => {
  const attempts = [attempted(10), attempted(10), attempted(10, { code: 'missing_signature' })]
  const { others } = matchAttempts([], attempts)
  expect(new Set(others.map(({ key }) => key)).size).toBe(3)
})

test('one request belongs to one rejection', () => {
  const [one, two] = [rejected(20), rejected(30)]
  const { byItem } = matchAttempts([one, two], [attempted(15)])
  expect(byItem.size).toBe(1)
})
