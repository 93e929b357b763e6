import { destination, pino } from 'pino'
import type { Logger } from '#main/logger.ts'
import type { LogLevel } from './log-levels.ts'
import { redact } from './redact.ts'

/**
 * The log: one JSON object a line on stderr, written at once, so that nothing is lost when the process ends.
 * Everything passes through `redact`.
 */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"`, formatters },
    destination({ fd: process.stderr.fd, sync: true }),
  )
}

const formatters = {
  level: (level: string) => ({ level }),
  log: (fields: Record<string, unknown>) => redact(fields),
}
