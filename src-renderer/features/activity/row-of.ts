import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import type { CallSource } from '#shared/model/call.ts'
import { rejectionTitle } from '../../ui/rejection-title.ts'
import { type Entry, type Gap, isLiveEvent, timeOf } from './entry.ts'
import { readEventText } from './event-text.ts'

/** What a row of the feed says. */
export type Row = {
  readonly channel: 'inbound' | 'outbound'
  readonly isBad: boolean
  readonly title: string
  /** Whether the title is a name that machines read. */
  readonly isName: boolean
  readonly status: number | null
  /** Instead of a status. */
  readonly code: string | null
  readonly details: readonly { readonly text: string; readonly isWarning?: boolean }[]
  readonly at: string
  /** Null where it was not measured. */
  readonly ms: number | null
}

export const sourceWords: Readonly<Record<CallSource, string>> = {
  test: 'Test panel',
  cli: 'Command line',
}

/** @param declared names of the declared event types; null until they are known. */
export function rowOf(
  entry: Exclude<Entry, Gap>,
  declared: ReadonlySet<string> | null,
  attempt?: Attempt,
): Row {
  const at = timeOf(entry)
  if (entry.type === 'call.finished') {
    const { toolName, status, code, totalMs, source, ok } = entry
    const details = [{ text: sourceWords[source] }]
    return {
      channel: 'outbound',
      isBad: !ok,
      title: toolName,
      isName: true,
      status,
      code,
      details,
      at,
      ms: totalMs,
    }
  }
  if (entry.type === 'attempt' || entry.type === 'event.rejected') {
    const { code, diagnosis } = entry.type === 'attempt' ? entry.attempt : (attempt ?? entry)
    const title = rejectionTitle(
      code,
      (diagnosis ?? (entry.type === 'attempt' ? null : entry.diagnosis))?.code ?? null,
    )
    return {
      channel: 'inbound',
      isBad: true,
      title,
      isName: false,
      status: statusOf(code),
      code: null,
      details: [{ text: 'Rejected' }, { text: code }],
      at,
      ms: entry.type === 'attempt' ? null : entry.tookMs,
    }
  }
  const field = entry.type === 'event.stored' ? entry.field : (readEventText(entry.bodyText)?.field ?? null)
  const isReplay =
    entry.type === 'event.replayed' || (entry.type === 'event.stored' && entry.replayOf !== null)
  const isRepeat = (entry.type === 'event.accepted' || entry.type === 'event.stored') && entry.repeat
  const details = [
    ...(field === null ? [] : [{ text: field }]),
    ...(declared === null || declared.has(entry.eventName)
      ? []
      : [{ text: 'Not declared', isWarning: true }]),
    ...(isReplay ? [{ text: 'replay' }] : []),
    ...(isRepeat ? [{ text: 'repeat' }] : []),
    ...(entry.type === 'event.repeated' ? [{ text: 'repeat, ignored' }] : []),
    ...(entry.type === 'event.accepted' && entry.previousSecret
      ? [{ text: 'old secret', isWarning: true }]
      : []),
  ]
  return {
    channel: 'inbound',
    isBad: false,
    title: entry.eventName,
    isName: true,
    status: 200,
    code: null,
    details,
    at,
    ms: isLiveEvent(entry) ? entry.tookMs : null,
  }
}

/** What a refusal of this code was answered with. */
export function statusOf(code: string): number {
  return inboundErrorOf(code)?.status ?? 400
}
