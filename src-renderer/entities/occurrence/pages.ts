import type { OccurrencePage } from '#shared/model/activity.ts'

/** The part of a list that is held. */
export type HeldOccurrences = OccurrencePage & {
  /** Whether older pages were read than the newest one. */
  readonly isDeep?: true
}

/**
 * The most items that stay when newer ones come. A list is held as it is while somebody reads older ones, and would
 * otherwise grow for as long as it follows.
 */
export const mostFollowed = 1000

/**
 * Returns what is held of a list with its newest page, which replaces what it covers. If it does not reach what is held,
 * something between may be missing, so that it is all that is left. */
export function withNewest(held: HeldOccurrences | undefined, newest: OccurrencePage): HeldOccurrences {
  const from = newest.nextBefore
  const top = held?.items[0]
  if (held === undefined || top === undefined || from === null || top.id < from) return newest
  const older = held.items.findIndex(({ id }) => id < from)
  if (older === -1) return newest
  return withoutOldest({
    ...held,
    items: [...newest.items, ...held.items.slice(older)],
    damaged: Math.max(held.damaged ?? 0, newest.damaged ?? 0),
  })
}

/** Returns what is held without the oldest of more than `most` items. They are read again when they are asked for. */
export function withoutOldest(held: HeldOccurrences, most = mostFollowed): HeldOccurrences {
  if (held.items.length <= most) return held
  const { searched: _, ...rest } = held
  const items = held.items.slice(0, most)
  return { ...rest, items, nextBefore: items.at(-1)?.id ?? null, end: null }
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
