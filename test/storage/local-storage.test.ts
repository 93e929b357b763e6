import { randomBytes } from 'node:crypto'
import { openStorage } from '#main/storage/open-storage.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { newFolder } from './config-fixtures.ts'
import { describeIds } from './ids-contract.ts'

describeIds('a data folder', async ({ clock }) => {
  const dataFolder = await newFolder()
  const open = async () => {
    const { storage } = await openStorage({
      ...{ dataFolder, env: {}, logger: createLogRecorder().logger, clock, random: randomBytes },
      ...{ historyBounds: {}, reserveBytes: 0, onFolderLost: () => {} },
    })
    return storage
  }
  let storage = await open()
  return {
    handles: [storage, storage],
    async reopen() {
      await storage.close()
      storage = await open()
      return [storage, storage]
    },
    dispose: () => storage.close(),
  }
})
