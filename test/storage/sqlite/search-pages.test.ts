import { describeSearch } from '../search-contract.ts'
import { openTemporary } from './open-temporary.ts'

describeSearch('searches in SQLite', async ({ mostSearched }) => {
  const { log, dispose } = await openTemporary({ searchBounds: { rows: mostSearched, text: 1e9, ms: 1e9 } })
  return { log, runs: log.runs, dispose }
})
