import type { SQLOutputValue } from 'node:sqlite'
import { isFilteredBy, type Matchers, matcherOf } from '#main/lib/matcher.ts'
import { sequenceOfEventId } from '#main/lib/sequence.ts'
import { normalizeForSearch, searchable } from '../normalize-for-search.ts'
import type { RunFilters } from '../runs.ts'
import { eventNameOf, runIdOf, state } from './run-rows.ts'
import { fromStored, fromStoredOrNull, integer } from './stored-text.ts'

type Row = Record<string, SQLOutputValue>

/** The columns that the filters check, besides the data. */
export const checkedColumns = ['id', 'workspace', 'workflow', 'connection', 'event', 'state', 'summary']

/** The filters for which the tables have an index. */
const indexed: Matchers<Pick<RunFilters, 'workspaceId' | 'workflowIds' | 'state' | 'eventId'>, Row> = {
  workspaceId: wanted => row => fromStored(row.workspace) === wanted,
  workflowIds(wanted) {
    const ids = new Set(wanted)
    return row => ids.has(fromStored(row.workflow))
  },
  state: wanted => row => row.state === state[wanted],
  eventId(wanted) {
    const event = sequenceOfEventId(wanted) ?? -1
    return row => row.event === event
  },
}

/** The others, for which runs are read one by one. */
const searched: Matchers<Omit<RunFilters, keyof typeof indexed>, Row> = {
  connectionId: wanted => row => (fromStored(row.connection) || null) === wanted,
  eventName: wanted => row => eventNameOf({ summary: fromStored(row.summary) }) === wanted,
  text(wanted) {
    const text = normalizeForSearch(wanted)
    const has = (one: string) => searchable(one).includes(text)
    return row => {
      if (has(fromStoredOrNull(row.data) ?? '')) return true
      const summary = fromStored(row.summary)
      return has(runIdOf(integer(row.id))) || (has(summary) && has(eventNameOf({ summary })))
    }
  },
}

/** Returns the check of a run's row. It compares the stored values: most runs need not be read any further. */
export const runMatcherOf = (query: RunFilters) =>
  matcherOf<RunFilters, Row>({ ...indexed, ...searched }, query)

/** Returns whether runs are read one by one, so that a page checks a bounded number of them. */
export const isSearch = (query: RunFilters) => isFilteredBy(searched, query)
