/** A measured figure at each size, the smallest first. */
export type TableRow = {
  readonly name: string
  readonly values: readonly number[]
  /** How long the event loop was blocked, in milliseconds. */
  readonly blocked?: readonly number[]
}

/** The bounds of a row at the largest size. */
export type Target = {
  /** At most so many times the value at the smallest size. */
  readonly ratio?: number
  readonly value?: number
  readonly blockedMs?: number
}

const nameWidth = 44
const columnWidth = 16

export function printHead(title: string, columns: readonly string[]): void {
  console.log(title.padEnd(nameWidth) + columns.map(column => column.padStart(columnWidth)).join(''))
}

/** Prints a row with the ratio of its last value to its first, and whether it misses its target. */
export function printRow({ name, values, blocked }: TableRow, target: Target = {}): void {
  const ratio = (values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN)
  const cells = values.map((value, index) => {
    const block = blocked?.[index]
    return `${value.toFixed(1)}${block === undefined ? '' : ` (${block.toFixed(0)})`}`.padStart(columnWidth)
  })
  const held = [
    { what: 'times', found: ratio, most: target.ratio },
    { what: 'in all', found: values.at(-1) ?? Number.NaN, most: target.value },
    { what: 'blocked', found: blocked?.at(-1) ?? 0, most: target.blockedMs },
  ].flatMap(({ what, found, most }) =>
    most === undefined ? [] : { text: `${what} ${most}`, isMet: found <= most },
  )
  const aim = held.length === 0 ? '' : `   target: at most ${held.map(({ text }) => text).join(', ')}`
  const missed = held.every(({ isMet }) => isMet) ? '' : '   MISSED'
  console.log(`${name.padEnd(nameWidth)}${cells.join('')}   ratio ${ratio.toFixed(2)}${aim}${missed}`)
}
