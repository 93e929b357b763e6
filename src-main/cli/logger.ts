import { isatty } from 'node:tty'
import { destination, pino, stdSerializers } from 'pino'
import { z } from 'zod'
import type { Logger } from '#main/lib/logger.ts'
import { printable } from './output.ts'

/** What `--log-level` takes, from all to nothing. */
export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof levels)[number]

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

const Line = z.object({ level: z.string(), time: z.string(), msg: z.string() }).catchall(z.unknown())

/**
 * Returns a line of the log as people read it: `09:30:00 INFO  Accepting requests listenerUrl=http://…`. Control
 * characters of outside texts are escaped, so that they cannot steer the terminal.
 *
 * @param json one line, as the log writes it; anything else comes back as it is.
 */
function prettyLine(json: string): string {
  const line = parse(json)
  if (line === null) return json
  const { level, time, msg, ...fields } = line
  const texts = Object.entries(fields).map(([name, value]) => `${name}=${plainOf(value)}`)
  const head = [time.slice(11, 19), level.toUpperCase().padEnd(5), msg]
  return `${printable([...head, ...texts].join(' '))}\n`
}

/** A word stands as it is; anything else is JSON. */
function plainOf(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)
}

function parse(json: string): z.infer<typeof Line> | null {
  try {
    return Line.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}

const hidden = '[redacted]'
const maxDepth = 8

/** Fields that hold a credential, or what an external system sent. */
const secretName =
  /secret|token|signature|authorization|cookie|password|passphrase|^(body|rawbody|bodytext|datatext|headers|rawheaders|key)$/i

/** Credentials in running text: signing secrets, bearer tokens, the token in an inbound path. */
const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/whsec_[A-Za-z0-9+/_=-]+/g, `whsec_${hidden}`],
  [/(\bBearer +)[^\s"',]+/gi, `$1${hidden}`],
  [/(\/api\/connect\/)[^/\s"']+/g, `$1${hidden}`],
]

/** The fields of a log entry without credentials and bodies, however deep they lie. Pure. */
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
  return secretTexts.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
}
