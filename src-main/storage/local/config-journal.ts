import type { FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { describeProblems } from '#main/lib/describe-problems.ts'
import { type FileSystem, freeName, linkOrCopy, syncFolder } from '#main/lib/file-system.ts'
import { unavailable } from '../unavailable.ts'
import { FileChange } from './config-change.ts'
import { schemaVersion } from './config-file-schema.ts'
import { DamagedContent, parseJson } from './durable-json-file.ts'

/**
 * The changes since the configuration file was written: numbered files beside it, each with a line that gives the
 * version and a line for each update. Each line has its checksum: a changed bit could delete a record, and nobody would
 * notice. A process appends only to files that it has created, so a line that a kill has cut off is the last one of its
 * file.
 */
export type Journal = {
  /** Appends a line for each change, at once. They are durable when it resolves; if it fails, none is there. */
  append(changes: readonly FileChange[]): Promise<void>
  /** Lets later changes begin another file. Returns the number of the last file before it. */
  rotate(): Promise<number>
  /** Returns the bytes that were written since the last rotation. */
  size(): number
  close(): Promise<void>
}

/** Returns the path of a journal. */
export const journalName = (file: string, number: number) => `${file}.journal-${number}`

/** Returns the numbers of the journals beside a configuration file, in their order. */
export async function journalNumbers(file: string, fs: FileSystem): Promise<number[]> {
  const prefix = journalName(basename(file), 0).slice(0, -1)
  const names = (await fs.readdir(dirname(file))).filter(name => name.startsWith(prefix))
  const numbers = names.map(name => name.slice(prefix.length)).filter(text => /^[1-9]\d{0,14}$/.test(text))
  return numbers.map(Number).sort((one, other) => one - other)
}

/** Returns the paths of the journals beside a configuration file. */
export async function journalPaths(file: string, fs: FileSystem): Promise<string[]> {
  return (await journalNumbers(file, fs)).map(number => journalName(file, number))
}

/** Deletes the journals up to a number. What cannot be deleted stays: it is ignored. */
export async function deleteJournals(file: string, upTo: number, fs: FileSystem): Promise<void> {
  for (const number of await journalNumbers(file, fs))
    if (number <= upTo) await fs.rm(journalName(file, number), { force: true })
}

/** @param number of its first file. */
export function createJournal(file: string, number: number, fs: FileSystem): Journal {
  let next = number
  let open: FileHandle | null = null
  /** Bytes of complete lines. A write that failed may have left more. */
  let length = 0
  let hasRemains = false

  async function begin(): Promise<FileHandle> {
    const path = journalName(file, next)
    await fs.rm(path, { force: true })
    length = 0
    hasRemains = false
    return fs.open(path, 'wx', 0o600)
  }

  /** Removes what a failed write has left: its change was refused, so no start may apply it. */
  async function removeRemains(handle: FileHandle): Promise<void> {
    await handle.truncate(length)
    await handle.datasync()
    hasRemains = false
  }

  async function end(): Promise<void> {
    const handle = open
    open = null
    await handle?.close()
  }

  return {
    async append(changes) {
      const isNew = open === null
      const handle = open ?? (await begin())
      open = handle
      const lines = isNew ? [{ schemaVersion }, ...changes] : changes
      const bytes = Buffer.from(lines.map(lineOf).join(''))
      try {
        if (hasRemains) await removeRemains(handle)
        hasRemains = true
        for (let written = 0; written < bytes.length; )
          written += (await handle.write(bytes, written, bytes.length - written, length + written))
            .bytesWritten
        await handle.datasync()
        if (isNew) await syncFolder(dirname(file), fs)
        length += bytes.length
        hasRemains = false
      } catch (error) {
        if (isNew) {
          await end().catch(() => {})
          await fs.rm(journalName(file, next), { force: true }).catch(() => {})
        } else await removeRemains(handle).catch(() => {})
        throw error
      }
    },
    async rotate() {
      if (open !== null) {
        if (hasRemains) await removeRemains(open).catch(() => {})
        await end().catch(() => {})
        next++
        length = 0
      }
      return next - 1
    },
    size: () => length,
    close: end,
  }
}

export type ReadJournal = {
  readonly number: number
  /** The schema version of its records. */
  readonly version: number
  readonly changes: readonly FileChange[]
}

/**
 * Reads the journals after a number, the oldest first. A last line without its end was never confirmed, so it is left
 * out, unless it is whole. A file with another line that cannot be read is kept under another name, and `onNotice` gets a sentence for the
 * operator; the other lines are used.
 *
 * @param now milliseconds since 1970.
 * @throws ServiceError `storage_unavailable`.
 */
export async function readJournals(
  file: string,
  after: number,
  { fs, now, onNotice }: { fs: FileSystem; now: number; onNotice: (notice: string) => void },
): Promise<ReadJournal[]> {
  const numbers = await journalNumbers(file, fs).catch(error => {
    throw unavailable(`${dirname(file)} cannot be read`, error)
  })
  const journals: ReadJournal[] = []
  let last = after
  for (const number of numbers.filter(number => number > after)) {
    const path = journalName(file, number)
    if (number !== last + 1)
      onNotice(
        `${basename(journalName(file, last + 1))} is missing, and its changes are lost. Later ones were applied.`,
      )
    last = number
    try {
      const { problems, ...journal } = parseJournal(await fs.readFile(path))
      journals.push({ ...journal, number })
      if (problems.length === 0) continue
      const aside = await freeName(`${path}.damaged-${new Date(now).toISOString().replaceAll(':', '-')}`, fs)
      await linkOrCopy(path, aside, fs)
      onNotice(
        `${basename(path)} has changes that cannot be read and are lost: ${problems.join('; ')}. The others were applied. The file is kept as ${basename(aside)}.`,
      )
    } catch (error) {
      throw unavailable(`${path} cannot be read`, error)
    }
  }
  return journals
}

const Head = z.object({ schemaVersion: z.int() })
const newline = 0x0a
/** A tab, which JSON texts escape, and the checksum in hexadecimal digits. */
const checksumLength = 9

function lineOf(content: object): string {
  const text = JSON.stringify(content)
  return `${text}${checksumOf(Buffer.from(text))}\n`
}

function checksumOf(text: Uint8Array): string {
  return `\t${crc32(text).toString(16).padStart(8, '0')}`
}

/** Returns the JSON of a line; null if it is not as it was written. */
function contentOf(line: Buffer): Buffer | null {
  const text = line.subarray(0, -checksumLength)
  return line.toString('latin1', text.length) === checksumOf(text) ? text : null
}

function parseJournal(bytes: Buffer): Omit<ReadJournal, 'number'> & { readonly problems: readonly string[] } {
  const changes: FileChange[] = []
  const problems: string[] = []
  let version = schemaVersion
  for (const [index, line] of linesOf(bytes).entries()) {
    try {
      const text = contentOf(line)
      if (text === null) throw new DamagedContent('it is not as it was written')
      const content = parseJson(text)
      if (index === 0) version = parsed(Head, content).schemaVersion
      else changes.push(parsed(FileChange, content))
    } catch (error) {
      if (!(error instanceof DamagedContent)) throw error
      problems.push(`line ${index + 1}: ${error.message}`)
    }
  }
  return { version, changes, problems }
}

/** Returns the lines without their ends. A rest behind the last one is a line if only its end is missing or changed. */
function linesOf(bytes: Buffer): Buffer[] {
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
