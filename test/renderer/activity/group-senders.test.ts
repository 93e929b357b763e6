import { expect, test } from 'vitest'
import { senderWords } from '#renderer/features/activity/group-senders.ts'
import type { Attempt } from '#shared/model/attempt.ts'

const attempt = (fields: Partial<Attempt>): Attempt => ({
  ...{ attemptId: 'att_1', at: '2026-11-21T14:25:02.118Z', code: 'stale_timestamp', message: '' },
  ...{ diagnosis: null, headers: [['User-Agent', 'shop/3.1']], bodyText: '{"event":"order.paid"}' },
  ...fields,
})
const words = (attempts: readonly Attempt[], count = attempts.length) =>
  senderWords(attempts, 'stale_timestamp', count).join(' · ')

test('a group of refused requests names its sender and the events in the bodies', () => {
  expect(words([attempt({}), attempt({ bodyText: '{"type":"order.lost"}' }), attempt({})])).toBe(
    'One sender: shop/3.1 · order.paid 2 · order.lost 1',
  )
  expect(words([attempt({ headers: [] }), attempt({ bodyText: 'not JSON' })])).toBe(
    '2 senders: no user-agent, shop/3.1 · order.paid 1',
  )
  expect(words([attempt({ headers: [], bodyText: '' })])).toBe('One sender, without a user-agent')
})

test('it says of how many that is known, and counts none of another cause', () => {
  const diagnosis = { code: 'timestamp_in_seconds', message: '' } as const
  expect(words([attempt({}), attempt({ diagnosis })], 41)).toBe(
    'One sender of the newest 1: shop/3.1 · order.paid 1',
  )
  expect(words([attempt({ code: 'invalid_json' })])).toBe('')
  const many = Array.from({ length: 5 }, (_, index) => attempt({ bodyText: `{"event":"e${index}"}` }))
  expect(words(many)).toBe('One sender: shop/3.1 · e0 1 · e1 1 · e2 1 · 2 other events')
})
