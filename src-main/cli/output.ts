/** Prints the one JSON value of `--json` on one line of stdout. */
export function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

/** Prints lines of a result for people on stdout. */
export function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map(line => `${line}\n`).join(''))
}

/** Tells the person at the terminal something that is no result, on stderr. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
