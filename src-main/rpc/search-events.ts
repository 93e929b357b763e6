import type { EventLog, EventSummary } from '#main/storage/event-log.ts'

type EventSearch = {
  /** Searched in every body, ignoring case. */
  readonly text: string
  /** The maximum number of events. */
  readonly limit: number
}

/** Milliseconds after which no further page is read. */
const maxMs = 1000

/**
 * Searches the stored events of several connections, or of all for null, newest first, within the time limit. Returns what it found, and
 * whether every event was searched: false if the time ran out.
 *
 * @param stopwatch milliseconds of a monotonic clock.
 */
export async function searchEvents(
  log: Pick<EventLog, 'summaries'>,
  connectionIds: readonly string[] | null,
  { text, limit }: EventSearch,
  stopwatch: () => number,
) {
  const until = stopwatch() + maxMs
  const found: EventSummary[] = []
  let checkedAbove = Number.MAX_SAFE_INTEGER
  while (checkedAbove > -1 && found.length < limit && stopwatch() < until) {
    const query = { connectionIds, text, above: -1, below: checkedAbove + 1, limit: limit - found.length }
    const page = await log.summaries(query)
    found.push(...page.events)
    checkedAbove = page.checkedAbove
  }
  return { events: found, complete: checkedAbove === -1 || found.length === limit }
}
