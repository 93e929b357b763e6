import { randomBytes } from 'node:crypto'
import { openStorage } from '#main/storage/open-storage.ts'
import type { StorageOptions } from '#main/storage/storage.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { newFolder } from './config-fixtures.ts'
import { describeIds } from './ids-contract.ts'
import { describeLanes } from './lanes-contract.ts'

/** Opens a new data folder. Both handles are the same storage. */
async function openFolder(options: Partial<Pick<StorageOptions, 'clock' | 'lanesOf'>>) {
  const dataFolder = await newFolder()
  const open = async () => {
    const { storage } = await openStorage({
      ...{ dataFolder, env: {}, logger: createLogRecorder().logger, clock: Date.now, random: randomBytes },
      ...{ historyBounds: {}, lanesOf: () => [], reserveBytes: 0, onFolderLost: () => {}, ...options },
    })
    return storage
  }
  let storage = await open()
  return {
    handles: [storage, storage] as const,
    async reopen() {
      await storage.close()
      storage = await open()
      return [storage, storage] as const
    },
    dispose: () => storage.close(),
  }
}

describeIds('a data folder', openFolder)
describeLanes('a data folder', openFolder)
