import { existsSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { messageOf } from '#main/lib/file-system.ts'
import { integer } from '../../rows/stored-text.ts'
import { makePrivate, setAside, suffixes, syncFile } from './files.ts'
import {
  type DatabaseSchema,
  ForeignSchemaError,
  isDamage,
  lockTimeoutMs,
  openOwnDatabase,
} from './own-database.ts'
import { copyReadable } from './salvage.ts'

/** Bytes of the largest file that is checked completely when it is opened: about 100 ms. */
export const checkUpTo = 64 * 1024 * 1024

export type OpenOptions = {
  readonly maxPages?: number | null
  /** Milliseconds to wait for a lock that another process holds. */
  readonly timeout?: number
  /** See `openOwnDatabase`. */
  readonly isDiskFull?: boolean
  /** Bytes of the largest file that is checked completely; `checkUpTo` by default. */
  readonly checkUpTo?: number
  /** Whether damage has been found already, so that the file is repaired without a check. */
  readonly isDamaged?: boolean
  /** Whether a database with a foreign structure counts as damaged; otherwise it is refused. */
  readonly replacesForeign?: boolean
  /** Receives a sentence for the operator about a repair. */
  readonly onNotice: (notice: string) => void
}

/**
 * Opens a database like `openOwnDatabase`, and repairs it if it is damaged: everything that can be read is copied to a
 * new file, which rebuilds its indexes, and the damaged file is set aside. If there is no space for the copy, the
 * damaged file stays in use. A file that cannot be opened is set aside, and a new one is started.
 *
 * @throws the errors of `openOwnDatabase` that are not damage.
 */
export function openOrRepair(file: string, schema: DatabaseSchema, options: OpenOptions): DatabaseSync {
  const open = () => {
    makePrivate(file)
    return openOwnDatabase(file, schema, options.maxPages ?? null, options.timeout, options.isDiskFull)
  }
  const isDamageHere = (error: unknown) =>
    isDamage(error) || (error instanceof ForeignSchemaError && options.replacesForeign === true)
  let database: DatabaseSync | null = null
  let reason = options.isDamaged === true ? 'database disk image is malformed' : null
  try {
    database = open()
    reason ??= problemOf(database, options.checkUpTo ?? checkUpTo)
  } catch (error) {
    if (!isDamageHere(error)) throw error
    reason ??= messageOf(error)
  }
  if (database !== null && reason === null) return database
  const was = `The ${schema.name} was damaged (${reason}).`
  try {
    const copied = copyReadableTo(file, schema)
    database?.close()
    database = null
    options.onNotice(`${was} ${replace(file, copied)}`)
  } catch (error) {
    removeCopies(file)
    const problem = `${was} It could not be repaired: ${messageOf(error)}.`
    if (database !== null) {
      options.onNotice(`${problem} What can be read of it stays in use. Restore a backup if data is missing.`)
      return database
    }
    const aside = setAside(file, Date.now())
    options.onNotice(
      `${problem} It is kept as ${aside}, and a new one is started. Restore a backup if data is missing.`,
    )
  }
  return open()
}

/** Milliseconds between two repairs: damage that is found again so soon is of a kind that a repair does not fix. */
export const repairEvery = 10 * 60_000

/**
 * Opens a database that only this thread uses, and repairs it when damage is found at the start or later. A database
 * with a foreign structure counts as damaged.
 *
 * @param prepare returns what the thread works with on an open database.
 */
export function openRepairing<Prepared>(
  file: string,
  schema: DatabaseSchema,
  options: Pick<OpenOptions, 'maxPages' | 'isDiskFull' | 'onNotice'>,
  prepare: (database: DatabaseSync) => Prepared,
) {
  let repairedAt = Number.NEGATIVE_INFINITY
  let database = openOrRepair(file, schema, { ...options, replacesForeign: true })
  let prepared: Prepared | null = null

  function repair(): void {
    repairedAt = performance.now()
    prepared = null
    if (database.isOpen) database.close()
    database = openOrRepair(file, schema, { ...options, replacesForeign: true, isDamaged: true })
  }

  function once<Result>(act: (prepared: Prepared) => Result): Result {
    if (!database.isOpen) database = openOrRepair(file, schema, { ...options, replacesForeign: true })
    prepared ??= prepare(database)
    return act(prepared)
  }

  return {
    /** Runs `act`, and once more if it finds damage. @throws what `act` throws. */
    use<Result>(act: (prepared: Prepared) => Result): Result {
      try {
        return once(act)
      } catch (error) {
        if (!isDamage(error) || performance.now() < repairedAt + repairEvery) throw error
        repair()
        return once(act)
      }
    },
    close() {
      if (database.isOpen) database.close()
    },
  }
}

/**
 * Reads the whole database, and compares its indexes with its tables. Returns what is wrong; null if nothing is, or if
 * the database has more than `upTo` bytes.
 */
export function problemOf(database: DatabaseSync, upTo: number): string | null {
  try {
    const size = pragmaOf(database, 'page_count') * pragmaOf(database, 'page_size')
    if (size > upTo) return null
    const result = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {})[0]
    return result === 'ok' ? null : String(result).replaceAll(/\s+/g, ' ').trim()
  } catch (error) {
    if (!isDamage(error)) throw error
    return messageOf(error)
  }
}

