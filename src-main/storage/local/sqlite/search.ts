import { setImmediate } from 'node:timers/promises'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { fold, searchable } from '../../fold.ts'
import { type Candidate, type LogReader, longestChunk, type Scope } from './log-reader.ts'
import type { Lookup, TextIndex } from './text-index.ts'

/** Rows that are checked before other requests get their turn: a few milliseconds. Fewer if they are long. */
const chunkRows = 512

/** A page ends early, but never empty, when its texts reach this many UTF-16 units. */
const longestPage = 4 * 1024 * 1024

export type ListRequest = {
  readonly connectionId: string
  readonly eventName: string | null
  readonly text: string | null
  /** Only rows with a smaller seq. */
  readonly before: number
  readonly limit: number
}

/** `damaged` counts the unreadable rows among them. */
export type Page = { events: LoggedEvent[]; more: boolean; damaged: number }

/** Up to this many rows of a connection, or of a name in it, are checked one by one: about a millisecond. */
const fewOfConnection = 1000
const fewOfName = 256

/** Candidates in the first and in the largest round of the index. */
const firstRound = 64
const largestRound = 1024

/**
 * Returns one page. It is exact at any time: rows that are not indexed yet are checked one by one, newest first. Then
 * the index names candidates among the others, and each of them is checked too.
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
 * Returns the narrowest look-up; null to check all rows. Few rows are all checked, because finding them in the lists of
 * a large log takes longer.
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

/** Checks all rows above `above` and below `before`. Returns whether the page has room for more. */
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
    if (!last) return true
    below = last.seq
    await setImmediate()
  }
}

async function lookUp(search: Search, index: TextIndex, lookup: Lookup, before: number): Promise<void> {
  const { reader, scope, page, wanted } = search
  let below = before
  for (let round = firstRound; ; round = Math.min(round * 4, largestRound)) {
    const seqs = index.find(lookup, below, round)
    let length = 0
    for (const seq of seqs) {
      const event = reader.get(scope, seq)
      if (typeof event === 'object') length += event?.bodyText.length ?? 0
      if (length >= longestChunk) {
        length = 0
        await setImmediate()
      }
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

/** Collects events until the page is full, then records whether there are more. */
class PageBuilder implements Page {
  readonly events: LoggedEvent[] = []
  more = false
  damaged = 0
  readonly #limit: number
  #length = 0
  /** Damaged rows since the last event; they count on the next page if this one is full. */
  #skipped = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts an unreadable row. */
  skip(): void {
    this.damaged++
    this.#skipped++
  }

  /** Adds an event if there is room. Returns whether there was. */
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
