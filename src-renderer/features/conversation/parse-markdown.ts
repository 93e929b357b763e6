import { type Inline, parseInline } from './parse-inline.ts'

type Shape =
  | { readonly kind: 'paragraph'; readonly text: readonly Inline[] }
  | { readonly kind: 'heading'; readonly text: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly code: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  /** `start` is the number of the first item; null for bullets. */
  | { readonly kind: 'list'; readonly start: number | null; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly kind: 'rule' }

/** A part of a Markdown text, with the text that it was parsed from. */
export type Block = Shape & { readonly source: string }

/** Lists and quotes that are nested deeper are shown as text. */
const maxDepth = 8

const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/
const heading = /^ {0,3}#{1,6}\s+(\S.*)$/
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+|$)/
const quote = /^ {0,3}> ?/
const tableRule = /^[\s|:-]*-[\s|:-]*$/
/** Some patterns scan a line more than once, so a longer one is plain text. */
const longestLine = 10_000

/**
 * Parses Markdown as models write it: paragraphs, headings, lists, quotes, code, tables and rules. HTML stays text.
 * Code that is not closed, as while it streams in, lasts to the end.
 */
export function parseMarkdown(text: string): Block[] {
  return parseLines(text.split(/\r\n?|\n/), 0)
}

function parseLines(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at++
      continue
    }
    const [shape, end] = readBlock(lines, at, depth)
    blocks.push({ ...shape, source: lines.slice(at, end).join('\n') })
    at = end
  }
  return blocks
}

/** Returns the block that begins at a line, and the line after it. */
function readBlock(lines: readonly string[], start: number, depth: number): [Shape, number] {
  const first = lines[start] ?? ''
  if (first.length <= longestLine) {
    const opening = fence.exec(first)
    if (opening !== null) return readCode(lines, start, opening[1] ?? '', (opening[2] ?? '').trim())
    const title = heading.exec(first)
    if (title !== null) return [{ kind: 'heading', text: parseInline((title[1] ?? '').trim()) }, start + 1]
    if (rule.test(first)) return [{ kind: 'rule' }, start + 1]
    if (isTable(lines, start)) return readTable(lines, start)
    if (depth < maxDepth && quote.test(first)) return readQuote(lines, start, depth)
    if (depth < maxDepth && bullet.test(first)) return readList(lines, start, depth)
  }
  let end = start + 1
  while (end < lines.length && !isBlank(lines[end]) && !interrupts(lines, end)) end++
  return [{ kind: 'paragraph', text: parseInline(lines.slice(start, end).join('\n').trim()) }, end]
}

function readCode(lines: readonly string[], start: number, marks: string, language: string): [Shape, number] {
  const closing = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}\\s*$`)
  let end = start + 1
  while (end < lines.length && !closing.test(lines[end] ?? '')) end++
  return [{ kind: 'code', language, code: lines.slice(start + 1, end).join('\n') }, end + 1]
}

function readQuote(lines: readonly string[], start: number, depth: number): [Shape, number] {
  let end = start
  while (end < lines.length && quote.test(lines[end] ?? '')) end++
  const inner = lines.slice(start, end).map(line => line.replace(quote, ''))
  return [{ kind: 'quote', blocks: parseLines(inner, depth + 1) }, end]
}

function readList(lines: readonly string[], start: number, depth: number): [Shape, number] {
  const isOrdered = /\d/.test(bullet.exec(lines[start] ?? '')?.[2] ?? '')
  const items: Block[][] = []
  let at = start
  while (at < lines.length) {
    const marker = bullet.exec(lines[at] ?? '')
    if (marker === null || /\d/.test(marker[2] ?? '') !== isOrdered || rule.test(lines[at] ?? '')) break
    const indent = marker[0].length
    const item = [(lines[at] ?? '').slice(indent)]
    at++
    while (at < lines.length && belongsTo(lines, at, Math.min(indent, 2))) {
      const line = lines[at] ?? ''
      item.push(line.slice(Math.min(indent, line.length - line.trimStart().length)))
      at++
    }
    items.push(parseLines(item, depth + 1))
    // One empty line may separate two items.
    if (isBlank(lines[at]) && bullet.test(lines[at + 1] ?? '')) at++
  }
  const number = Number.parseInt(bullet.exec(lines[start] ?? '')?.[2] ?? '', 10)
  return [{ kind: 'list', start: isOrdered ? number : null, items }, at]
}

/** Returns whether a line continues an item: it is indented, or it goes on with the text before it. */
function belongsTo(lines: readonly string[], at: number, indent: number): boolean {
  const line = lines[at] ?? ''
  if (isBlank(line)) return indentOf(lines[at + 1] ?? '') >= indent && !isBlank(lines[at + 1])
  return indentOf(line) >= indent || (!isBlank(lines[at - 1]) && !interrupts(lines, at))
}

const indentOf = (line: string) => line.length - line.trimStart().length

const isTable = (lines: readonly string[], at: number) =>
  (lines[at] ?? '').includes('|') && isShort(lines[at + 1]) && tableRule.test(lines[at + 1] ?? '')

function readTable(lines: readonly string[], start: number): [Shape, number] {
  let end = start + 2
  while (end < lines.length && (lines[end] ?? '').includes('|')) end++
  const rows = [lines[start] ?? '', ...lines.slice(start + 2, end)].map(cellsOf)
  return [{ kind: 'table', rows }, end]
}

function cellsOf(line: string): Inline[][] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
  return cells.map(cell => parseInline(cell.replaceAll('\\|', '|').trim()))
}

const isShort = (line = '') => line.length <= longestLine
const isBlank = (line = '') => line.trim() === ''

/** Returns whether a line ends the paragraph before it. */
function interrupts(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (!isShort(line)) return false
  return [fence, heading, rule, quote, bullet].some(pattern => pattern.test(line)) || isTable(lines, at)
}
