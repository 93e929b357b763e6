import { ArrowDownLeft, ArrowUpRight, Bell, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import { refusalErrors } from '#shared/errors/assistant.ts'
import {
  type ListEnd,
  type ListedOccurrence,
  type OccurrenceCounts,
  type OccurrenceType,
  occurrenceTypes,
} from '#shared/model/activity.ts'
import { sourceWords } from '../../entities/occurrence/source-words.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import type { Hints } from '../../ui/page.tsx'
import type { Show } from './filters.ts'
import {
  alertRow,
  callRow,
  type EventItem,
  eventRow,
  failedRunRow,
  type ItemOf,
  notificationRow,
  type RefusedCall,
  type Row,
  refusedCallRow,
  rejectionRow,
} from './rows.ts'

/** Its functions are methods, because TypeScript compares the parameters of methods in both directions. */
type ItemKind<Of extends ListedOccurrence> = {
  /** The filters that show it, first the channel that it belongs to. */
  readonly shows: readonly Show[]
  readonly icon: LucideIcon
  /** Several of them: “10,000 events”. */
  readonly plural: string
  row(item: Of): Row
  /** Returns the shortcuts to show while its details are open. */
  hints(item: Of): Hints
  /** Returns what `PlainDetail` shows; by default the texts of the row. */
  facts?(item: Of): PlainFacts
}

/** The details of an item whose type has no component of its own. */
type PlainFacts = {
  readonly text: string
  /** Names and values. */
  readonly list: readonly (readonly [name: string, value: string])[]
}

const follow: Hints = { f: 'follow newest' }
const select: Hints = { updown: 'select' }
/** The shortcuts of the list of all connections. */
export const pageHints: Hints = { ...select, space: 'check', ...follow, '/': 'search' }
/** The shortcuts of the list. */
export const listHints: Hints = { ...select, ...follow, '/': 'search' }
const edit: Hints = { e: 'edit and send', d: 'compare' }

const event: ItemKind<EventItem> = {
  shows: ['inbound'],
  icon: ArrowDownLeft,
  plural: 'events',
  row: eventRow,
  hints: item =>
    item.type !== 'event.repeated' && item.stored
      ? { ...select, r: 'replay', ...edit, backspace: 'delete' }
      : { ...select, ...edit, ...follow },
}
const outbound = { shows: ['outbound'], icon: ArrowUpRight, hints: () => listHints } as const

const alert = { shows: [], icon: TriangleAlert, hints: () => listHints } as const

/** How the activity shows each type of item: its row and its shortcuts. */
const kinds: { readonly [Type in OccurrenceType]: ItemKind<ItemOf<Type>> } = {
  'event.accepted': event,
  'event.repeated': event,
  'event.replayed': event,
  'event.rejected': {
    shows: ['inbound', 'rejected'],
    icon: ArrowDownLeft,
    plural: 'refused requests',
    row: rejectionRow,
    hints: () => ({ ...listHints, c: 'copy for the sender' }),
  },
  'call.finished': { ...outbound, plural: 'calls', row: callRow },
  'call.refused': { ...outbound, plural: 'refused calls', row: refusedCallRow, facts: refusedCallFacts },
  'workflow.notified': {
    shows: [],
    icon: Bell,
    plural: 'messages of workflows',
    row: notificationRow,
    hints: () => listHints,
  },
  'run.failed': {
    shows: [],
    icon: CircleX,
    plural: 'failed runs',
    row: failedRunRow,
    hints: () => listHints,
  },
  'alert.opened': { ...alert, plural: 'alerts', row: alertRow },
  'alert.closed': { ...alert, plural: 'ends of alerts', row: alertRow },
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

/** Returns how an item of this type is shown. */
export function kindOf({ type }: Pick<ListedOccurrence, 'type'>): ItemKind<ListedOccurrence> {
  return kinds[type]
}

/** Returns what the details show of an item whose type has no component of its own. */
export function plainFacts(item: ListedOccurrence): PlainFacts {
  const kind = kindOf(item)
  const texts = () => kind.row(item).details.map(({ text }) => text)
  return kind.facts?.(item) ?? { text: texts().join(' · '), list: [] }
}

/** Returns the `kinds` that a filter shows; undefined for all. */
export function kindsOf(show: Show | undefined): string | undefined {
  return show && occurrenceTypes.filter(type => kinds[type].shows.includes(show)).join()
}

/** How many items each filter shows. */
export type ShownCounts = Readonly<Record<Show | 'all', number>>

/** Returns how many items each filter shows. */
export function countsOf({ total, byKind }: OccurrenceCounts): ShownCounts {
  const of = (show: Show) =>
    occurrenceTypes.reduce(
      (sum, type) => sum + (kinds[type].shows.includes(show) ? (byKind[type] ?? 0) : 0),
      0,
    )
  return { all: total, inbound: of('inbound'), outbound: of('outbound'), rejected: of('rejected') }
}

/** Returns why nothing older follows. @param isNarrowed whether a filter leaves some out. */
export function endWords({ reason, kept = [] }: ListEnd, isNarrowed: boolean): string {
  if (reason === 'start') return isNarrowed ? 'No older ones match.' : 'Nothing has happened before.'
  if (reason === 'memory') return 'Older ones may have been in memory only.'
  const limits = kept.map(({ kinds: [first], days, count }) => {
    const what = first === undefined ? '' : kinds[first].plural
    return `${what} for ${formatCount(days, 'day')} or ${formatNumber(count)}`
  })
  return `Older ones are not kept: ${limits.join(', ')}.`
}
