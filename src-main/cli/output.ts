import { errnoOf } from '#main/lib/file-system.ts'
import { maskDatabaseUrls } from '#main/lib/mask-database-url.ts'
import { type ErrorCode, type ErrorData, ServiceError } from '#shared/errors.ts'
import type { Issue } from '#shared/model/issue.ts'

/** Prints the one JSON value of `--json` on one line of stdout. */
export function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

/** Prints lines of a result for people on stdout. */
export function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map(line => `${line}\n`).join(''))
}

/** Prints a message that is not part of the result on stderr. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Thrown after a printed result that is a failure. Nothing more is printed, except a cause. */
export class CommandFailed extends Error {
  /** The exit status. */
  readonly status: number

  /** @param cause an error that was not printed yet. */
  constructor(status = 1, cause?: unknown) {
    super('', { cause })
    this.status = status
  }
}

/** Describes an error. Includes the stack if it is a bug in this program. */
export function describeFailure(error: unknown): {
  readonly code: ErrorCode
  readonly message: string
  /** The same as over REST. */
  readonly data: ErrorData | null
  readonly stack: string | null
} {
  if (error instanceof ServiceError) {
    const issues = error.data?.issues.map(issueText) ?? []
    const message = maskDatabaseUrls([error.message, ...issues].join(' '))
    return { code: error.code, message, data: error.data ?? null, stack: null }
  }
  const code = 'internal_error'
  if (!(error instanceof Error)) return { code, message: String(error), data: null, stack: null }
  // The message of a system error, such as an unreadable file, needs no stack.
  const stack = errnoOf(error) === null ? maskDatabaseUrls(error.stack ?? '') || null : null
  return { code, message: maskDatabaseUrls(error.message), data: null, stack }
}

function issueText({ path, message, line, column }: Issue): string {
  const place =
    line === undefined ? path : [path, `line ${line}, column ${column}`].filter(Boolean).join(', ')
  return place === '' ? message : `${place}: ${message}`
}

/** Escapes control characters as `\u001b`, so that the terminal does not interpret them. */
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

/** Ignores that a reader of stdout, such as `head`, closes it early. */
export function allowClosedStdout(stdout: NodeJS.WritableStream): void {
  stdout.on('error', error => {
    if (errnoOf(error) !== 'EPIPE') throw error
  })
}
