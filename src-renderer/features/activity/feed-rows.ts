import type { ListedOccurrence, OccurrenceGroup, OccurrenceType } from '#shared/model/activity.ts'
import { formatDay, formatWeekday } from '../../ui/format.ts'

/** A row of the feed: something that happened, or what has failed for one cause. */
export type FeedRow = ListedOccurrence | GroupRow
export type GroupRow = { readonly type: 'group'; readonly id: string; readonly group: OccurrenceGroup }

export const isGroup = (row: FeedRow): row is GroupRow => row.type === 'group'

/** The types that are one row a cause, as long as nothing is searched for. Failed calls are among the other calls too. */
export const foldedTypes: ReadonlySet<OccurrenceType> = new Set<OccurrenceType>([
  'event.rejected',
  'call.refused',
  'run.failed',
])

/** The most groups that are rows; the filter by cause has the others. */
export const mostGroupRows = 6

/** Returns the rows of groups. Their ids stay while more of the same happens. */
export const groupRows = (groups: readonly OccurrenceGroup[]): readonly GroupRow[] =>
  groups.slice(0, mostGroupRows).map(group => ({
    type: 'group',
    id: ['group', group.kind, group.connectionId ?? '', group.cause].join('~'),
    group,
  }))

const days = new WeakMap<FeedRow, string>()
let lastDay = ''

/** Returns the section of a row: that of the groups, or its day. */
export function sectionOf(row: FeedRow): string {
  if (isGroup(row)) return 'groups'
  const known = days.get(row)
  if (known !== undefined) return known
  const made = new Date(row.at).toDateString()
  // A list may have a hundred thousand rows, which share one text.
  const day = made === lastDay ? lastDay : made
  lastDay = day
  days.set(row, day)
  return day
}

/** Returns a day as a heading: “Today”, “Sat 21 Nov”. */
export function dayWords(at: string, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? 'Today' : `${formatWeekday(at)} ${formatDay(at)}`
}
