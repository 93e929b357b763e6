import type { RandomBytes } from '#main/connections/identifiers.ts'
import { urlOf } from '#main/lib/listen-on.ts'
import type { Logger } from '#main/lib/logger.ts'
import type { Service } from '#main/service.ts'
import { closeGently } from './close-gently.ts'
import { createDashboard } from './dashboard.ts'
import { openLocalSocket } from './local-socket.ts'

export type AnswerLocallyOptions = {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  readonly logger: Logger
}

/**
 * Has a service answer REST on the data folder's socket, for the command line, and says in the data folder
 * where it is.
 *
 * @param dashboardUrl of the dashboard on TCP; null where there is none.
 * @returns the function that ends it once what is under way is answered; to be called before `service.stop()`.
 * @throws ServiceError `storage_unavailable`; all is closed then.
 */
export async function answerLocally(
  service: Service,
  dashboardUrl: string | null,
  { clock, random, logger }: AnswerLocallyOptions,
): Promise<() => Promise<void>> {
  const { router, isHealthy, backups, storage, listenerStatus, listenerChanges } = service
  const token = random(32).toString('base64url')
  const app = await createDashboard({
    ...{ router, isHealthy, backups, logger, token, clock, random },
    hosts: null,
    tls: null,
    sessions: null,
    rendererFolder: null,
  })
  const close = closeGently(app)
  // Where it will be, or would, if it does not listen yet: when it does, it is written down again.
  const { host, port, url } = listenerStatus()
  const facts = { token, listenerUrl: url ?? urlOf({ address: host, port }, 'http'), dashboardUrl }
  const onError = (err: unknown) => logger.error({ err }, 'Where the listener is cannot be written down')
  try {
    const stopFollowing = await openLocalSocket(app, storage.folder, facts, listenerChanges, onError)
    return async () => {
      await stopFollowing()
      await close()
    }
  } catch (error) {
    await app.close()
    throw error
  }
}
