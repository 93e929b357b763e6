import { setImmediate } from 'node:timers/promises'
import { sequenceOfEventId } from '#main/lib/sequence.ts'
import type { EventSummaryQuery, LoggedEvent } from '#main/storage/event-log.ts'
import type { Searched } from '#main/storage/searched.ts'
import { eventMatcherOf, isFiltered } from '../../event-filter.ts'
import { type SearchBounds, SearchBudget } from '../../rows/search-budget.ts'
import { type Candidate, candidateOfEvent, type LogReader, type Rows, type Scope } from './log-reader.ts'
import type { Lookup, TextIndex } from './text-index.ts'

/** A page ends early, but never empty, when its texts reach this many UTF-16 units. */
const longestPage = 4 * 1024 * 1024

/** `damaged` counts the unreadable rows among them. */
export type Page = {
  events: LoggedEvent[]
  damaged: number
  /** Whether there are older ones, or may be. */
  more: boolean
  /** All rows with a larger seq are in this page or do not match. */
  checkedAbove: number
  /** Null for a full page, and for the last one. */
  searched: Searched | null
}

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
export async function findPage(
  reader: LogReader,
  index: TextIndex,
  bounds: SearchBounds,
  given: EventSummaryQuery,
): Promise<Page> {
  const request = { ...given, text: given.text || undefined }
  const { above, below: before, text } = request
  const page = new PageBuilder(request.limit, above)
  const budget = new SearchBudget(bounds)
  const scopes = reader.scopes(request.connectionIds)
  const [scope] = scopes
  if (scope === undefined) return page
  const rows = scopes.length === 1 ? reader.rowsOf(scope) : reader.rowsOfAll(scopes)
  if (scopes.length === 1 && !isFiltered(request)) {
    for (const event of reader.newestFirst(scope, above, before, request.limit + 1)) {
      if ('isDamaged' in event) page.skip()
      else if (!page.add(event)) break
    }
    return page
  }
  const lookup =
    scopes.length === 1
      ? lookupFor(reader, index, scope, request)
      : text === undefined
        ? null
        : index.byText(null, null, text)
  const watermark = Math.max(above, index.watermark)
  const search = { rows, page, budget, wanted: eventMatcherOf(request), withBody: text !== undefined }
  if (lookup === null) await scan(search, above, before)
  else if (await scan(search, watermark, before))
    await lookUp(search, index, lookup, above, Math.min(before, watermark + 1))
  else if (page.searched !== null) page.searched = { ...page.searched, isIndexing: true }
  return page
}

/**
 * Returns the narrowest look-up; null to check all rows. Few rows are all checked, because finding them in the lists of
 * a large log takes longer.
 */
function lookupFor(
  reader: LogReader,
  index: TextIndex,
  scope: Scope,
  { eventName, text, below: before }: EventSummaryQuery,
): Lookup | null {
  if (eventName === undefined && text === undefined) return null
  if (reader.hasFew(scope, before, fewOfConnection)) return null
  const byName = eventName === undefined ? null : index.byName(scope, eventName)
  if (text === undefined || (byName && index.find(byName, before, fewOfName).length < fewOfName))
    return byName
  return index.byText(scope, eventName ?? null, text) ?? byName
}

type Search = {
  readonly rows: Rows
  readonly page: PageBuilder
  readonly budget: SearchBudget
  readonly wanted: (row: Candidate) => boolean
  /** Whether `wanted` reads the body. */
  readonly withBody: boolean
}

/** Checks all rows above `above` and below `before`. Returns whether the page has room for more. */
async function scan({ rows, page, budget, wanted, withBody }: Search, above: number, before: number) {
  for (let below = before; ; ) {
    const found: { readonly seq: number; readonly isDamaged: boolean }[] = []
    const isDone = rows.visit(above, below, withBody, row => {
      below = row.seq
      budget.add('body' in row ? row.body.length : 0, 'isOther' in row)
      const isDamaged = 'isDamaged' in row
      if (isDamaged || ('body' in row && wanted(row))) found.push({ seq: row.seq, isDamaged })
      return !(budget.isOver || budget.isSliceOver || found.length > page.limit)
    })
    for (const { seq, isDamaged } of found) {
      const event = isDamaged ? 'damaged' : rows.get(seq)
      if (event === 'damaged') page.skip()
      else if (event && !page.add(event)) return false
    }
    if (isDone) return true
    if (budget.isOver) {
      page.end(below, budget)
      return false
    }
    await setImmediate()
    budget.resume()
  }
}

async function lookUp(
  search: Search,
  index: TextIndex,
  lookup: Lookup,
  above: number,
  before: number,
): Promise<void> {
  const { rows, page, budget, wanted } = search
  let below = before
  for (let round = firstRound; ; round = Math.min(round * 4, largestRound)) {
    const seqs = index.find(lookup, below, round)
    for (const seq of seqs) {
      if (seq <= above) return
      const event = rows.get(seq)
      budget.add(typeof event === 'object' ? (event?.bodyText.length ?? 0) : 0)
      if (event === 'damaged') page.skip()
      else if (event && wanted(candidateOfEvent(seq, event)) && !page.add(event)) return
      if (budget.isOver) return page.end(seq, budget)
      if (budget.isSliceOver) {
        await setImmediate()
        budget.resume()
      }
    }
    const last = seqs.at(-1)
    if (last === undefined || seqs.length < round || last <= rows.hiddenUpTo) return
    below = last
    await setImmediate()
    budget.resume()
  }
}

/** Collects events until the page is full or its work is done, then records whether there are more. */
class PageBuilder implements Page {
  readonly events: LoggedEvent[] = []
  more = false
  damaged = 0
  checkedAbove: number
  searched: Searched | null = null
  readonly limit: number
  #length = 0
  /** Damaged rows since the last event; they count on the next page if this one is full. */
  #skipped = 0

  /** @param above the seq down to which rows are looked for. */
  constructor(limit: number, above: number) {
    this.limit = limit
    this.checkedAbove = above
  }

  /** Counts an unreadable row. */
  skip(): void {
    this.damaged++
    this.#skipped++
  }

  /** Adds an event if there is room. Returns whether there was. */
  add(event: LoggedEvent): boolean {
    const length = event.bodyText.length + event.headerLines.length
    const full = this.events.length >= this.limit
    const long = this.events.length > 0 && this.#length + length > longestPage
    if (full || long) {
      this.more = true
      this.damaged -= this.#skipped
      this.checkedAbove = (sequenceOfEventId(this.events.at(-1)?.eventId ?? '') ?? 1) - 1
      return false
    }
    this.events.push(event)
    this.#skipped = 0
    this.#length += length
    return true
  }

  /** Ends the page at a row, because it has checked as much as it may; the next one goes on below. */
  end(seq: number, { count }: SearchBudget): void {
    this.more = true
    this.checkedAbove = seq - 1
    if (this.events.length < this.limit) this.searched = { count, isIndexing: false }
  }
}
