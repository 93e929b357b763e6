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
