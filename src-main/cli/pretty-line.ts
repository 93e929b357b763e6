import { z } from 'zod'

const Line = z.object({ level: z.string(), time: z.string(), msg: z.string() }).catchall(z.unknown())

/** Everything that a terminal may act upon but the line's own end: C0, DEL and C1 controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controls = /[\u0000-\u001f\u007f-\u009f]/g

/**
 * Returns a line of the log as people read it: `09:30:00 INFO  Accepting requests listenerUrl=http://…`. Control
 * characters of outside texts are escaped, so that they cannot steer the terminal.
 *
 * @param json one line, as the log writes it; anything else comes back as it is.
 */
export function prettyLine(json: string): string {
  const line = parse(json)
  if (line === null) return json
  const { level, time, msg, ...fields } = line
  const texts = Object.entries(fields).map(([name, value]) => `${name}=${plainOf(value)}`)
  const head = [time.slice(11, 19), level.toUpperCase().padEnd(5), msg]
  return `${[...head, ...texts].join(' ').replace(controls, escapeControl)}\n`
}

/** A word stands as it is; anything else is JSON. */
function plainOf(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)
}

const escapeControl = (control: string) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`

function parse(json: string): z.infer<typeof Line> | null {
  try {
    return Line.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
