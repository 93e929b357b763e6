import { type AlertClosed, type AlertOpened, alertOccurrence } from '#main/history/alert-occurrence.ts'
import type { StoredAlert } from '#main/storage/alerts.ts'
import type { WorkflowEngine } from '#main/workflows/engine.ts'
import { type Alert, alertEventName, PayloadDetails } from '#shared/model/alert.ts'
import { alertIdOf, readAlertDoc, toAlert } from './alert-doc.ts'

type TellParts = {
  readonly announce: WorkflowEngine['announce']
  /** Keeps an occurrence in the activity. The same one again replaces it. */
  readonly record: (occurrence: AlertOpened | AlertClosed) => void
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Creates what tells the latest transition of an alert to its targets. It is safe to repeat: each run has a key. */
export function createTell({ announce, record, clock }: TellParts) {
  return async (stored: StoredAlert): Promise<void> => {
    const alert = toAlert(stored, clock())
    const doc = readAlertDoc(stored.doc)
    if (alert === null || doc === null) return
    const { kind, state, value, threshold, unit, message, details, openedAt, closedAt } = alert
    const alertId = alertIdOf(stored.number)
    const data = {
      ...{ alertId, kind, state },
      connection: alert.connectionId && { connectionId: alert.connectionId, name: doc.connectionName },
      workflow: alert.workflowId && { workflowId: alert.workflowId, name: doc.workflowName },
      ...{ value, threshold, unit, message, details: withoutValues(details), openedAt, closedAt },
    }
    const transition = state === 'open' ? 'opened' : 'closed'
    await announce(alert.workspaceId, {
      eventName: alertEventName(kind, state),
      webhookEvent: `alert.${transition}`,
      data,
      key: `${alertId}/${transition}`,
      at: clock(),
    })
    record(alertOccurrence(alert, doc.items[state === 'open' ? 0 : 1]))
  }
}

/** Returns details without values of an event: they do not leave the service. */
function withoutValues(details: Alert['details']): Alert['details'] {
  const { data } = PayloadDetails.safeParse(details)
  if (data === undefined) return details
  return { ...data, fields: data.fields.map(({ path, change }) => ({ path, change })) }
}
