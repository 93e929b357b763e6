import type { EventLog, LoggedEvent } from '#main/storage/event-log.ts'
import { fold } from '#main/storage/fold.ts'

export type EventSearch = {
  /** Searched in every body, ignoring case. */
  readonly text: string
  /** The maximum number of events. */
  readonly limit: number
}

/** Milliseconds after which no further connection is searched. */
const maxMs = 1000

/**
 * Searches the stored events of several connections, in the given order, within the time limit. Returns the newest
 * first, and whether every connection was searched: false if the time ran out.
 *
 * @param stopwatch milliseconds of a monotonic clock.
 */
export async function searchEvents(
  log: Pick<EventLog, 'list'>,
  connectionIds: readonly string[],
  { text, limit }: EventSearch,
  stopwatch: () => number,
) {
  const until = stopwatch() + maxMs
  const found: LoggedEvent[] = []
  let complete = true
  for (const connectionId of connectionIds) {
    complete = stopwatch() < until
    if (!complete) break
    found.push(...(await log.list(connectionId, { text, limit })).events)
  }
  found.sort((one, other) => (one.eventId < other.eventId ? 1 : -1))
  return { events: found.slice(0, limit), complete }
}

const excerptLength = 120
/** Characters of an excerpt before the match. */
const lead = 40

/** Returns the part of a body around the first match; its beginning if the match contains escapes. */
export function excerptOf(body: string, text: string): string {
  const place = Math.max(0, fold(body).indexOf(fold(text)))
  const from = Math.max(0, place - lead)
  return body.slice(from, from + excerptLength).toWellFormed()
}
