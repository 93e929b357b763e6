import type { RouterClient } from '@orpc/server'
import type { Logger } from '#main/lib/logger.ts'
import type { Router } from '#main/rpc/router.ts'
import type { ElectronParts, NotificationPart } from './electron-parts.ts'
import { createRejectionNotices } from './rejection-notices.ts'

export type FollowOptions = {
  readonly client: RouterClient<Router>
  readonly isOn: () => boolean
  readonly open: () => void
  readonly setTimer: (callback: () => void, ms: number) => () => void
  readonly logger: Logger
}

/** Shows native notifications of refused requests while the user wants them. @returns the function that ends it. */
export function followRejections(
  { Notification }: Pick<ElectronParts, 'Notification'>,
  { client, isOn, open, setTimer, logger }: FollowOptions,
): () => void {
  // Electron tells nobody of a click on a notification that nothing holds.
  const held = new Set<NotificationPart>()
  const notices = createRejectionNotices({
    setTimer,
    show({ title, body }) {
      // The user may have switched them off since.
      if (!isOn() || !Notification.isSupported()) return
      const notification = new Notification({ title, body })
      held.add(notification)
      for (const end of ['click', 'close', 'failed'] as const)
        notification.on(end, () => held.delete(notification))
      notification.on('click', open)
      notification.show()
    },
    async nameOf(connectionId) {
      const connections = await client.connections.list({})
      return connections.find(connection => connection.connectionId === connectionId)?.name ?? null
    },
  })
  const controller = new AbortController()
  async function follow(): Promise<void> {
    for await (const item of await client.activity.live({}, { signal: controller.signal }))
      if (item.type === 'event.rejected' && isOn()) await notices.add(item)
  }
  follow().catch(err => {
    if (!controller.signal.aborted) logger.error({ err }, 'Refused requests are no longer told of')
  })
  return () => {
    controller.abort()
    notices.stop()
  }
}
