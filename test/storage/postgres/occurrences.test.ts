import { describe } from 'vitest'
import { openOccurrences } from '#main/storage/postgres/occurrences.ts'
import { unhurried } from '../../support/patience.ts'
import { noPostgres } from '../../support/postgres.ts'
import { describeOccurrenceStorage } from '../occurrence-storage-contract.ts'
import { emptyDatabase, openNode } from './open-database.ts'

describe.skipIf(noPostgres !== null)('in PostgreSQL', () =>
  describeOccurrenceStorage('the history', async options => {
    const node = await openNode(await emptyDatabase())
    const open = () =>
      openOccurrences({
        ...{ pool: node.pool, slowPool: node.pool, ...unhurried, ...options },
        onProblem(error) {
          throw error
        },
      })
    return { storage: await open(), second: open, reopen: open, dispose: node.close }
  }),
)
