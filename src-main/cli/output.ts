import { errnoOf } from '#main/lib/file-system.ts'
import { type ErrorCode, type ErrorData, ServiceError } from '#shared/errors.ts'

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

/** Thrown when the result, already printed, is a failure: the exit status is 1 and there is no more to say. */
export class CommandFailed extends Error {}

/** Returns what to say of an error; with its stack where it is a mistake in this program. */
export function describeFailure(error: unknown): {
  readonly code: ErrorCode
  readonly message: string
  /** As REST answers it. */
  readonly data: ErrorData | null
  readonly stack: string | null
} {
  if (error instanceof ServiceError) {
    const issues = error.data?.issues.map(({ path, message }) => `${path}: ${message}`) ?? []
    const message = [error.message, ...issues].join(' ')
    return { code: error.code, message, data: error.data ?? null, stack: null }
  }
  const code = 'internal_error'
  if (!(error instanceof Error)) return { code, message: String(error), data: null, stack: null }
  // An address that is not this machine's, a file that cannot be read: the system's sentence says it.
  const stack = errnoOf(error) === null ? (error.stack ?? null) : null
  return { code, message: error.message, data: null, stack }
}

/** Returns a text without control characters, which a terminal would act on: they are shown as `\u001b`. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Returns a number with its noun: `1 action`, `2 actions`. */
export function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Rounds to a hundredth. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** Ignores a reader of stdout that has had enough, such as `head`. */
export function allowClosedStdout(stdout: NodeJS.WritableStream): void {
  stdout.on('error', error => {
    if (errnoOf(error) !== 'EPIPE') throw error
  })
}
