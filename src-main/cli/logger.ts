import { destination, pino } from 'pino'
import type { Logger } from '#main/logger.ts'
import type { LogLevel } from './log-levels.ts'
import { redact } from './redact.ts'

/**
 * The log: one JSON object a line, written at once, so that nothing is lost when the process ends.
 * Everything passes through `redact`.
 *
 * @param fd where to; stderr unless told otherwise.
 */
export function createLogger(level: LogLevel, fd: number = process.stderr.fd): Logger {
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"`, formatters, serializers },
    destination({ fd, sync: true }),
  )
}

const formatters = {
  level: (level: string) => ({ level }),
  log: (fields: Record<string, unknown>) => redact(fields),
}

/** `redact` has written errors out by now; pino would take what it made for an error of the class Object. */
const serializers = { err: (err: unknown) => err }
