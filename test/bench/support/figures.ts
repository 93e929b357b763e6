/** A count that has to be exactly `must`, a measurement that should be at most `target`, or one that only informs. */
export type Figure = {
  readonly name: string
  readonly value: number
  readonly must?: number
  readonly target?: number
  readonly unit?: string
}

/** Prints figures in a table. The process fails if a count is wrong. */
export function printFigures(title: string, figures: readonly Figure[]): void {
  console.log(title)
  for (const { name, value, must, target, unit = '' } of figures) {
    const isWrong = must !== undefined && value !== must
    const isMissed = target !== undefined && !(value <= target)
    const aim =
      must !== undefined
        ? `has to be ${must}`
        : target !== undefined
          ? `target: at most ${target}${unit}`
          : ''
    const shown = `${Number.isInteger(value) ? value : value.toFixed(2)}${unit}`
    console.log(
      `  ${name.padEnd(58)}${shown.padStart(10)}   ${aim}${isWrong ? '   WRONG' : isMissed ? '   MISSED' : ''}`.trimEnd(),
    )
    if (isWrong) process.exitCode = 1
  }
}
