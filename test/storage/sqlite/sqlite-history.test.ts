import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openSqliteHistory } from '#main/storage/local/sqlite/sqlite-history.ts'
import { unhurried } from '../../support/patience.ts'
import { newFolder } from '../config-fixtures.ts'
import { describeOccurrenceStorage } from '../occurrence-storage-contract.ts'

describeOccurrenceStorage('SQLite history', async options => {
  const file = join(await newFolder(), 'history.sqlite')
  const open = () =>
    openSqliteHistory({
      ...{ file, ...unhurried, ...options },
      onProblem(error) {
        throw error
      },
      onNotice(notice) {
        throw new Error(notice)
      },
    })
  let storage = await open()
  return {
    storage,
    second: async () => storage,
    async reopen() {
      await storage.close()
      storage = await open()
      return storage
    },
    async dispose() {
      await storage.close()
      await rm(dirname(file), { recursive: true, force: true })
    },
  }
})
