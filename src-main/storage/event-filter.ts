import { isFilteredBy, type Matchers, matcherOf } from '#main/lib/matcher.ts'
import type { EventFilters } from './event-log.ts'
import { normalizeForSearch, searchable } from './normalize-for-search.ts'

/** The part of an event that the filters check. */
export type CheckedEvent = { readonly name: string; readonly isReplay: boolean; readonly body: string }

const filters: Matchers<EventFilters, CheckedEvent> = {
  eventName: wanted => event => event.name === wanted,
  replays: wanted => event => event.isReplay === wanted,
  text(wanted) {
    const text = normalizeForSearch(wanted)
    return event => searchable(event.body).includes(text)
  },
}

export const eventMatcherOf = (query: EventFilters) => matcherOf<EventFilters, CheckedEvent>(filters, query)

/** Returns whether a query leaves out events of its connections, so that a page checks a bounded number of them. */
export const isFiltered = (query: EventFilters) => isFilteredBy(filters, query)
