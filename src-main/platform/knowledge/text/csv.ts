import { ServiceError } from '#shared/errors.ts'
import { KnowledgeSeparator } from '#shared/model/platform/knowledge.ts'

export type Row = {
  readonly cells: readonly string[]
  /** Whether a cell begins with a quotation mark that nothing closes. */
  readonly isOpen: boolean
}

/** The maximum number of columns in Excel. */
const maxColumns = 16_384

/**
 * Reads the rows of a CSV, each character once. Unlike other readers, it takes a quotation mark for one after spaces
 * too, and takes one that is never closed as a character, so that it does not swallow the rows after it.
 *
 * @throws ServiceError `file_too_complex`.
 */
export function* rowsOf(text: string, separator: string): Generator<Row> {
  const closingQuote = quoteFinder(text, separator)
  let at = 0
  while (at < text.length) {
    const cells: string[] = []
    let isOpen = false
    for (;;) {
      if (cells.length >= maxColumns)
        throw new ServiceError('file_too_complex', {
          detail: 'The table has more than 16,384 columns. Split it, then add the new files.',
        })
      const quote = skipSpaces(text, at, separator)
      let end: number | null = null
      if (text[quote] === '"') {
        end = closingQuote(quote + 1)
        isOpen ||= end === null
      }
      if (end === null) {
        end = at
        while (end < text.length && text[end] !== separator && !isLineEnd(text, end)) end++
        cells.push(withoutFormula(text.slice(at, end).trim()))
      } else {
        const cell = text.slice(quote + 1, end).replaceAll('""', '"')
        cells.push(withoutFormula(cell.trim()))
        end = skipSpaces(text, end + 1, separator)
      }
      at = end + 1
      if (text[end] !== separator) break
    }
    if (text[at - 1] === '\r' && text[at] === '\n') at++
    yield { cells, isOpen }
  }
}

/** Returns the text of a cell such as `="00123"`, by which Excel keeps digits as they are; any other cell as it is. */
function withoutFormula(cell: string): string {
  if (!cell.startsWith('=')) return cell
  const [, text] = /^=\s*"((?:[^"]|"")*)"$/.exec(cell) ?? []
  return text === undefined ? cell : text.replaceAll('""', '"').trim()
}

const isLineEnd = (text: string, at: number) => text[at] === '\n' || text[at] === '\r'

function skipSpaces(text: string, from: number, separator: string): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\u00a0' || (text[at] === '\t' && separator !== '\t')) at++
  return at
}

/**
 * Returns a function that returns where the quotation mark is that ends a cell, given where the text in it begins: before
 * a separator, or at the end of a line; null if none does. Another single one belongs to the text of a line; on a later
 * line it begins a cell, so that this one is not closed. Call it for one cell after the other.
 */
function quoteFinder(text: string, separator: string): (from: number) => number | null {
  /** Up to here, no text has an end. Looking again for each cell of a line would take quadratic time. */
  let noneUpTo = 0
  return from => {
    let other = -1
    let line = -1
    for (let at = from; at < text.length; at++) {
      if (text[at] === '"' && text[at + 1] === '"') at++
      else if (text[at] === '"') {
        const next = skipSpaces(text, at + 1, separator)
        if (next >= text.length || text[next] === separator || isLineEnd(text, next)) return at
        other = at
      } else if (at < noneUpTo) return null
      else if (isLineEnd(text, at)) line = at
      if (other >= 0 && line >= 0) {
        noneUpTo = Math.min(other, line)
        return null
      }
    }
    noneUpTo = text.length
    return null
  }
}

export type Separation = {
  readonly separator: KnowledgeSeparator
  /** Columns of most rows. */
  readonly columns: number
  /** The share of the rows that have as many. */
  readonly share: number
  readonly rows: number
  readonly isCertain: boolean
}

const sampleLength = 64 * 1024
const sampleRows = 50

/** Guesses what separates the columns: that by which the first rows have the same number of columns, more than one. */
export function guessSeparator(text: string): Separation {
  const found = KnowledgeSeparator.options
    .map(separator => ({ separator, ...measure(text, separator) }))
    .sort((a, b) => b.share - a.share || ranks.indexOf(a.separator) - ranks.indexOf(b.separator))
  const [best, next] = found
  if (best === undefined || best.share === 0)
    return { separator: ',', columns: 1, share: 0, rows: 0, isCertain: true }
  const isCertain = next === undefined || next.share < best.share || next.isDecimal
  return { ...best, isCertain }
}

/** Commas are last: they are in numbers and sentences too. */
const ranks: readonly KnowledgeSeparator[] = ['\t', ';', '|', ',']

/** Returns the columns that most of the first rows have, by a separator. */
export function measure(text: string, separator: KnowledgeSeparator) {
  const rows: (readonly string[])[] = []
  const sample = text.slice(0, sampleLength)
  for (const { cells } of rowsOf(sample, separator)) {
    if (cells.some(cell => cell !== '')) rows.push(cells)
    if (rows.length > sampleRows) break
  }
  // The last row may be cut.
  if (text.length > sampleLength && rows.length > 1 && rows.length <= sampleRows) rows.pop()
  const counts = new Map<number, number>()
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [columns, count] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [1, 0]
  return {
    columns,
    share: rows.length === 0 ? 0 : count / rows.length,
    rows: rows.length,
    // Below the names of the columns, each comma is one of a number, such as 4,90.
    isDecimal: separator === ',' && rows.slice(1).every(isDecimal),
  }
}

const isDecimal = (cells: readonly string[]) =>
  cells.slice(1).every((cell, index) => /\d$/.test(cells[index] ?? '') && /^\d/.test(cell))
