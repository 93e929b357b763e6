import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-temporary.ts'

test('an append to a locked database waits half a second for the lock', async () => {
  const { log, file, dispose } = await openTemporary()
  onTestFinished(dispose)
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const start = performance.now()
  await expect(log.append(eventMaker()())).rejects.toMatchObject({ code: 'unavailable' })
  expect(performance.now() - start).toBeGreaterThan(500)
})
