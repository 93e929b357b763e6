import type { ElectronParts, NotificationPart } from './electron-parts.ts'

export type Notice = {
  readonly title: string
  readonly body: string
  /** Its buttons, where the system has them. */
  readonly actions?: readonly { readonly label: string; readonly run: () => void }[]
}

/** Returns a function that shows a notification if the system can; a click beside its buttons opens the window. */
export function createNotifier(
  { Notification }: Pick<ElectronParts, 'Notification'>,
  open: () => void,
): (notice: Notice) => void {
  // Electron reports no click on a notification that was garbage-collected.
  const held = new Set<NotificationPart>()
  return ({ title, body, actions = [] }) => {
    if (!Notification.isSupported()) return
    const notification = new Notification({
      title,
      body,
      actions: actions.map(({ label }) => ({ type: 'button', text: label })),
    })
    held.add(notification)
    notification.on('action', (_event, index) => actions[index]?.run())
    for (const end of ['click', 'close', 'failed', 'action'] as const)
      notification.on(end, () => held.delete(notification))
    notification.on('click', open)
    notification.show()
  }
}
