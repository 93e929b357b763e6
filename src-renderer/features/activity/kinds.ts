import { ArrowDownLeft, ArrowUpRight, Bell, Info, type LucideIcon } from 'lucide-react'
import { refusalErrors } from '#shared/errors/assistant.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import { formatCount } from '../../ui/format.ts'
import type { Hints } from '../../ui/page.tsx'
import { type Entry, type LiveEvent, type RefusedCall, type StoredEntry, timeOf } from './entry.ts'
import {
  callRow,
  eventRow,
  notificationRow,
  plainRow,
  type Row,
  type RowContent,
  type RowFacts,
  refusedCallRow,
  rejectionRow,
  sourceWords,
} from './rows.ts'
import { mayBeStored } from './shown-event.ts'

/** Its functions are methods, because TypeScript compares the parameters of methods in both directions. */
type EntryKind<Of extends Entry> = {
  /** The filter that shows it, besides “All”. */
  readonly channel: Row['channel']
  readonly icon: LucideIcon
  readonly isRejection: boolean
  row(entry: Of, facts: RowFacts): RowContent
  /** Returns the shortcuts to show while its details are open. */
  hints(entry: Of): Hints
  /** Returns what `PlainDetail` shows; by default the texts of the row. */
  facts?(entry: Of): PlainFacts
}

/** The details of an entry whose type has no component of its own. */
type PlainFacts = {
  readonly text: string
  /** Names and values. */
  readonly list: readonly (readonly [name: string, value: string])[]
}

const follow: Hints = { f: 'follow newest' }
const select: Hints = { updown: 'select' }
/** The shortcuts of the list. */
export const listHints: Hints = { ...select, ...follow, '/': 'search' }
const edit: Hints = { e: 'edit and send', d: 'compare' }
/** The shortcuts of a stored event. */
export const storedEventHints: Hints = { ...select, r: 'replay', ...edit, backspace: 'delete' }

const inbound = { channel: 'inbound', icon: ArrowDownLeft, isRejection: false } as const
const outbound = {
  channel: 'outbound',
  icon: ArrowUpRight,
  isRejection: false,
  hints: () => listHints,
} as const
const other = { channel: null, isRejection: false, hints: () => listHints } as const

const event: EntryKind<LiveEvent | StoredEntry> = {
  ...inbound,
  row: eventRow,
  hints: entry =>
    entry.type === 'event.stored' || mayBeStored(entry)
      ? storedEventHints
      : { ...select, ...edit, ...follow },
}

const rejection = {
  ...inbound,
  isRejection: true,
  hints: () => ({ ...listHints, c: 'copy for the sender' }),
} as const

/** How the activity shows each type of entry: its row and its shortcuts. */
const kinds: { readonly [Type in Entry['type']]: EntryKind<Extract<Entry, { type: Type }>> } = {
  'event.accepted': event,
  'event.repeated': event,
  'event.replayed': event,
  'event.stored': event,
  'event.rejected': {
    ...rejection,
    // The attempt may have been diagnosed later.
    row: ({ code, diagnosis, tookMs }, { attempt }) =>
      rejectionRow(code, attempt?.diagnosis ?? diagnosis, tookMs),
  },
  attempt: {
    ...rejection,
    row: ({ attempt: { code, diagnosis } }) => rejectionRow(code, diagnosis, null),
  },
  'call.finished': { ...outbound, row: callRow },
  'call.refused': { ...outbound, row: refusedCallRow, facts: refusedCallFacts },
  'workflow.notified': { ...other, icon: Bell, row: notificationRow },
  'activity.missed': {
    ...other,
    icon: Info,
    row: ({ count }) => ({
      ...plainRow,
      title: `${formatCount(count, 'item')} missed`,
      details: [{ text: 'They arrived faster than this page could read.' }],
    }),
  },
}

function refusedCallFacts({ code, source, client }: RefusedCall): PlainFacts {
  const sentences: Readonly<Record<string, string>> = refusalErrors
  const text = `${sentences[code] ?? code} Nothing was sent.`
  const list = [['Source', sourceWords[source]]] as const
  if (client === null) return { text, list }
  const { name, tokenName } = client
  const ofClient = [
    ['Client', name ?? 'without a name'],
    ['Token', tokenName ?? 'admin token'],
  ] as const
  return { text, list: [...list, ...ofClient] }
}

/** Returns how an entry of this type is shown. */
export function kindOf({ type }: Entry): EntryKind<Entry> {
  return kinds[type]
}

/** Returns what the details show of an entry whose type has no component of its own. */
export function plainFacts(entry: Entry): PlainFacts {
  const texts = () => rowOf(entry, null).details.map(({ text }) => text)
  return kindOf(entry).facts?.(entry) ?? { text: texts().join(' · '), list: [] }
}

/** Returns the row of an entry. @param declared names of the declared event types; null until they are loaded. */
export function rowOf(entry: Entry, declared: ReadonlySet<string> | null, attempt?: Attempt): Row {
  const kind = kindOf(entry)
  return { channel: kind.channel, at: timeOf(entry), ...kind.row(entry, { declared, attempt }) }
}
