import { expect, test } from 'vitest'
import { AppendQueue } from '#main/storage/local/sqlite/append-queue.ts'
import { eventMaker } from '../event-log-events.ts'

test('a writer that starts again while the log closes does not make it accept events', async () => {
  const queue = new AppendQueue(
    () => {},
    Date.now,
    () => true,
  )
  await queue.drain('The event log is closed.')
  queue.resume(0)
  await expect(queue.append(eventMaker()(), [])).rejects.toMatchObject({ code: 'unavailable' })
})

test('counts events, not their runs, and a text that they share once', async () => {
  const queue = new AppendQueue(
    () => {},
    Date.now,
    () => true,
  )
  const make = eventMaker()
  const names = { workflowId: 'wf_a', workspaceId: 'ws_a', connectionId: 'conn_a', lane: 'wf_a' }
  const bodyText = 'x'.repeat(20_000)
  const appended = Array.from({ length: 5000 }, (_, index) => {
    const run = { ...names, id: index, event: null, queuedAt: 0, summary: '{}', data: bodyText }
    return queue.append({ ...make(), bodyText }, Array(16).fill(run))
  })
  queue.halt('The test ends.')
  const reasons = (await Promise.allSettled(appended)).map(outcome =>
    outcome.status === 'rejected' ? outcome.reason.cause.message : null,
  )
  expect(new Set(reasons)).toEqual(new Set(['The test ends.']))
})
