/**
 * Assigns rows of a table to event names. The least recently seen name is dropped for a new one.
 *
 * @param limit the most names. @param firstRow the number of the first row.
 * @param clear empties a row before another name gets it.
 */
export function createEventNameRows(limit: number, firstRow: number, clear: (row: number) => void) {
  const rows = new Map<string, number>()
  const names: string[] = []
  const lastAt: number[] = []

  function newRow(eventName: string): number {
    let index = names.length
    if (index >= limit) {
      index = oldest()
      rows.delete(names[index] ?? '')
      clear(firstRow + index)
    }
    names[index] = eventName
    rows.set(eventName, index)
    return index
  }

  function oldest(): number {
    let found = 0
    for (let index = 1; index < lastAt.length; index++)
      if ((lastAt[index] ?? 0) < (lastAt[found] ?? 0)) found = index
    return found
  }

  return {
    /** Returns the row of a name. @param at when it was seen, in milliseconds since 1970. */
    rowOf(eventName: string, at: number): number {
      const index = rows.get(eventName) ?? newRow(eventName)
      lastAt[index] = at
      return firstRow + index
    },
    list: () =>
      names.map((eventName, index) => ({ eventName, row: firstRow + index, lastAt: lastAt[index] ?? 0 })),
  }
}
