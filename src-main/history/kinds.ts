import { type InboundOccurrence, inboundKinds } from '#main/inbound/occurrences.ts'
import { numberOfId } from '#main/lib/sequence.ts'
import type { Kind, KindsOf, Stored } from '#main/occurrences/kind.ts'
import { callKinds, type FinishedCall } from '#main/outbound/finished-call.ts'
import { type RefusedCall, refusalKinds } from '#main/outbound/refused-call.ts'
import type {
  OccurrenceBounds,
  OccurrenceSummary,
  StoredOccurrence,
} from '#main/storage/occurrence-storage.ts'
import { type FailedRun, runKinds } from '#main/workflows/failed-run.ts'
import { type Notified, workflowKinds } from '#main/workflows/notified.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import { type AlertClosed, type AlertOpened, alertOccurrenceKinds } from './alert-occurrence.ts'

/** One thing that happened: an immutable record with an id, a kind and what was known at that time. */
export type Occurrence =
  | InboundOccurrence
  | FinishedCall
  | RefusedCall
  | Notified
  | FailedRun
  | AlertOpened
  | AlertClosed

/** Every kind of occurrence, and so every type of item in the activity. */
export const kinds = {
  ...inboundKinds,
  ...callKinds,
  ...refusalKinds,
  ...workflowKinds,
  ...runKinds,
  ...alertOccurrenceKinds,
} satisfies KindsOf<Occurrence> & ShownKinds

/** An item that has a row of its own. */
export type RowItem = Exclude<ActivityItem, { type: 'event.diagnosed' | 'activity.missed' }>

type ShownKinds = Readonly<Record<Exclude<ActivityItem['type'], 'activity.missed'>, object>>
type Name = Occurrence['kind']
/** The kinds that are stored. */
export type StoredKind = { [N in Name]: (typeof kinds)[N]['stored'] extends null ? never : N }[Name]

const byName: Readonly<Record<Name, Kind<Occurrence>>> = kinds

/** Returns the entry of an occurrence's kind. */
export function kindOf({ kind }: { readonly kind: Name }): Kind<Occurrence> {
  return byName[kind]
}

function storedKinds(): Stored<Occurrence>[] {
  return Object.values(byName).flatMap(({ stored }) => stored ?? [])
}

/** The bounds of the storage, by the kinds' names there. */
export const storageBounds: Readonly<Record<string, OccurrenceBounds>> = Object.fromEntries(
  storedKinds().map(({ name, most, maxAgeMs, searched }) => [name, { most, maxAgeMs, searched }]),
)

/** Returns the occurrence of a stored record; null if it cannot be read. */
export function recalled(record: OccurrenceSummary): Occurrence | null {
  return (
    storedKinds()
      .find(({ name }) => name === record.kind)
      ?.fromSummary(record) ?? null
  )
}

/** Returns an occurrence as the storage has it, without what is not stored of it; null if it is not stored. */
export function asStored(occurrence: Occurrence): Occurrence | null {
  switch (occurrence.kind) {
    case 'event.accepted':
    case 'event.replayed':
      return occurrence.stored ? occurrence : null
    case 'event.diagnosed':
      return occurrence
    default:
      return hasStoredKind(occurrence) ? recalled(toStored(occurrence, '{}')) : null
  }
}

function hasStoredKind(
  occurrence: Occurrence,
): occurrence is Extract<Occurrence, { readonly kind: StoredKind }> {
  return kindOf(occurrence).stored !== null
}

/** Returns the number in the id of an occurrence of this kind; null for any other text. */
export function numberIn(kind: Name, id: string): number | null {
  return numberOfId(kinds[kind].prefix, id)
}

/**
 * Returns an occurrence as it is stored, under the number of its id.
 *
 * @param details JSON: what lists do not show. @param finding JSON: what was found later.
 */
export function toStored(
  occurrence: Extract<Occurrence, { readonly kind: StoredKind }>,
  details: string,
  finding: string | null = null,
): StoredOccurrence {
  const { kind, id, connectionId, at } = occurrence
  const stored: Stored<Occurrence> = kinds[kind].stored
  const number = numberIn(kind, id) ?? 0
  return {
    number,
    kind: stored.name,
    connectionId,
    subject: stored.subjectOf(occurrence),
    at,
    summary: JSON.stringify(stored.summaryOf(occurrence)),
    details,
    finding,
  }
}