function pragmaOf(database: DatabaseSync, pragma: string): number {
  return integer(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])
}

type Copied = { readonly rows: number; readonly isComplete: boolean }

/** Puts the copy in the place of the damaged file. Returns sentences for the operator. */
function replace(file: string, { rows, isComplete }: Copied): string {
  const aside = setAside(file, Date.now())
  if (rows > 0) renameSync(repairedFile(file), file)
  else removeCopies(file)
  const backup = 'Restore a backup if data is missing.'
  if (rows === 0)
    return `Nothing in it could be read. It is kept as ${aside}, and a new one is started. ${backup}`
  const found = isComplete ? 'were found and are kept' : 'could be read and are kept, the others are lost'
  return `It was repaired: ${rows.toLocaleString('en')} records ${found}. The damaged file is kept as ${aside}. Check the disk. ${backup}`
}

/** Where the new file is built, and where it is once it is complete. */
const unfinishedFile = (file: string) => `${file}.repairing`
const repairedFile = (file: string) => `${file}.repaired`

/** Deletes what a repair has left. A file that cannot be deleted stays. */
function removeCopies(file: string): void {
  for (const copy of [unfinishedFile(file), repairedFile(file)])
    for (const suffix of suffixes) {
      try {
        rmSync(copy + suffix, { force: true })
      } catch {}
    }
}

/** Completes a repair that a kill has interrupted, or clears it away. Call it before anything opens the file. */
export function finishRepair(file: string): void {
  if (!existsSync(file) && existsSync(repairedFile(file))) {
    // SQLite would write what the log of the damaged file has over the repaired one.
    setAside(file, Date.now())
    renameSync(repairedFile(file), file)
  }
  removeCopies(file)
}

const nothing: Copied = { rows: 0, isComplete: false }

/** Copies what can be read of a database to a new file beside it. */
function copyReadableTo(file: string, schema: DatabaseSchema): Copied {
  try {
    return copyTo(file, schema)
  } catch (error) {
    if (!isDamage(error)) throw error
    return nothing
  }
}

function copyTo(file: string, schema: DatabaseSchema): Copied {
  removeCopies(file)
  const unfinished = unfinishedFile(file)
  // Without `defensive`, SQLite passes over a definition that it cannot parse.
  const damaged = new DatabaseSync(file, { readOnly: true, defensive: false, timeout: lockTimeoutMs })
  try {
    damaged.exec('PRAGMA writable_schema = ON; PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY')
    makePrivate(unfinished)
    const target = new DatabaseSync(unfinished)
    try {
      // Nothing reads the file before it is complete and synced.
      target.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY')
      for (const sql of schema.migrations) target.exec(sql)
      target.exec(`PRAGMA user_version = ${schema.migrations.length}; BEGIN`)
      const lost = new Set<string>()
      const rows = copyReadable(damaged, target, table => void lost.add(table))
      schema.makeConsistent(target, lost, damaged)
      target.exec('COMMIT')
      const problem = problemOf(target, Number.POSITIVE_INFINITY)
      if (problem !== null) throw new Error(problem)
      target.close()
      syncFile(unfinished)
      renameSync(unfinished, repairedFile(file))
      return { rows, isComplete: lost.size === 0 }
    } finally {
      if (target.isOpen) target.close()
    }
  } finally {
    damaged.close()
  }
}
