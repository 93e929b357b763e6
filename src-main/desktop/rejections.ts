import type { RouterClient } from '@orpc/server'
import { diagnosable } from '#main/inbound/refusals.ts'
import type { Logger } from '#main/lib/logger.ts'
import type { Router } from '#main/rpc/router.ts'
import type { ElectronParts, NotificationPart } from './electron-parts.ts'
import { createRejectionNotices, type Rejection } from './rejection-notices.ts'

export type FollowOptions = {
  readonly client: RouterClient<Router>
  readonly isOn: () => boolean
  readonly open: () => void
  readonly setTimer: (callback: () => void, ms: number) => () => void
  readonly logger: Logger
}

/** Milliseconds that a notice waits for a diagnosis, and refused requests that wait at most. */
const diagnosisWaitMs = 2000
const maxWaiting = 20

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
  /** Those whose diagnosis may still come, by the id of the attempt. */
  const waiting = new Map<string, { readonly rejection: Rejection; readonly stopTimer: () => void }>()

  function take(attemptId: string): Rejection | null {
    const found = waiting.get(attemptId)
    found?.stopTimer()
    waiting.delete(attemptId)
    return found?.rejection ?? null
  }

  async function add(rejection: Rejection): Promise<void> {
    const { attemptId, code, diagnosis } = rejection
    const isExplained = diagnosis !== null || !diagnosable.has(code)
    if (attemptId === null || isExplained || waiting.size >= maxWaiting) {
      await notices.add(rejection)
      return
    }
    const stopTimer = setTimer(() => {
      if (take(attemptId) !== null) void notices.add(rejection)
    }, diagnosisWaitMs)
    waiting.set(attemptId, { rejection, stopTimer })
  }

  async function follow(): Promise<void> {
    for await (const item of await client.activity.live({}, { signal: controller.signal })) {
      if (item.type === 'event.rejected' && isOn()) await add(item)
      if (item.type !== 'event.diagnosed') continue
      const rejection = take(item.attemptId)
      if (rejection !== null) await notices.add({ ...rejection, diagnosis: item.diagnosis })
    }
  }
  follow().catch(err => {
    if (!controller.signal.aborted) logger.error({ err }, 'Refused requests are no longer told of')
  })
  return () => {
    controller.abort()
    for (const attemptId of [...waiting.keys()]) take(attemptId)
    notices.stop()
  }
}
