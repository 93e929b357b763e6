import type { StoredAlert } from '#main/storage/alerts.ts'
import type { AlertKind } from '#shared/model/alert.ts'
import { type AlertDoc, isMuted, readAlertDoc } from './alert-doc.ts'
import { decide, type Previous, type Rule } from './rule.ts'

/** The subject of an alert, with its names. */
export type Place = Pick<AlertDoc, 'workflowId' | 'node' | 'connectionName' | 'workflowName'> & {
  /** Identifies it among those of its kind. */
  readonly subject: string
  readonly workspaceId: string
  readonly connectionId: string | null
  /** By default null. */
  readonly eventName?: string
}

/** The alerts of a step while it decides. Call `read` for each subject, then `end`. */
export type Deciding = ReturnType<typeof createDeciding>

type DecidingParts = {
  /** Those that were open before. */
  readonly open: readonly StoredAlert[]
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether nothing is told now. */
  readonly isQuiet: boolean
  /** Returns the number of a new id. */
  readonly nextNumber: () => number
}

export function createDeciding({ open, now, isQuiet, nextNumber }: DecidingParts) {
  /** Those of subjects that were not read yet. Most kinds have none, so most subjects are not looked up. */
  const unread = new Map<string, Map<string, StoredAlert>>()
  for (const alert of open) {
    const ofKind = unread.get(alert.kind)
    if (ofKind === undefined) unread.set(alert.kind, new Map([[alert.subject, alert]]))
    else ofKind.set(alert.subject, alert)
  }
  const changed: StoredAlert[] = []

  function close(alert: StoredAlert, doc: AlertDoc | null): void {
    const isTold = isQuiet || doc === null || doc.isQuiet || isMuted(alert, now)
    changed.push({ ...alert, closedAt: now, isTold })
  }

  return {
    /** Returns whether any alert of a kind was open before. */
    hasOpen: (kind: AlertKind) => unread.has(kind),
    /** Decides what becomes of the alert of a kind and a subject. */
    read<Numbers>(kind: AlertKind, rule: Rule<Numbers>, numbers: Numbers, place: Place): void {
      const ofKind = unread.get(kind)
      const alert = ofKind?.get(place.subject)
      ofKind?.delete(place.subject)
      // Its opening must be told before anything else happens to it.
      if (alert?.isTold === false) return
      const doc = alert === undefined ? null : readAlertDoc(alert.doc)
      const previous: Previous | null = alert === undefined ? null : { calmSince: doc?.calmSince ?? null }
      const reading = rule.read(numbers, now, previous)
      const decision = decide(reading, previous, now)
      if (decision === null) return
      if (alert !== undefined) {
        if (decision === 'close') close(alert, doc)
        else if (decision !== 'open' && doc !== null)
          changed.push({ ...alert, doc: JSON.stringify({ ...doc, ...decision }) })
        return
      }
      if (reading === null) return
      const { subject, workspaceId, connectionId, ...named } = place
      const [number, ofOpening, ofClosing] = [nextNumber(), nextNumber(), nextNumber()]
      const { value, threshold } = reading
      const opened: AlertDoc = {
        ...{ eventName: null, ...named, value, threshold, unit: rule.unit },
        ...{ message: reading.message(), details: reading.details ?? null },
        ...{ calmSince: null, isQuiet, items: [ofOpening, ofClosing] },
      }
      changed.push({
        ...{ number, kind, subject, workspaceId, connectionId, openedAt: now, closedAt: null },
        ...{ isTold: isQuiet, mutedUntil: 0, doc: JSON.stringify(opened) },
      })
    },
    /** Closes the alerts of subjects that are gone. Returns all that have changed. */
    end(): readonly StoredAlert[] {
      for (const ofKind of unread.values())
        for (const alert of ofKind.values()) if (alert.isTold) close(alert, readAlertDoc(alert.doc))
      return changed
    },
  }
}
