import { describe } from 'vitest'
import { noPostgres } from '../../support/postgres.ts'
import { describeSearch } from '../search-contract.ts'
import { openTemporary } from './open-events.ts'

describe.skipIf(noPostgres !== null)('in PostgreSQL', () =>
  describeSearch('searches', async ({ mostSearched }) => {
    const { log, dispose } = await openTemporary({ searchBounds: { rows: mostSearched, text: 1e9, ms: 1e9 } })
    return { log, runs: log.runs, dispose }
  }),
)
