import { z } from 'zod'
import { idOf, numberOfId } from '#main/lib/sequence.ts'
import { mutedForGood, type StoredAlert } from '#main/storage/alerts.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { Alert, AlertKind } from '#shared/model/alert.ts'

const prefix = 'alert_'

export const alertIdOf = (number: number) => idOf(prefix, number)
/** Returns null for a text that is not the id of an alert. */
export const alertNumberOf = (alertId: string) => numberOfId(prefix, alertId)

/** The document of an alert: everything but its columns. */
const AlertDoc = z.object({
  ...Alert.pick({ workflowId: true, eventName: true, node: true }).shape,
  ...Alert.pick({ value: true, threshold: true, unit: true, message: true, details: true }).shape,
  /** The names at that time. */
  connectionName: z.string().nullable(),
  workflowName: z.string().nullable(),
  /** Since when it is calm, in milliseconds since 1970. */
  calmSince: z.int().nullable(),
  /** Whether its opening was told to nobody. */
  isQuiet: z.boolean(),
  /** The numbers of its two items in the activity. */
  items: z.tuple([z.int(), z.int()]),
})
export type AlertDoc = z.infer<typeof AlertDoc>

/** Returns null for a text that cannot be read. */
export const readAlertDoc = (doc: string): AlertDoc | null => AlertDoc.safeParse(parseJson(doc)).data ?? null

export const isMuted = ({ mutedUntil }: Pick<StoredAlert, 'mutedUntil'>, now: number) => mutedUntil > now

/** Returns a stored alert as the contract shows it; null if it cannot be read. @param now milliseconds since 1970. */
export function toAlert(stored: StoredAlert, now: number): Alert | null {
  const { number, kind, workspaceId, connectionId, openedAt, closedAt, mutedUntil } = stored
  const doc = readAlertDoc(stored.doc)
  const known = AlertKind.safeParse(kind).data
  if (doc === null || known === undefined) return null
  const { workflowId, eventName, node, value, threshold, unit, message, details } = doc
  const muted = closedAt === null && isMuted(stored, now)
  return {
    ...{ alertId: alertIdOf(number), kind: known, workspaceId, connectionId, workflowId, eventName, node },
    state: closedAt === null ? 'open' : 'closed',
    openedAt: moment(openedAt),
    closedAt: closedAt === null ? null : moment(closedAt),
    ...{ value, threshold, unit, muted },
    mutedUntil: muted && mutedUntil !== mutedForGood ? moment(mutedUntil) : null,
    ...{ message, details },
  }
}

const moment = (ms: number) => new Date(ms).toISOString()
