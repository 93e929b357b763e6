import { expect, onTestFinished, test } from 'vitest'
import { createStatistics } from '#main/history/statistics/statistics.ts'
import { startInbound } from '../../support/inbound-fixture.ts'

const hourMs = 60 * 60 * 1000

test('what comes more than a day late neither counts nor clears the last 24 hours', async () => {
  const { store, clock, connection } = await startInbound()
  const { connectionId } = connection
  const statistics = createStatistics({
    pausedUntil: () => null,
    store,
    diagnose() {},
    clock: () => clock.now,
    onError(error) {
      throw error
    },
    loaded: { since: null, connections: new Map() },
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

test('adds what other nodes have counted, until they or the connection are gone', async () => {
  const { store, clock, connection } = await startInbound()
  const { connectionId } = connection
  const open = () => {
    const statistics = createStatistics({
      pausedUntil: () => null,
      store,
      diagnose() {},
      clock: () => clock.now,
      onError(error) {
        throw error
      },
      loaded: { since: null, connections: new Map() },
    })
    onTestFinished(() => void statistics.stop())
    return statistics
  }
  const [here, there] = [open(), open()]
  const changed: string[] = []
  here.changes.subscribe(id => changed.push(id))
  const accept = (statistics: typeof here, eventName: string, at: number) =>
    statistics.add({
      ...{ kind: 'event.accepted', id: `evt_${at}`, connectionId, at, eventName, bodyText: '{}' },
      ...{ repeat: false, stored: true, previousSecret: false, duplicateOf: null, tookMs: 1 },
    })
  accept(here, 'a', clock.now - 2)
  accept(there, 'a', clock.now - 1)
  accept(there, 'b', clock.now)
  const tell = () => here.setOthers(new Map([[connectionId, there.own.countsOf(connectionId)]]))
  tell()
  expect(here.of(connectionId)).toMatchObject({ accepted: 3, lastEvent: { eventName: 'b' } })
  expect(here.summary(connectionId)).toMatchObject({
    accepted: 3,
    lastEventName: 'b',
    lastEventAt: clock.now,
  })
  expect(here.eventNamesOf(connectionId, []).map(({ eventName, count }) => [eventName, count])).toEqual([
    ['a', 2],
    ['b', 1],
  ])
  expect(here.own.countsOf(connectionId)?.accepted.at(-1)).toBe(1)
  expect(changed).toEqual([connectionId, connectionId])

  here.setOthers(new Map([[connectionId, null]]))
  expect(here.of(connectionId)).toMatchObject({ accepted: 1, lastEvent: { eventName: 'a' } })
  tell()
  await store.update(config => ({ next: { ...config, connections: new Map() }, result: null }))
  tell()
  expect(here.of(connectionId)).toMatchObject({ accepted: 0, lastEvent: null })
})
