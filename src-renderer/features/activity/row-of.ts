import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import type { CallSource } from '#shared/model/call.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { rejectionTitle } from '../../ui/rejection-title.ts'
import { type Entry, type Gap, type LiveEvent, type StoredEntry, timeOf } from './entry.ts'
import { readEventText } from './event-text.ts'

/** The content of a row. */
export type Row = {
  readonly channel: 'inbound' | 'outbound'
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
}

type RowFacts = {
  /** Names of the declared event types; null until they are loaded. */
  readonly declared: ReadonlySet<string> | null
  /** The request of a rejection, if it is kept. */
  readonly attempt: Attempt | undefined
}
type EntryKind<Of extends Entry> = {
  readonly channel: Row['channel']
  readonly isRejection: boolean
  /** A method, since TypeScript compares its parameters both ways: see `kindOf`. */
  row(entry: Of, facts: RowFacts): Omit<Row, 'channel' | 'at'>
}
type RowEntry = Exclude<Entry, Gap>

const event: EntryKind<LiveEvent | StoredEntry> = {
  channel: 'inbound',
  isRejection: false,
  row(entry, { declared }) {
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
    return { isBad: false, title: entry.eventName, isName: true, status: 200, code: null, details, ms }
  },
}

function rejectionRow(code: string, diagnosis: Diagnosis | null, ms: number | null) {
  return {
    isBad: true,
    title: rejectionTitle(code, diagnosis?.code ?? null),
    isName: false,
    status: statusOf(code),
    code: null,
    details: [{ text: 'Rejected' }, { text: code }],
    ms,
  }
}

/** How the list shows each type of entry. */
const kinds: { readonly [Type in RowEntry['type']]: EntryKind<Extract<RowEntry, { type: Type }>> } = {
  'event.accepted': event,
  'event.repeated': event,
  'event.replayed': event,
  'event.stored': event,
  'event.rejected': {
    channel: 'inbound',
    isRejection: true,
    // The attempt may have been diagnosed later.
    row: ({ code, diagnosis, tookMs }, { attempt }) =>
      rejectionRow(code, attempt?.diagnosis ?? diagnosis, tookMs),
  },
  attempt: {
    channel: 'inbound',
    isRejection: true,
    row: ({ attempt: { code, diagnosis } }) => rejectionRow(code, diagnosis, null),
  },
  'call.finished': {
    channel: 'outbound',
    isRejection: false,
    row: ({ toolName, status, code, totalMs, source, ok }) => ({
      isBad: !ok,
      title: toolName,
      isName: true,
      status,
      code,
      details: [{ text: sourceWords[source] }],
      ms: totalMs,
    }),
  },
}

/** Returns how an entry of this type is shown. */
export function kindOf({ type }: RowEntry): EntryKind<RowEntry> {
  return kinds[type]
}

export function rowOf(entry: RowEntry, declared: ReadonlySet<string> | null, attempt?: Attempt): Row {
  const kind = kindOf(entry)
  return { channel: kind.channel, at: timeOf(entry), ...kind.row(entry, { declared, attempt }) }
}

/** Returns the status that the sender got for a refusal. */
export function statusOf(code: string): number {
  return inboundErrorOf(code)?.status ?? 400
}
