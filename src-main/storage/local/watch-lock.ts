import { messageOf } from '#main/lib/file-system.ts'
import type { Logger } from '#main/lib/logger.ts'
import { ServiceError } from '#shared/errors.ts'
import type { DataFolder } from './data-folder.ts'

const checkEveryMs = 2000

/**
 * Checks every 2 seconds that this process still holds its data folder. Takes the lock again if its file was deleted or
 * replaced.
 *
 * @param onLost is called once if another process has taken the folder. This process must then end without another
 *   write.
 * @returns the function that ends the checks.
 */
export function watchLock(
  { path, lockFile, checkLock }: Pick<DataFolder, 'path' | 'lockFile' | 'checkLock'>,
  logger: Logger,
  onLost: () => void,
): () => void {
  let wasTaken = false
  let logged = ''

  function onFailure(error: unknown): void {
    const isTaken = error instanceof ServiceError && error.code === 'data_folder_in_use'
    if (isTaken && wasTaken) {
      clearInterval(timer)
      logger.error({ err: error }, `Another process has taken the data folder ${path}; this one ends`)
      onLost()
    } else if (!isTaken && messageOf(error) !== logged) {
      logged = messageOf(error)
      logger.error({ err: error }, 'The data folder cannot be locked again')
    }
    // A starting process holds the lock for a moment, until it finds out that this one answers on its socket.
    wasTaken = isTaken
  }

  const timer = setInterval(() => {
    try {
      if (checkLock()) logger.warn({}, `${lockFile} was deleted or replaced; the data folder is locked again`)
      wasTaken = false
      logged = ''
    } catch (error) {
      onFailure(error)
    }
  }, checkEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
