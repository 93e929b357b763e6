import type { LoggedEvent } from '../event-log.ts'
import { fold, searchable } from './fold.ts'
import type { Candidate, LogReader, Scope } from './log-reader.ts'
import type { ListRequest } from './protocol.ts'

/** Rows looked at before other requests get their turn: a few milliseconds. */
const chunkRows = 512

/** A page ends early, though never empty, when its texts come to this many UTF-16 units. */
const longestPage = 16 * 1024 * 1024

export type Page = { events: LoggedEvent[]; more: boolean }

export async function findPage(reader: LogReader, request: ListRequest): Promise<Page> {
  const page = new PageBuilder(request.limit)
  const scope = reader.scope(request.connectionId)
  if (!scope) return page
  if (request.eventName === null && (request.text === null || request.text === '')) {
    for (const event of reader.newestFirst(scope, request.before, request.limit + 1)) {
      if (!page.add(event)) break
    }
    return page
  }
  await scan(reader, scope, request, page)
  return page
}

async function scan(reader: LogReader, scope: Scope, request: ListRequest, page: PageBuilder): Promise<void> {
  const wanted = matcherOf(request)
  for (let before = request.before; ; ) {
    const rows = reader.candidates(scope, -1, before, chunkRows)
    for (const row of rows) {
      if (!wanted(row)) continue
      const event = reader.get(scope, row.seq)
      if (event && !page.add(event)) return
    }
    const last = rows.at(-1)
    if (!last || rows.length < chunkRows) return
    before = last.seq
    await new Promise(setImmediate)
  }
}

function matcherOf(request: ListRequest): (row: Candidate) => boolean {
  const text = fold(request.text ?? '')
  return ({ name, body }) =>
    (request.eventName === null || name === request.eventName) &&
    (text === '' || searchable(body).includes(text))
}

/** Collects events until the page is full, and then knows whether there are more. */
class PageBuilder implements Page {
  readonly events: LoggedEvent[] = []
  more = false
  readonly #limit: number
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** @returns whether the page has room for another, so that looking further makes sense. */
  add(event: LoggedEvent): boolean {
    const length = event.bodyText.length + event.headerLines.length
    const full = this.events.length >= this.#limit
    const long = this.events.length > 0 && this.#length + length > longestPage
    if (full || long) {
      this.more = true
      return false
    }
    this.events.push(event)
    this.#length += length
    return true
  }
}
