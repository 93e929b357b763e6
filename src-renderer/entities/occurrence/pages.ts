import type { OccurrencePage } from '#shared/model/activity.ts'

/** The part of a list that is held. */
export type HeldOccurrences = OccurrencePage & {
  /** Whether older pages were read than the newest one. */
  readonly isDeep?: true
}

/**
 * Returns what is held of a list with its newest page, which replaces what it covers. If it does not reach what is held,
 * something between may be missing, so that it is all that is left.
 */
export function withNewest(held: HeldOccurrences | undefined, newest: OccurrencePage): HeldOccurrences {
  const from = newest.nextBefore
  const top = held?.items[0]
  if (held === undefined || top === undefined || from === null || top.id < from) return newest
  const older = held.items.findIndex(({ id }) => id < from)
  if (older === -1) return newest
  return {
    ...held,
    items: [...newest.items, ...held.items.slice(older)],
    damaged: Math.max(held.damaged ?? 0, newest.damaged ?? 0),
  }
}

/** Returns what is held with the page after it; unchanged if the page was read for another end. */
export function withOlder(held: HeldOccurrences, before: string, older: OccurrencePage): HeldOccurrences {
  if (held.nextBefore !== before) return held
  return {
    ...older,
    isDeep: true,
    items: [...held.items, ...older.items],
    ...(older.searched && {
      searched: { ...older.searched, count: (held.searched?.count ?? 0) + older.searched.count },
    }),
    damaged: (held.damaged ?? 0) + (older.damaged ?? 0),
  }
}
