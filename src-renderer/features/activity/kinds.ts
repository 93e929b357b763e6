import { ArrowDownLeft, ArrowUpRight, Bell, Info, type LucideIcon } from 'lucide-react'
import type { Attempt } from '#shared/model/attempt.ts'
import { formatCount } from '../../ui/format.ts'
import type { Hints } from '../../ui/page.tsx'
import {
  type Call,
  type Entry,
  isLiveEvent,
  type LiveEvent,
  type Notification,
  type RefusedCall,
  type StoredEntry,
  timeOf,
} from './entry.ts'
import type { ShownRejection } from './rejection-story.ts'
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
} from './rows.ts'
import { mayBeStored } from './shown-event.ts'

/** The view of an entry’s details, and the values that it shows. `activity-tab.tsx` has the component of each view. */
export type Detail =
  | { readonly view: 'event'; readonly eventId: string; readonly live: LiveEvent | null }
  | { readonly view: 'rejection'; readonly rejection: ShownRejection }
  | { readonly view: 'call'; readonly call: Call }
  | { readonly view: 'refused call'; readonly refused: RefusedCall }
  | { readonly view: 'notification'; readonly notification: Notification }
  | { readonly view: 'gap'; readonly count: number }

/** Methods, since TypeScript compares their parameters both ways: see `kindOf`. */
type EntryKind<Of extends Entry> = {
  /** The filter that shows it, besides “All”. */
  readonly channel: Row['channel']
  readonly icon: LucideIcon
  readonly isRejection: boolean
  row(entry: Of, facts: RowFacts): RowContent
  detail(entry: Of): Detail
  /** Returns the shortcuts to show while its details are open. */
  hints(entry: Of): Hints
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
  detail: entry => ({ view: 'event', eventId: entry.eventId, live: isLiveEvent(entry) ? entry : null }),
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

/** How the activity shows each type of entry: its row, its details and its shortcuts. */
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
    detail: entry => ({ view: 'rejection', rejection: entry }),
  },
  attempt: {
    ...rejection,
    row: ({ attempt: { code, diagnosis } }) => rejectionRow(code, diagnosis, null),
    detail: ({ attempt }) => ({ view: 'rejection', rejection: { ...attempt, bytes: null } }),
  },
  'call.finished': {
    ...outbound,
    row: callRow,
    detail: entry => ({ view: 'call', call: entry }),
  },
  'call.refused': {
    ...outbound,
    row: refusedCallRow,
    detail: entry => ({ view: 'refused call', refused: entry }),
  },
  'workflow.notified': {
    ...other,
    icon: Bell,
    row: notificationRow,
    detail: entry => ({ view: 'notification', notification: entry }),
  },
  'activity.missed': {
    ...other,
    icon: Info,
    row: ({ count }) => ({
      ...plainRow,
      title: `${formatCount(count, 'item')} missed`,
      details: [{ text: 'They arrived faster than this page could read.' }],
    }),
    detail: ({ count }) => ({ view: 'gap', count }),
  },
}

/** Returns how an entry of this type is shown. */
export function kindOf({ type }: Entry): EntryKind<Entry> {
  return kinds[type]
}

/** Returns the row of an entry. @param declared names of the declared event types; null until they are loaded. */
export function rowOf(entry: Entry, declared: ReadonlySet<string> | null, attempt?: Attempt): Row {
  const kind = kindOf(entry)
  return { channel: kind.channel, at: timeOf(entry), ...kind.row(entry, { declared, attempt }) }
}
