import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { OccurrenceGroup } from '#shared/model/activity.ts'
import { statusReason } from '../../entities/action/status-reason.ts'
import { errorLabel } from '../../entities/run/run-labels.ts'
import { explanations, rejectionTitle } from '../../entities/snippet/explanations.ts'

type Cause = Pick<OccurrenceGroup, 'kind' | 'cause'>

/** Returns what has failed, in a few words. */
export function groupTitle({ kind, cause }: Cause): string {
  switch (kind) {
    case 'event.rejected':
      // A cause is the diagnosis, if there is one.
      return cause === 'unknown' ? explanations.unknown.title : rejectionTitle(cause, cause)
    case 'call.finished':
    case 'call.refused':
      return statusIn(cause) === null ? cause : `Answered ${answerWords(cause)}`
    case 'run.failed':
      return statusIn(cause) === null ? `Run ended with ${cause}` : `Run ended with ${answerWords(cause)}`
  }
}

/** Returns the status that the sender or the service has got; null for none. */
export function groupStatus({ kind, cause }: Cause): number | null {
  // The diagnoses are those of wrong signatures and timestamps.
  return kind === 'event.rejected' ? (inboundErrorOf(cause)?.status ?? 401) : statusIn(cause)
}

/** The kinds of groups: one of their items. */
export const groupNouns: Readonly<Record<OccurrenceGroup['kind'], string>> = {
  'event.rejected': 'Rejected',
  'call.finished': 'Failed calls',
  'call.refused': 'Refused calls',
  'run.failed': 'Failed runs',
}

const statusIn = (cause: string): number | null =>
  cause.startsWith('http_') ? Number(errorLabel(cause)) : null

function answerWords(cause: string): string {
  const status = statusIn(cause)
  return [errorLabel(cause), status === null ? null : statusReason(status)].filter(Boolean).join(', ')
}
