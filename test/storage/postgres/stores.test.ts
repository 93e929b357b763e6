import { describe, onTestFinished } from 'vitest'
import { openCallLimits } from '#main/storage/call-limits.ts'
import { openActivityRelay } from '#main/storage/postgres/activity-relay.ts'
import { createAlerts } from '#main/storage/postgres/alerts.ts'
import { callLimitRecords } from '#main/storage/postgres/call-limits.ts'
import { createHeldCalls } from '#main/storage/postgres/held-calls.ts'
import { createHourCounts } from '#main/storage/postgres/hour-counts.ts'
import { postgresHousekeeping } from '#main/storage/postgres/housekeeping.ts'
import { createOnceStore } from '#main/storage/postgres/once-store.ts'
import { createPresence } from '#main/storage/postgres/presence.ts'
import { sessionRecords } from '#main/storage/postgres/sessions.ts'
import { createStatistics } from '#main/storage/postgres/statistics.ts'
import { createTokenUses } from '#main/storage/postgres/token-uses.ts'
import { createSessions } from '#main/storage/sessions.ts'
import { noPostgres } from '../../support/postgres.ts'
import { describeActivityRelay } from '../activity-relay-contract.ts'
import { describeAlerts } from '../alerts-contract.ts'
import { describeCallLimits } from '../call-limits-contract.ts'
import { sealer } from '../config-fixtures.ts'
import { describeHeldCallStore } from '../held-calls-contract.ts'
import { describeHourCounts } from '../hour-counts-contract.ts'
import { describeHousekeeping } from '../housekeeping-contract.ts'
import { describeOnceStore } from '../once-store-contract.ts'
import { describePresence } from '../presence-contract.ts'
import { describeSessionStore } from '../sessions-contract.ts'
import { describeSignals } from '../signals-contract.ts'
import { describeStatisticsStore } from '../statistics-contract.ts'
import { describeTokenUses } from '../token-uses-contract.ts'
import { openNode, openTwo } from './open-database.ts'

type Node = Awaited<ReturnType<typeof openNode>>

/** Opens a store on two nodes. */
async function openBoth<Store>(
  create: (node: Node) => Store | Promise<Store>,
  closeStore: (store: Store) => unknown = () => {},
) {
  const { url, nodes, close } = await openTwo()
  const handles = [await create(nodes[0]), await create(nodes[1])] as const
  let isClosed = false
  const closeNodes = async () => {
    if (isClosed) return
    isClosed = true
    for (const store of handles) await closeStore(store)
    await close()
  }
  return {
    ...{ nodes, handles, dispose: closeNodes },
    /** Closes both, and opens one of them again. */
    reopen: async () => {
      await closeNodes()
      const node = await openNode(url)
      const store = await create(node)
      onTestFinished(async () => {
        await closeStore(store)
        await node.close()
      })
      return store
    },
  }
}

describe.skipIf(noPostgres !== null)('in PostgreSQL', () => {
  describeSignals('the signals', async () => {
    const { nodes, close } = await openTwo()
    return { nodes: [nodes[0].signals, nodes[1].signals], errors: nodes[1].errors, close }
  })
  describeHousekeeping('the database', async () => {
    const errors: unknown[] = []
    const { handles, dispose } = await openBoth(({ pool }) =>
      postgresHousekeeping(pool, error => errors.push(error)),
    )
    return { nodes: handles, errors, close: dispose }
  })
  describeSessionStore('the sessions', clock =>
    openBoth(
      ({ pool, signals, onError }) => createSessions(sessionRecords(pool), signals, clock, onError),
      sessions => sessions.close(),
    ),
  )
  describeCallLimits('the call limits', clock =>
    openBoth(
      ({ pool, signals, onError }) =>
        openCallLimits({ records: callLimitRecords(pool), signals, clock, pollMs: 1000, onError }),
      limits => limits.close(),
    ),
  )
  describeOnceStore('the texts that are kept once', () =>
    openBoth(({ pool }) => createOnceStore(pool, Date.now)),
  )
  describeTokenUses('the uses of tokens', () =>
    openBoth(
      ({ pool }) => createTokenUses(pool),
      uses => uses.flush(),
    ),
  )
  describeHeldCallStore('held calls', () =>
    openBoth(
      ({ pool, signals, onError }) => createHeldCalls(pool, signals, Date.now, sealer, onError),
      calls => calls.close(),
    ),
  )
  describeStatisticsStore('the statistics', clock =>
    openBoth(
      ({ pool, signals }) => createStatistics(pool, signals, clock),
      statistics => statistics.close(),
    ),
  )
  describeAlerts('the alerts', () => openBoth(({ pool }) => createAlerts(pool)))
  describeHourCounts('the counts of hours', () => openBoth(({ pool }) => createHourCounts(pool, pool)))
  describeActivityRelay('the relay of activity', () =>
    openBoth<Awaited<ReturnType<typeof openActivityRelay>>>(
      ({ pool, signals, onError }) => openActivityRelay(pool, signals, Date.now, onError),
      relay => relay.close(),
    ),
  )
  describePresence('what nodes show', () =>
    openBoth(
      ({ pool, signals, onError }) => createPresence(pool, signals, Date.now, onError),
      presence => presence.close(),
    ),
  )
})
