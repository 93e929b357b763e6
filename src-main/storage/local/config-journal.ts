import type { FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type FileSystem, syncFolder } from '#main/lib/file-system.ts'
import { unavailable } from '../unavailable.ts'
import type { FileChange } from './config-change.ts'
import { schemaVersion } from './config-file-schema.ts'
import { type Position, textOf } from './config-position.ts'
import { lineOf } from './journal-lines.ts'

/**
 * The changes since the configuration file was written: numbered files beside it, each with a line that gives the
 * version of its records and a line for each update. Each line names the one before it, so that a missing one is
 * noticed. A process appends only to files that it has created, so a line that a kill has cut off is the last one of its
 * file. A file gets its name with its first lines in it, so an empty one is damaged.
 */
export type Journal = {
  /** Appends a line for each change, at once. They are durable when it resolves; if it fails, none is there. */
  append(changes: readonly FileChange[]): Promise<void>
  /** Lets later changes begin another file. Returns the number of the last file before it. */
  rotate(): Promise<number>
  /** Returns the position after the last change. */
  position(): Position
  /** Returns the bytes that were written since the last rotation. */
  size(): number
  close(): Promise<void>
}

/** Returns the path of a journal. */
export const journalName = (file: string, number: number) => `${file}.journal-${number}`

/** Returns the path of a journal while its first lines are being written. */
const temporaryName = (file: string, number: number) => `${journalName(file, number)}.tmp`

/** Returns the numbers of the journals beside a configuration file, in their order. */
export async function journalNumbers(file: string, fs: FileSystem): Promise<number[]> {
  const prefix = journalName(basename(file), 0).slice(0, -1)
  const names = (await fs.readdir(dirname(file))).filter(name => name.startsWith(prefix))
  const numbers = names.map(name => name.slice(prefix.length)).filter(text => /^[1-9]\d{0,14}$/.test(text))
  return numbers.map(Number).sort((one, other) => one - other)
}

/** Returns the same. @throws ServiceError `storage_unavailable`. */
export function numbersBeside(file: string, fs: FileSystem): Promise<number[]> {
  return journalNumbers(file, fs).catch(error => {
    throw unavailable(`${dirname(file)} cannot be read`, error)
  })
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

type JournalParts = {
  /** The number of its first file. */
  readonly number: number
  /** The position that its first change follows. */
  readonly position: Position
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly fs: FileSystem
}

/** @param file the configuration file. */
export function createJournal(file: string, { number, position: start, clock, fs }: JournalParts): Journal {
  let next = number
  let position = start
  let open: FileHandle | null = null
  /** Bytes of complete lines. A write that failed may have left more. */
  let length = 0
  let hasRemains = false

  async function begin(): Promise<FileHandle> {
    const path = temporaryName(file, next)
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
      const { text, end: reached } = chained(position, changes, new Date(clock()).toISOString())
      const bytes = Buffer.from(isNew ? lineOf({ schemaVersion }).line + text : text)
      try {
        if (hasRemains) await removeRemains(handle)
        hasRemains = true
        for (let written = 0; written < bytes.length; )
          written += (await handle.write(bytes, written, bytes.length - written, length + written))
            .bytesWritten
        await handle.datasync()
        if (isNew) {
          await fs.rename(temporaryName(file, next), journalName(file, next))
          await syncFolder(dirname(file), fs)
        }
        position = reached
        length += bytes.length
        hasRemains = false
      } catch (error) {
        if (isNew) {
          await end().catch(() => {})
          for (const path of [journalName(file, next), temporaryName(file, next)])
            await fs.rm(path, { force: true }).catch(() => {})
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
    position: () => position,
    size: () => length,
    close: end,
  }
}

/** Returns the lines of changes that follow a position, and the position after them. */
function chained(start: Position, changes: readonly FileChange[], at: string) {
  let end = start
  let text = ''
  for (const change of changes) {
    const { line, seal } = lineOf({ follows: textOf(end), at, ...change })
    text += line
    end = { lineage: end.lineage, version: end.version + 1, at, seal }
  }
  return { text, end }
}
