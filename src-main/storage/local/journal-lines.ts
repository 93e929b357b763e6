import { z } from 'zod'
import { describeProblems } from '#main/lib/describe-problems.ts'
import { FileChange } from './config-change.ts'
import { schemaVersion } from './config-file-schema.ts'
import { checksum, PositionText } from './config-position.ts'
import { DamagedContent, parseJson } from './durable-json-file.ts'

/** The first line of a journal: the version of its records. */
const Head = z.object({ schemaVersion: z.int() })

/** A change as a journal has it; version 0.2.0 did not write what it follows. */
const JournalChange = FileChange.extend({
  /** The position before the change. */
  follows: PositionText.optional(),
  /** When it was made: ISO 8601, UTC. */
  at: z.iso.datetime().optional(),
})

export type JournalLine = {
  /** The schema version of its records. */
  readonly version: number
  readonly change: z.infer<typeof JournalChange>
  /** Its checksum, by which the next line names it. */
  readonly seal: string
}

export type ParsedJournal = {
  readonly lines: readonly JournalLine[]
  /** The problems, each with the number of its line. */
  readonly problems: readonly string[]
}

const newline = 0x0a
/** A tab, which JSON texts escape, and the checksum. */
const endLength = 9

/** Returns a line and its checksum: a changed bit could turn a change into a deletion, and nobody would know. */
export function lineOf(content: object): { readonly line: string; readonly seal: string } {
  const text = JSON.stringify(content)
  const seal = checksum(Buffer.from(text))
  return { line: `${text}\t${seal}\n`, seal }
}

/**
 * Parses a journal. A last line without its end was never confirmed, so it is left out, unless it is whole; lines that
 * cannot be read are left out too.
 */
export function parseJournal(bytes: Buffer): ParsedJournal {
  const lines: Omit<JournalLine, 'version'>[] = []
  const problems: string[] = []
  let version: number | null = null
  for (const [index, line] of splitLines(bytes).entries()) {
    try {
      const text = contentOf(line)
      if (text === null) throw new DamagedContent('it is not as it was written')
      const content = parseJson(text)
      const head = Head.safeParse(content).data
      if (head !== undefined) version ??= head.schemaVersion
      else lines.push({ change: parsed(JournalChange, content), seal: checksum(text) })
    } catch (error) {
      if (!(error instanceof DamagedContent)) throw error
      problems.push(`line ${index + 1}: ${error.message}`)
    }
  }
  if (version === null && problems.length === 0) problems.push('line 1: it is missing')
  return { lines: lines.map(line => ({ ...line, version: version ?? schemaVersion })), problems }
}

/** Returns the JSON of a line; null if it is not as it was written. */
function contentOf(line: Buffer): Buffer | null {
  const text = line.subarray(0, -endLength)
  return line.toString('latin1', text.length) === `\t${checksum(text)}` ? text : null
}

/** Returns the lines without their ends. A rest behind the last one is a line if only its end is missing or changed. */
function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let to = bytes.indexOf(newline); to !== -1; to = bytes.indexOf(newline, from)) {
    lines.push(bytes.subarray(from, to))
    from = to + 1
  }
  const rest = [bytes.subarray(from), bytes.subarray(from, -1)].find(line => contentOf(line) !== null)
  return rest === undefined ? lines : [...lines, rest]
}

function parsed<Value>(schema: z.ZodType<Value>, line: unknown): Value {
  const { data, error } = schema.safeParse(line)
  if (error !== undefined) throw new DamagedContent(describeProblems(error))
  return data
}
