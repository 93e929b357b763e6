import { type Attribute, isOn, tooComplex } from './xml.ts'

/** A paragraph, which has one cell, or the row of a table. */
export type Block = {
  readonly cells: readonly string[]
  /** The row with the names of the columns, as text; empty if there is none, or if this is it. */
  readonly head: string
}

/** Returns a row as text. Empty cells keep their place. */
export const rowText = (cells: readonly string[]) => cells.join(' | ')

type Table = {
  head: string
  hasHead: boolean
  rows: number
  /** The texts of cells that go on in the rows below, by column. */
  readonly merged: Map<number, string>
}
type Row = {
  cells: string[]
  blocks: Block[]
  /** Characters in all cells. */
  length: number
  count: number
  after: number
  isHidden: boolean
  isHead: boolean
}
type Cell = { readonly blocks: Block[]; span: number; merge: 'begins' | 'goes on' | null }

/** Longer rows are not data: their table lays out a page, so its cells are paragraphs. */
const maxRow = 2000
/** Longer texts are not repeated, so that a small document cannot become a large text. */
const maxRepeated = 500
const maxSpan = 100
/** Each level passes its blocks on to the next. */
const maxTables = 20

/**
 * Joins the cells of tables to rows. Tables can be nested.
 *
 * @param targets where blocks go, the innermost last: a cell is one while it is open.
 */
export function createTables(targets: Block[][], emit: (block: Block) => void) {
  const tables: Table[] = []
  const rows: Row[] = []
  const cells: Cell[] = []
  let inRowProperties = false

  function endCell(): void {
    targets.pop()
    const cell = cells.pop()
    const row = rows.at(-1)
    const table = tables.at(-1)
    if (cell === undefined || row === undefined || table === undefined) return
    const column = row.cells.length
    const length = lengthOf(cell.blocks)
    let text = length > maxRow ? '' : textOf(cell.blocks)
    if (cell.merge === 'goes on') text ||= table.merged.get(column) ?? ''
    else if (cell.merge === 'begins' && text.length <= maxRepeated) table.merged.set(column, text)
    else table.merged.delete(column)
    row.count++
    row.length += length
    for (const block of cell.blocks) row.blocks.push(block)
    row.cells.push(text, ...Array<string>(cell.span - 1).fill(''))
  }

  function endRow(): void {
    const row = rows.pop()
    const table = tables.at(-1)
    if (row === undefined || table === undefined || row.isHidden) return
    row.cells.push(...Array<string>(row.after).fill(''))
    if (row.count === 1 || row.length > maxRow) for (const block of row.blocks) emit(block)
    else emit({ cells: row.cells, head: table.head })
    const isHead = row.isHead || (table.hasHead && table.rows === 0)
    table.rows++
    if (isHead && row.cells.length <= maxSpan) {
      const text = rowText(row.cells)
      table.head = text.length > maxRepeated ? '' : text
    }
  }

  return {
    inRowProperties: () => inRowProperties,
    open(name: string, attribute: Attribute): void {
      const table = tables.at(-1)
      const row = rows.at(-1)
      const cell = cells.at(-1)
      const count = () => Math.min(maxSpan, Math.max(0, Math.trunc(Number(attribute('val') ?? 0)) || 0))
      if (name === 'w:tbl') {
        if (tables.push({ head: '', hasHead: false, rows: 0, merged: new Map() }) > maxTables)
          throw tooComplex(`More than ${maxTables} tables of the document are inside each other.`)
      } else if (name === 'w:tblLook' && table !== undefined)
        table.hasHead = isOn(
          attribute('firstRow') ?? String(Number.parseInt(attribute('val') ?? '0', 16) & 0x20),
        )
      else if (name === 'w:tr')
        rows.push({ cells: [], blocks: [], length: 0, count: 0, after: 0, isHidden: false, isHead: false })
      else if (name === 'w:trPr') inRowProperties = true
      else if (name === 'w:tc') {
        const blocks: Block[] = []
        cells.push({ blocks, span: 1, merge: null })
        targets.push(blocks)
      } else if (row !== undefined && inRowProperties) {
        if (name === 'w:gridBefore') row.cells.push(...Array<string>(count()).fill(''))
        else if (name === 'w:gridAfter') row.after = count()
        else if (name === 'w:del' || (name === 'w:hidden' && isOn(attribute('val')))) row.isHidden = true
        else if (name === 'w:tblHeader') row.isHead = isOn(attribute('val'))
      } else if (cell !== undefined) {
        if (name === 'w:gridSpan') cell.span = Math.max(1, count())
        else if (name === 'w:vMerge') cell.merge = attribute('val') === 'restart' ? 'begins' : 'goes on'
      }
    },
    close(name: string): void {
      if (name === 'w:trPr') inRowProperties = false
      else if (name === 'w:tc') endCell()
      else if (name === 'w:tr') endRow()
      else if (name === 'w:tbl') tables.pop()
    },
  }
}

/** Returns the text of a cell in one line. */
function textOf(blocks: readonly Block[]): string {
  return blocks
    .map(({ cells }) => cells.map(inLine).join(', '))
    .filter(text => text !== '')
    .join(' / ')
}

const inLine = (text: string) =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .join(' / ')

const lengthOf = (blocks: readonly Block[]) =>
  blocks.reduce((sum, { cells }) => cells.reduce((part, cell) => part + cell.length, sum), 0)
