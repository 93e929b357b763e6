import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openSqliteHistory } from '#main/storage/local/sqlite/sqlite-history.ts'
import { unhurried } from '../../support/patience.ts'
import { describeAlerts } from '../alerts-contract.ts'
import { newFolder } from '../config-fixtures.ts'
import { describeHourCounts } from '../hour-counts-contract.ts'
import { describeOccurrenceStorage } from '../occurrence-storage-contract.ts'

/** @param options of the history. */
async function openHistory(options: Pick<Parameters<typeof openSqliteHistory>[0], 'bounds' | 'clock'>) {
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
}
const noBounds = { bounds: {}, clock: Date.now }

describeOccurrenceStorage('SQLite history', async options => {
  const opened = await openHistory(options)
  return { ...opened, second: async () => opened.storage }
})

describeHourCounts('the counts of hours in SQLite', async () => {
  const { storage, dispose } = await openHistory(noBounds)
  return { handles: [storage.hourCounts, storage.hourCounts], dispose }
})

describeAlerts('the alerts in SQLite', async () => {
  const { storage, dispose } = await openHistory(noBounds)
  return { handles: [storage.alerts, storage.alerts], dispose }
})
