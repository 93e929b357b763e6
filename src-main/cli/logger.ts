import { isatty } from 'node:tty'
import { destination, pino } from 'pino'
import type { Logger } from '#main/lib/logger.ts'
import type { LogLevel } from './log-levels.ts'
import { prettyLine } from './pretty-line.ts'
import { redact } from './redact.ts'

/**
 * Returns the log: one JSON object a line, or on a terminal one line for people. It is written at once, so that
 * nothing is lost when the process ends. Everything passes through `redact`.
 *
 * @param fd where to; stderr unless told otherwise.
 */
export function createLogger(
  level: LogLevel,
  fd: number = process.stderr.fd,
  isTerminal: boolean = isatty(fd),
): Logger {
  const out = destination({ fd, sync: true })
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"`, formatters, serializers },
    isTerminal ? { write: (line: string) => void out.write(prettyLine(line)) } : out,
  )
}

const formatters = {
  level: (level: string) => ({ level }),
  log: (fields: Record<string, unknown>) => redact(fields),
}

/** `redact` has written errors out by now; pino would take what it made for an error of the class Object. */
const serializers = { err: (err: unknown) => err }
