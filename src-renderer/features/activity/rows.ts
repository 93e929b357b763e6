import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import type { CallSource } from '#shared/model/call.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { readEventText } from '../../entities/event/event-text.ts'
import { rejectionTitle } from '../../entities/snippet/explanations.ts'
import type { Call, LiveEvent, Notification, RefusedCall, StoredEntry } from './entry.ts'

/** The content of a row. */
export type Row = {
  /** Null if it belongs to neither. */
  readonly channel: 'inbound' | 'outbound' | null
  readonly isBad: boolean
  readonly title: string
  /** Whether the title is an identifier. */
  readonly isName: boolean
  readonly status: number | null
  /** Instead of a status. */
  readonly code: string | null
  readonly details: readonly { readonly text: string; readonly isWarning?: boolean }[]
  readonly at: string
  /** Null if it was not measured. */
  readonly ms: number | null
}

export const sourceWords: Readonly<Record<CallSource, string>> = {
  test: 'Test panel',
  workflow: 'Workflow',
  cli: 'Command line',
  mcp: 'MCP client',
  conversation: 'Conversation',
}

/** Facts that a row takes from outside its entry. */
export type RowFacts = {
  /** Names of the declared event types; null until they are loaded. */
  readonly declared: ReadonlySet<string> | null
  /** The request of a rejection, if it is kept. */
  readonly attempt: Attempt | undefined
}
/** A row before its kind adds the channel and the time. */
export type RowContent = Omit<Row, 'channel' | 'at'>

/** Defaults of the fields that most rows do not have. */
export const plainRow = { isBad: false, isName: false, status: null, code: null, ms: null } as const

/** Returns the row of an event. */
export function eventRow(
  entry: LiveEvent | StoredEntry,
  { declared }: Pick<RowFacts, 'declared'>,
): RowContent {
  const field = entry.type === 'event.stored' ? entry.field : (readEventText(entry.bodyText)?.field ?? null)
  const isReplay = 'replayOf' in entry && entry.replayOf !== null
  const isRepeat = 'repeat' in entry && entry.repeat
  const isUndeclared = declared !== null && !declared.has(entry.eventName)
  const isOldSecret = entry.type === 'event.accepted' && entry.previousSecret
  const details = [
    ...(field === null ? [] : [{ text: field }]),
    ...(isUndeclared ? [{ text: 'Not declared', isWarning: true }] : []),
    ...(isReplay ? [{ text: 'replay' }] : []),
    ...(isRepeat ? [{ text: 'repeat' }] : []),
    ...(entry.type === 'event.repeated' ? [{ text: 'repeat, ignored' }] : []),
    ...(isOldSecret ? [{ text: 'old secret', isWarning: true }] : []),
  ]
  const ms = entry.type === 'event.stored' ? null : entry.tookMs
  return { ...plainRow, title: entry.eventName, isName: true, status: 200, details, ms }
}

/** Returns the row of a refused request. */
export function rejectionRow(code: string, diagnosis: Diagnosis | null, ms: number | null): RowContent {
  const title = rejectionTitle(code, diagnosis?.code ?? null)
  const details = [{ text: 'Rejected' }, { text: code }]
  return { ...plainRow, isBad: true, title, status: statusOf(code), details, ms }
}

/** Returns the row of a call. */
export function callRow({ status, totalMs, ok, ...call }: Call): RowContent {
  return { ...refusedCallRow(call), isBad: !ok, status, ms: totalMs }
}

/** Returns the row of a tool call that was refused. */
export function refusedCallRow(
  call: Pick<Call | RefusedCall, 'toolName' | 'code' | 'source' | 'client'>,
): RowContent {
  const { toolName, code, source, client } = call
  const details = [{ text: client?.name ?? sourceWords[source] }]
  return { ...plainRow, isBad: true, title: toolName, isName: true, code, details }
}

/** Returns the row of a workflow's message. */
export function notificationRow({ message }: Notification): RowContent {
  return { ...plainRow, title: message ?? 'A message that is not stored', details: [{ text: 'Workflow' }] }
}

/** Returns the status that the sender got for a refusal. */
export function statusOf(code: string): number {
  return inboundErrorOf(code)?.status ?? 400
}
