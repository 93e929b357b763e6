import { describe } from 'vitest'
import { noPostgres } from '../../support/postgres.ts'
import { describeEventsOfOneRequest } from '../append-all-contract.ts'
import { describeRuns, type OpenRuns } from '../runs-contract.ts'
import { describeSameRuns } from '../same-runs-contract.ts'
import { openTemporary } from './open-events.ts'

const open: OpenRuns = async ({ clock, mostWaiting }) => {
  const opened = await openTemporary({ clock, mostRunsWaiting: mostWaiting })
  const both = (log: typeof opened.log) => ({ log, runs: log.runs })
  return {
    opened: both(opened.log),
    second: async () => both(await opened.second()),
    setLane: opened.setLane,
    reopen: async () => both(await opened.reopen()),
    dispose: opened.dispose,
  }
}

describe.skipIf(noPostgres !== null)('in PostgreSQL', () => {
  describeRuns('runs', open)
  describeEventsOfOneRequest(open)
  describeSameRuns('runs of all kinds', open)
})
