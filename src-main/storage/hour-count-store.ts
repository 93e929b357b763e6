import {
  addHour,
  emptyHour,
  type HourCounts,
  type PairCounts,
  readHour,
  readPairs,
  storedHour,
  sumPairs,
} from './hour-counts.ts'

/** The start of the ids of connections. Those of workspaces have another one. */
export const connectionStart = 'conn_'

/** The counts of one hour on one node. */
export type HourRow = {
  /** The id of a connection or of a workspace; empty for the service as a whole. */
  readonly of: string
  /** Hours since 1970. */
  readonly hour: number
  readonly doc: string
}
/** `node` is empty for merged rows. */
export type NodeRow = HourRow & { readonly node: string }

/** Hours since 1970; `from` is the first, `until` is not among them. */
export type HourRange = { readonly from: number; readonly until: number }

/** A part of a range; `byDay` if it has whole days, which are read from the rows of days. */
export type PairRange = HourRange & { readonly byDay: boolean }

/** Rows that one transaction merges or deletes. */
export const mostHourRows = 5000

export const dayHours = 24
/**
 * Returns the name of the rows that have the pairs of whole days (UTC), each under its first hour: the sum of what was
 * merged. The service has them too, without pairs: its first one says since when there are sums.
 */
export const dayRowOf = (of: string) => `${of} day`

/**
 * The counts of each hour: derived data. Each node has rows of its own, under an id that is new at each start; later they
 * are merged into one. Every implementation must pass test/storage/hour-counts-contract.ts.
 */
export type HourCountStore = {
  /**
   * Replaces what a node has counted in these hours. Hours that were merged already stay as they are.
   *
   * @throws if it cannot be saved.
   */
  save(node: string, rows: readonly HourRow[]): Promise<void>
  /** Returns the rows of a connection, a workspace or the service. */
  read(of: string, range: HourRange): Promise<readonly NodeRow[]>
  /**
   * Returns the sum of the pairs of each connection of which there are rows. Callers ask for `mostHourRows` at a time.
   *
   * @param except a node whose rows are left out.
   */
  readPairs(
    connectionIds: readonly string[],
    parts: readonly PairRange[],
    except: string | null,
  ): Promise<ReadonlyMap<string, PairCounts>>
  /**
   * Returns the hours of which all pairs are in the rows of days too. The day in which the sums begin is not among them,
   * and no day of which a node has rows that were not merged yet.
   */
  summedDays(): Promise<HourRange>
  /** Returns the first hour of which there is something; null without any. */
  first(): Promise<number | null>
  /**
   * Merges rows of nodes up to an hour, which no node saves any more. Returns whether there may be more of them.
   */
  merge(upTo: number): Promise<boolean>
  /** Deletes rows before an hour. Returns whether there may be more of them. */
  prune(before: number): Promise<boolean>
  /** Deletes the rows of these connections. */
  forget(connectionIds: readonly string[]): Promise<void>
  /** Deletes the rows of all connections but these. */
  keepOnly(connectionIds: readonly string[]): Promise<void>
}

/**
 * Merges rows of nodes: returns one for each connection, workspace or service, and hour, and those of the days.
 *
 * @param rows also what was merged before of these hours, and the rows of their days.
 */
export function mergeRows(rows: Iterable<NodeRow>): HourRow[] {
  const parts = Array.from(rows).flatMap(({ of, hour, node, doc }) => {
    // What was merged before is in its day already.
    const isNewToDay = node !== '' && hasDays(of)
    const ofHour = { of, hour, doc }
    return isNewToDay ? [ofHour, { of: dayRowOf(of), hour: dayOf(hour), doc }] : [ofHour]
  })
  return Array.from(Map.groupBy(parts, ({ of, hour }) => `${hour} ${of}`).values()).flatMap(group => {
    const [first] = group
    if (first === undefined) return []
    const docs = group.map(({ doc }) => doc)
    const sum = isDayRow(first.of)
      ? { ...emptyHour(), ...sumPairs(docs.map(readPairs)) }
      : sumHours(docs.map(readHour))
    return [{ ...first, doc: storedHour(sum) }]
  })
}

function sumHours(hours: readonly HourCounts[]): HourCounts {
  const sum = emptyHour()
  for (const hour of hours) addHour(sum, hour)
  return sum
}

const dayEnd = dayRowOf('')
const isDayRow = (of: string) => of.endsWith(dayEnd)
/** Returns the connection that a row, or the row of a day, is of. */
export const connectionOf = (of: string) => (isDayRow(of) ? of.slice(0, -dayEnd.length) : of)
const hasDays = (of: string) => of === '' || of.startsWith(connectionStart)
const dayOf = (hour: number) => hour - (hour % dayHours)

/**
 * Returns the answer of `summedDays`.
 *
 * @param first the first day of the service.
 * @param unmerged the first hour of which a node has rows.
 */
export function summedDaysOf(first: number | null, unmerged: number | null): HourRange {
  if (first === null) return { from: 0, until: 0 }
  return { from: first + dayHours, until: dayOf(unmerged ?? Number.MAX_SAFE_INTEGER) }
}

/** Returns the parts of a range: its whole days as far as they are summed, and the hours around them. */
export function partsOf({ from, until }: HourRange, summed: HourRange): PairRange[] {
  const first = dayOf(Math.max(from, summed.from) + dayHours - 1)
  const last = dayOf(Math.min(until, summed.until))
  const parts =
    first < last
      ? [
          { from, until: first, byDay: false },
          { from: first, until: last, byDay: true },
          { from: last, until, byDay: false },
        ]
      : [{ from, until, byDay: false }]
  return parts.filter(part => part.from < part.until)
}

/** Returns the names of the rows of connections, also those of their days. */
export const rowsOfConnections = (ids: readonly string[]) => ids.flatMap(id => [id, dayRowOf(id)])
