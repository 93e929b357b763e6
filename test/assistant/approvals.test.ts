import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createApprovals } from '#main/assistant/approvals.ts'
import { createHeldCalls } from '#main/storage/local/held-calls.ts'

const call = {
  clientName: 'Claude',
  tokenId: null,
  tokenName: null,
  connectionId: 'conn_a',
  actionId: 'act_a',
  toolName: 'cancel_order',
  name: 'cancel_order',
  method: 'DELETE' as const,
  arguments: { order_id: 42 },
}
const newStore = () => createHeldCalls(error => expect.fail(String(error)))
const create = (waitMs?: number, store = newStore()) =>
  createApprovals({ store, clock: () => 0, random: randomBytes, waitMs })
const never = new AbortController().signal

test('a call waits until it is decided, once', async () => {
  const approvals = create()
  const outcome = approvals.ask(call, never)
  const [held] = await approvals.list()
  expect(held).toMatchObject({ ...call, expiresAt: '1970-01-01T00:05:00.000Z' })
  const id = held?.approvalId ?? ''
  expect(await approvals.decide(id, 'decline')).toEqual(held)
  await expect(approvals.decide(id, 'allow')).rejects.toThrow(/No call waits/)
  expect(await outcome).toBe('decline')
  expect(await approvals.list()).toEqual([])
})

test('a call is listed and decided on another node, once', async () => {
  const store = newStore()
  const [a, b] = [create(undefined, store), create(undefined, store)]
  const given = { order_id: JSON.rawJSON('12345678901234567890.10') }
  const outcomes = [a.ask(call, never), a.ask({ ...call, arguments: given }, never)]
  const [first, second] = await b.list()
  expect(JSON.stringify(second?.arguments)).toBe('{"order_id":12345678901234567890.10}')
  const decided = await Promise.allSettled([
    b.decide(first?.approvalId ?? '', 'allow'),
    a.decide(first?.approvalId ?? '', 'decline'),
  ])
  expect(decided).toMatchObject([
    { status: 'fulfilled', value: first },
    { status: 'rejected', reason: { code: 'approval_not_found' } },
  ])
  expect(await outcomes[0]).toBe('allow')
  await b.stop()
  expect(await a.list()).toEqual([second])
  await a.stop()
  expect(await outcomes[1]).toBe('aborted')
})

test('a call expires, is cancelled by its client, or ends with the service', async () => {
  expect(await create(1).ask(call, never)).toBe('expired')
  const approvals = create()
  const stop = new AbortController()
  const cancelled = approvals.ask(call, stop.signal)
  stop.abort()
  expect(await cancelled).toBe('aborted')
  expect(await approvals.ask(call, stop.signal)).toBe('aborted')
  const ended = approvals.ask(call, never)
  await approvals.stop()
  expect(await ended).toBe('aborted')
  expect(await approvals.list()).toEqual([])
})

test('at most 100 calls wait', async () => {
  const approvals = create()
  const held = Array.from({ length: 100 }, () => approvals.ask(call, never))
  expect(await approvals.ask(call, never)).toBe('too many')
  approvals.stop()
  expect(new Set(await Promise.all(held))).toEqual(new Set(['aborted']))
})

test('the arguments of waiting calls are bounded in all', async () => {
  const approvals = create()
  const large = { ...call, arguments: { text: 'x'.repeat(4 * 1024 * 1024 - 100) } }
  const stop = new AbortController()
  const held = [approvals.ask(large, stop.signal), approvals.ask(large, never)]
  expect(await approvals.ask(large, never)).toBe('too many')
  stop.abort()
  await held[0]
  const next = approvals.ask(large, never)
  approvals.stop()
  expect(await Promise.all([held[1], next])).toEqual(['aborted', 'aborted'])
})
