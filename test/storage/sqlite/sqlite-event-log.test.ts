import { expect, onTestFinished, test } from 'vitest'
import { eventIdOf } from '#main/lib/sequence.ts'
import { describeEventLog } from '../event-log-contract.ts'
import { eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-temporary.ts'

describeEventLog('SQLite event log', openTemporary)

test('remembers the newest id after its event is removed', async () => {
  const opened = await openTemporary()
  onTestFinished(opened.dispose)
  const event = eventMaker()()
  await opened.log.append(event)
  await opened.log.remove(event.connectionId, event.eventId)
  const log = await opened.reopen()
  await expect(log.append(event)).rejects.toThrow(RangeError)
  expect(eventIdOf(log.nextEvent()) > event.eventId).toBe(true)
})
