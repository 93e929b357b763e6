import { isatty } from 'node:tty'
import { destination, pino, stdSerializers } from 'pino'
import { z } from 'zod'
import type { Logger } from '#main/lib/logger.ts'
import { maskDatabaseUrls } from '#main/lib/mask-database-url.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { printable } from './output.ts'

/** The values of `--log-level`, from everything to nothing. */
export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof levels)[number]

/**
 * Creates the log: one JSON object per line, or a line for people on a terminal. Writes are synchronous, so that nothing
 * is lost when the process ends. Everything passes through `redact`.
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

/** `redact` has already converted errors to objects, which pino's own serializer would misread. */
const serializers = { err: (err: unknown) => err }

const Line = z.object({ level: z.string(), time: z.string(), msg: z.string() }).catchall(z.unknown())

/**
 * Formats a line of the log for people: `09:30:00 INFO  Accepting requests listenerUrl=http://…`. Escapes control
 * characters, so that external texts cannot control the terminal. Returns anything but a line of the log unchanged.
 */
function prettyLine(json: string): string {
  const line = Line.safeParse(parseJson(json)).data
  if (line === undefined) return json
  const { level, time, msg, ...fields } = line
  const texts = Object.entries(fields).map(([name, value]) => `${name}=${plainOf(value)}`)
  const head = [time.slice(11, 19), level.toUpperCase().padEnd(5), msg]
  return `${printable([...head, ...texts].join(' '))}\n`
}

/** Returns a single word unchanged, and anything else as JSON. */
function plainOf(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)
}

const hidden = '[redacted]'
const maxDepth = 8

/** Names of fields with credentials or data from external systems. */
const secretName =
  /secret|token|signature|authorization|cookie|password|passphrase|^(body|rawbody|bodytext|datatext|headers|rawheaders|key)$/i

/** Credentials inside texts: signing secrets, bearer tokens, the token in an inbound path. */
const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/whsec_[A-Za-z0-9+/_=-]+/g, `whsec_${hidden}`],
  [/(\bBearer +)[^\s"',]+/gi, `$1${hidden}`],
  [/(\/api\/connect\/)[^/\s"']+/g, `$1${hidden}`],
]

/** Returns the fields of a log entry without credentials and bodies, at any depth. Pure. */
export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactFields(fields, maxDepth)
}

function redactFields(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretName.test(name) && value !== null && value !== undefined ? hidden : redactValue(value, depth - 1),
    ]),
  )
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth <= 0 || ArrayBuffer.isView(value)) return hidden
  if (value instanceof Error) return redactFields(stdSerializers.err(value), depth)
  if (Array.isArray(value)) return value.map(item => redactValue(item, depth - 1))
  return value instanceof Date ? value : redactFields(value, depth)
}

function redactText(text: string): string {
  const masked = maskDatabaseUrls(text)
  return secretTexts.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), masked)
}
