import { expect, test } from 'vitest'
import { createStatistics } from '#main/history/statistics/statistics.ts'
import { startInbound } from '../../support/inbound-fixture.ts'

const hourMs = 60 * 60 * 1000

test('what comes more than a day late neither counts nor clears the last 24 hours', async () => {
  const { store, clock, connection } = await startInbound()
  const { connectionId } = connection
  const statistics = createStatistics({
    store,
    diagnose() {},
    clock: () => clock.now,
    onError(error) {
      throw error
    },
    saved: null,
  })
  const refuse = (at: number) =>
    statistics.add({ kind: 'event.unavailable', id: 'una_1', at, connectionId, error: new Error('full') })
  refuse(clock.now)
  refuse(clock.now - 30 * hourMs)
  expect(statistics.of(connectionId)).toMatchObject({ rejected: 1 })
  refuse(clock.now - 22 * hourMs)
  expect(statistics.of(connectionId)).toMatchObject({ rejected: 2 })
  statistics.stop()
})
