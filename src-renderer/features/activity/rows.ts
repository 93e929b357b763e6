import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { ListedOccurrence, OccurrenceType } from '#shared/model/activity.ts'
import { sourceWords } from '../../entities/occurrence/source-words.ts'
import { runLabel } from '../../entities/run/run-labels.ts'
import { rejectionTitle } from '../../entities/snippet/explanations.ts'
import { formatCount } from '../../ui/format.ts'

export type ItemOf<Type extends OccurrenceType> = Extract<ListedOccurrence, { type: Type }>
export type EventItem = ItemOf<'event.accepted' | 'event.repeated' | 'event.replayed'>
export type Rejection = ItemOf<'event.rejected'>
export type Call = ItemOf<'call.finished'>
export type RefusedCall = ItemOf<'call.refused'>
export type Notification = ItemOf<'workflow.notified'>
export type FailedRun = ItemOf<'run.failed'>

/** The content of a row. */
export type Row = {
  readonly isBad: boolean
  readonly title: string
  /** Whether the title is an identifier. */
  readonly isName: boolean
  readonly status: number | null
  /** Instead of a status. */
  readonly code: string | null
  readonly details: readonly { readonly text: string; readonly isWarning?: boolean }[]
  /** Null if it was not measured. */
  readonly ms: number | null
}

/** Defaults of the fields that most rows do not have. */
const plainRow = { isBad: false, isName: false, status: null, code: null, ms: null } as const

/** Returns the row of an event. */
export function eventRow(event: EventItem): Row {
  const { eventName, subject, declared, tookMs } = event
  const details = [
    ...(subject === null ? [] : [{ text: subject }]),
    ...(declared ? [] : [{ text: 'Not declared', isWarning: true }]),
    ...(event.type === 'event.replayed' ? [{ text: 'replay' }] : []),
    ...(event.type === 'event.repeated' ? [{ text: repeatWords(event.redelivery) }] : []),
    ...(event.type === 'event.accepted' && event.repeat ? [{ text: 'repeat' }] : []),
    ...(event.type === 'event.accepted' && event.duplicateOf !== null ? [{ text: 'duplicate' }] : []),
    ...(event.type === 'event.accepted' && event.previousSecret
      ? [{ text: 'old secret', isWarning: true }]
      : []),
  ]
  return { ...plainRow, title: eventName, isName: true, status: 200, details, ms: tookMs }
}

type Redelivery = ItemOf<'event.repeated'>['redelivery']

/** Returns what a repeat has done. */
function repeatWords(redelivery: Redelivery): string {
  if (redelivery === undefined) return 'repeat, ignored'
  const { runs } = redelivery
  return runs === 0 ? 'redelivery, nothing to start again' : `redelivery, started ${formatCount(runs, 'run')}`
}

/** Returns the row of a refused request. */
export function rejectionRow({ code, diagnosis, tookMs }: Rejection): Row {
  const title = rejectionTitle(code, diagnosis?.code ?? null)
  const details = [{ text: 'Rejected' }, { text: code }]
  return { ...plainRow, isBad: true, title, status: statusOf(code), details, ms: tookMs }
}

/** Returns the row of a call. */
export function callRow({ status, totalMs, ok, ...call }: Call): Row {
  // Most calls of a check must be refused.
  return { ...refusedCallRow(call), isBad: !ok && call.source !== 'check', status, ms: totalMs }
}

/** Returns the row of a tool call that was refused. */
export function refusedCallRow(
  call: Pick<Call | RefusedCall, 'toolName' | 'code' | 'source' | 'client'>,
): Row {
  const { toolName, code, source, client } = call
  const details = [{ text: client?.name ?? sourceWords[source] }]
  return { ...plainRow, isBad: true, title: toolName, isName: true, code, details }
}

/** Returns the row of a workflow's message. */
export function notificationRow({ message }: Notification): Row {
  return { ...plainRow, title: message ?? 'A message that is not stored', details: [{ text: 'Workflow' }] }
}

/** Returns the row of a failed run. */
export function failedRunRow({ workflowName, code, subject, event, test }: FailedRun): Row {
  const why = runLabel({ status: 'failed', error: { code, message: '' } })
  const details = [{ text: why }, { text: subject ?? event.eventName }, ...(test ? [{ text: 'test' }] : [])]
  return { ...plainRow, isBad: true, title: workflowName, details }
}

/** Returns the status that the sender got for a refusal. */
export function statusOf(code: string): number {
  return inboundErrorOf(code)?.status ?? 400
}

/** Returns the row of an alert that has opened or closed. */
export function alertRow({ type, message }: ItemOf<'alert.opened' | 'alert.closed'>): Row {
  const hasOpened = type === 'alert.opened'
  const details = [{ text: message }]
  return { ...plainRow, isBad: hasOpened, title: hasOpened ? 'Alert' : 'Alert over', details }
}
