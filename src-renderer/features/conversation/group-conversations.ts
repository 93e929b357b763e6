type Dated = { readonly updatedAt: string }

export type Group<Item> = {
  readonly name: 'Today' | 'Yesterday' | 'Earlier'
  readonly items: readonly Item[]
}

/** Groups conversations by the day of their last change, in the reader's time zone. Empty groups are left out. */
export function groupByDay<Item extends Dated>(items: readonly Item[], now: number): Group<Item>[] {
  const today = new Date(now).setHours(0, 0, 0, 0)
  // Not 24 hours: a day of the clock change has 23 or 25.
  const yesterday = new Date(today - 1).setHours(0, 0, 0, 0)
  const nameOf = ({ updatedAt }: Dated) => {
    const at = Date.parse(updatedAt)
    return at >= today ? 'Today' : at >= yesterday ? 'Yesterday' : 'Earlier'
  }
  const byName = Object.groupBy(items, nameOf)
  return (['Today', 'Yesterday', 'Earlier'] as const).flatMap(name => {
    const found = byName[name]
    return found === undefined ? [] : [{ name, items: found }]
  })
}
