import { print, printable, say } from './output.ts'

/** The longest text of a cell, in characters. */
const maxCell = 80

/** Returns a text that fits into a cell. */
export function shortened(text: string): string {
  return text.length > maxCell ? `${text.slice(0, maxCell - 1)}…` : text
}

/** Prints rows below their headings, in aligned columns. Without rows, prints `none` on stderr. */
export function printTable(headings: readonly string[], rows: readonly string[][], none: string): void {
  if (rows.length === 0) {
    say(none)
    return
  }
  const table = [headings, ...rows.map(row => row.map(printable))]
  const widths = headings.map((_heading, column) => Math.max(...table.map(row => row[column]?.length ?? 0)))
  print(
    ...table.map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
  )
}
