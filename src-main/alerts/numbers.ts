import type { ConnectionRecord, WorkflowRecord } from '#main/storage/config.ts'
import type { Compared, Measured } from '#main/storage/measured.ts'
import type { ConnectionThresholds, ServiceWatch } from '#shared/model/alert.ts'
import type { LastHour } from '#shared/model/connection-status.ts'

/** The numbers of a connection, for its rules. Times are in milliseconds since 1970. */
export type ConnectionNumbers = {
  readonly connection: Pick<ConnectionRecord, 'name' | 'enabled'>
  readonly thresholds: ConnectionThresholds
  /** The last hour. */
  readonly recent: Omit<LastHour, 'callsNotMade' | 'runs'>
  readonly measured: Pick<Measured, 'offsetsMs'>
  /** Since when nothing was accepted while the service was up; null if nothing ever was. */
  readonly silentSince: number | null
  /** When a replaced secret was used last; 0 if none was. */
  readonly oldSecretAt: number
  /** When replaced secrets stop being accepted. */
  readonly graceEnds: readonly number[]
}

/** The numbers of an event name of a connection. */
export type PayloadNumbers = {
  readonly connection: Pick<ConnectionRecord, 'name' | 'enabled' | 'persistEvents'>
  readonly thresholds: ConnectionThresholds
  readonly compared: Compared
  /** Returns the ids of the workflows that read a field that differs. */
  readonly workflows: () => readonly string[]
}

export type WorkflowNumbers = {
  readonly workflow: Pick<WorkflowRecord, 'name' | 'enabled'>
  readonly thresholds: ServiceWatch
  readonly failedLastHour: number
  /** Since when a run is due that has not begun; null for none. */
  readonly dueSince: number | null
}

export type NodeNumbers = {
  readonly name: string
  readonly thresholds: ServiceWatch
  readonly isLost: boolean
  readonly silentMs: number
  /** Bytes of the disk with its data folder; null if they are not known. */
  readonly disk: { readonly free: number; readonly size: number } | null
  readonly certificateEndsAt: number | null
}

export type BackupNumbers = {
  readonly thresholds: ServiceWatch
  /** When the newest good backup was made; null if there is none. */
  readonly newestAt: number | null
  /** Since when there should be one by the schedule; null without a schedule. */
  readonly expectedSince: number | null
}
