import type { ElectronParts, NotificationPart } from './electron-parts.ts'

export type Notice = { readonly title: string; readonly body: string }

/** Returns a function that shows a notification if the system can; a click on it opens the window. */
export function createNotifier(
  { Notification }: Pick<ElectronParts, 'Notification'>,
  open: () => void,
): (notice: Notice) => void {
  // Electron reports no click on a notification that was garbage-collected.
  const held = new Set<NotificationPart>()
  return ({ title, body }) => {
    if (!Notification.isSupported()) return
    const notification = new Notification({ title, body })
    held.add(notification)
    for (const end of ['click', 'close', 'failed'] as const)
      notification.on(end, () => held.delete(notification))
    notification.on('click', open)
    notification.show()
  }
}
