import { eventIdOf } from '#main/lib/sequence.ts'
import type { ClaimedRun } from '#main/storage/runs.ts'
import { fromStored, integer } from '../../rows/stored-text.ts'
import type { FanOutRow, Held } from './fan-outs.ts'

/** The fields that claimed runs of a fan-out share, and the number and workflow of each. */
export type ClaimedPending = {
  readonly shared: Omit<ClaimedRun, 'runId' | 'workflowId' | 'lane'>
  readonly runs: [id: number, workflowId: string][]
}

/** A pending run that has ended; its state by `endStates`. */
export type PendingEnd = [
  id: number,
  state: number,
  endedAt: number,
  error: string | null,
  steps: string,
  discard: boolean,
]

/** @throws StoredValueError for values that no fan-out has. */
export function sharedOf(
  row: FanOutRow,
  { startedAt, leaseEndsAt }: Pick<Held, 'startedAt' | 'leaseEndsAt'>,
): ClaimedPending['shared'] {
  return {
    workspaceId: fromStored(row.workspace),
    connectionId: fromStored(row.connection) || null,
    eventId: row.event === null ? null : eventIdOf(integer(row.event)),
    state: 'running',
    dueAt: leaseEndsAt,
    claimNumber: 1,
    queuedAt: integer(row.queued_at),
    startedAt,
    endedAt: null,
    error: null,
    summary: fromStored(row.summary),
    data: fromStored(row.data),
    isPending: true,
  }
}
