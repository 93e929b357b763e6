import { setImmediate } from 'node:timers/promises'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { fold, searchable } from './fold.ts'
import type { Candidate, LogReader, Scope } from './log-reader.ts'
import type { ListRequest } from './protocol.ts'
import type { Lookup, TextIndex } from './text-index.ts'

/** Rows looked at before other requests get their turn: a few milliseconds. */
const chunkRows = 512

/** A page ends early, though never empty, when its texts come to this many UTF-16 units. */
const longestPage = 4 * 1024 * 1024

/** `damaged` counts the rows among them that could not be read. */
export type Page = { events: LoggedEvent[]; more: boolean; damaged: number }

/** Rows of a connection, or of a name in it, that are few enough to look at all: about a millisecond. */
const fewOfConnection = 1000
const fewOfName = 256

/** Candidates asked of the index at first; further rounds ask for more. */
const firstRound = 64
const largestRound = 1024

/**
 * One page, exact at any time: rows that the index does not cover yet are looked at one by one, newest first;
 * then the index names candidates among the others, which are looked at too.
 */
export async function findPage(reader: LogReader, index: TextIndex, request: ListRequest): Promise<Page> {
  const page = new PageBuilder(request.limit)
  const scope = reader.scope(request.connectionId)
  if (!scope) return page
  if (request.eventName === null && request.text === null) {
    for (const event of reader.newestFirst(scope, request.before, request.limit + 1)) {
      if ('isDamaged' in event) page.skip()
      else if (!page.add(event)) break
    }
    return page
  }
  const lookup = lookupFor(reader, index, scope, request)
  const watermark = index.watermark
  const { before } = request
  const search = { reader, scope, page, wanted: matcherOf(request) }
  if (!lookup) await scan(search, scope.hiddenUpTo, before)
  else if (await scan(search, watermark, before))
    await lookUp(search, index, lookup, Math.min(before, watermark + 1))
  return page
}

/**
 * The narrowest way: within few rows all are looked at, since picking those few out of the lists of a large
 * log takes longer.
 * @returns null to look at all rows.
 */
function lookupFor(reader: LogReader, index: TextIndex, scope: Scope, request: ListRequest): Lookup | null {
  const { eventName, text, before } = request
  if (reader.hasFew(scope, before, fewOfConnection)) return null
  const byName = eventName === null ? null : index.byName(scope, eventName)
  if (text === null || (byName && index.find(byName, before, fewOfName).length < fewOfName)) return byName
  return index.byText(scope, eventName, text) ?? byName
}

type Search = {
  readonly reader: LogReader
  readonly scope: Scope
  readonly page: PageBuilder
  readonly wanted: (row: Candidate) => boolean
}

/** Looks at all rows above `above` and below `before`. @returns whether the page has room for more. */
async function scan(
  { reader, scope, page, wanted }: Search,
  above: number,
  before: number,
): Promise<boolean> {
  for (let below = before; ; ) {
    const rows = reader.candidates(scope, above, below, chunkRows)
    for (const row of rows) {
      if ('isDamaged' in row) {
        page.skip()
        continue
      }
      if (!wanted(row)) continue
      const event = reader.get(scope, row.seq)
      if (event === 'damaged') page.skip()
      else if (event && !page.add(event)) return false
    }
    const last = rows.at(-1)
    if (!last || rows.length < chunkRows) return true
    below = last.seq
    await setImmediate()
  }
}

async function lookUp(search: Search, index: TextIndex, lookup: Lookup, before: number): Promise<void> {
  const { reader, scope, page, wanted } = search
  let below = before
  for (let round = firstRound; ; round = Math.min(round * 4, largestRound)) {
    const seqs = index.find(lookup, below, round)
    for (const seq of seqs) {
      const event = reader.get(scope, seq)
      if (event === 'damaged') page.skip()
      else if (event && wanted({ seq, name: event.eventName, body: event.bodyText }) && !page.add(event))
        return
    }
    const last = seqs.at(-1)
    if (last === undefined || seqs.length < round || last <= scope.hiddenUpTo) return
    below = last
    await setImmediate()
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
  damaged = 0
  readonly #limit: number
  #length = 0
  /** Damaged rows since the last event; those before the next page's first event count there. */
  #skipped = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts a row that cannot be read. */
  skip(): void {
    this.damaged++
    this.#skipped++
  }

  /** @returns whether the page has room for another, so that looking further makes sense. */
  add(event: LoggedEvent): boolean {
    const length = event.bodyText.length + event.headerLines.length
    const full = this.events.length >= this.#limit
    const long = this.events.length > 0 && this.#length + length > longestPage
    if (full || long) {
      this.more = true
      this.damaged -= this.#skipped
      return false
    }
    this.events.push(event)
    this.#skipped = 0
    this.#length += length
    return true
  }
}
