import { subjectOfEvent } from '#shared/model/subject.ts'
import type { EventSummary, LoggedEvent } from './event-log.ts'
import { normalizeForSearch } from './normalize-for-search.ts'

const excerptLength = 120
/** Characters of an excerpt before the match. */
const lead = 40

/** Returns the part of a body around the first match; its beginning if the match contains escapes. */
export function excerptOf(body: string, text: string): string {
  const place = Math.max(0, normalizeForSearch(body).indexOf(normalizeForSearch(text)))
  const from = Math.max(0, place - lead)
  return body.slice(from, from + excerptLength).toWellFormed()
}

/** Returns an event as lists show it. @param text that was searched, of which it has an excerpt. */
export function summaryOf(event: LoggedEvent, text: string | undefined): EventSummary {
  const { bodyText, headerLines: _headers, ...facts } = event
  return {
    ...facts,
    bytes: Buffer.byteLength(bodyText),
    subject: subjectOfEvent(event),
    excerpt: text ? excerptOf(bodyText, text) : null,
  }
}
