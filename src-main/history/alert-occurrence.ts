import type { z } from 'zod'
import { idOf } from '#main/lib/sequence.ts'
import type { Kind } from '#main/occurrences/kind.ts'
import { dayMs } from '#shared/durations.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { Alert } from '#shared/model/alert.ts'
import { keptItems } from '#shared/model/kept.ts'

const Facts = Alert.pick({ alertId: true, kind: true, workspaceId: true, workflowId: true, message: true })

type AlertOccurrence<Name extends string> = {
  readonly kind: Name
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly connectionId: string | null
  readonly alert: z.infer<typeof Facts>
}
export type AlertOpened = AlertOccurrence<'alert.opened'>
export type AlertClosed = AlertOccurrence<'alert.closed'>

const weight = 512

function kindOf<Name extends 'alert.opened' | 'alert.closed'>(
  name: Name,
  prefix: string,
): Kind<AlertOccurrence<Name>> & { readonly stored: object } {
  return {
    prefix,
    stored: {
      name,
      most: keptItems.most,
      maxAgeMs: keptItems.days * dayMs,
      writesPerSecond: Number.POSITIVE_INFINITY,
      searched: ['kind', 'message', 'alertId'],
      subjectOf: ({ alert }) => alert.kind,
      summaryOf: ({ alert }) => alert,
      fromSummary({ number, at, connectionId, summary }) {
        const alert = Facts.safeParse(parseJson(summary)).data
        return alert === undefined ? null : { kind: name, id: idOf(prefix, number), at, connectionId, alert }
      },
    },
    weightOf: () => weight,
    toItem: ({ connectionId, alert: { kind: alertKind, ...alert } }, place) => ({
      ...place,
      ...{ type: name, connectionId, alertKind, ...alert },
    }),
    logLevel: 'debug',
    logMessage: name === 'alert.opened' ? 'An alert has opened' : 'An alert has closed',
    logFields: ({ connectionId, alert: { alertId, kind: alertKind, workflowId } }) => ({
      ...{ alertId, alertKind, connectionId, workflowId },
    }),
    count: () => false,
  }
}

/** The occurrence kinds of alerts. */
export const alertOccurrenceKinds = {
  'alert.opened': kindOf('alert.opened', 'opened_'),
  'alert.closed': kindOf('alert.closed', 'closed_'),
}

/** Returns the occurrence of an alert's latest transition. @param number of its item in the activity. */
export function alertOccurrence(alert: Alert, number: number): AlertOpened | AlertClosed {
  const { alertId, kind, workspaceId, workflowId, message, connectionId, openedAt, closedAt } = alert
  const facts = { alertId, kind, workspaceId, workflowId, message }
  return closedAt === null
    ? {
        kind: 'alert.opened',
        id: idOf('opened_', number),
        at: Date.parse(openedAt),
        connectionId,
        alert: facts,
      }
    : {
        kind: 'alert.closed',
        id: idOf('closed_', number),
        at: Date.parse(closedAt),
        connectionId,
        alert: facts,
      }
}
