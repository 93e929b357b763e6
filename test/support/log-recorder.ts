import { inspect } from 'node:util'
import type { Logger } from '#main/lib/logger.ts'

export type LogLine = { readonly level: keyof Logger; readonly fields: object; readonly message: string }

export type LogRecorder = {
  readonly logger: Logger
  readonly lines: LogLine[]
  /** All of it as text, causes and stacks of errors included. */
  text(): string
}

/** A logger at debug level that keeps everything in memory. */
export function createLogRecorder(): LogRecorder {
  const lines: LogLine[] = []
  const write = (level: keyof Logger) => (fields: object, message: string) =>
    void lines.push({ level, fields, message })
  return {
    lines,
    text: () => inspect(lines, { depth: null, maxStringLength: null, maxArrayLength: null }),
    logger: {
      isLevelEnabled: () => true,
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
    },
  }
}
