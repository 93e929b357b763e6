/** The filters of a list: each takes the wanted value and returns the check of a row. */
export type Matchers<Filters, Row> = {
  readonly [Name in keyof Filters]-?: (
    wanted: Filters[Name] & (NonNullable<unknown> | null),
  ) => (row: Row) => boolean
}

/** Returns the check of a row by the filters that are given, in the order of the matchers. Undefined wants everything. */
export function matcherOf<Filters extends object, Row>(
  matchers: Matchers<Filters, Row>,
  given: Filters,
): (row: Row) => boolean {
  const checks: ((row: Row) => boolean)[] = []
  for (const name in matchers) {
    const wanted = given[name]
    if (wanted !== undefined) checks.push(matchers[name](wanted))
  }
  return row => checks.every(check => check(row))
}

/** Returns whether one of these filters is given. */
export const isFilteredBy = (matchers: object, given: object) =>
  Object.keys(matchers).some(name => Reflect.get(given, name) !== undefined)
