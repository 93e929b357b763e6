import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type FileSystem, systemFiles } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Config } from '../config.ts'
import { withChanges } from './config-change.ts'
import { type ReadConfig, readConfig } from './config-file.ts'
import { schemaVersion } from './config-file-schema.ts'
import { journalName, journalNumbers, type ReadJournal, readJournals } from './config-journal.ts'
import { DamagedContent, parseJson } from './durable-json-file.ts'
import { type SplitJson, splitRecords } from './json-records.ts'
import { allMigrations, type Migrated, type Migration, migrate, versionOf } from './migrate.ts'
import type { SealedTexts } from './sealed-texts.ts'

export type Loaded = Omit<ReadConfig, 'unknown'> & {
  /** The number of the last journal whose changes are in the file, as it is on the disk. */
  readonly inFile: number
  /** The file, if it was migrated. */
  readonly migrated: {
    readonly from: number
    readonly applied: Migrated['applied']
    readonly bytes: Buffer
  } | null
  /** Whether the file has all that its configuration has. */
  readonly isWhole: boolean
  /** Sentences for the operator. */
  readonly notices: readonly string[]
  readonly unknown: readonly string[]
}

/** Returns what `file` has, for a store that begins with `config`. */
export function nothingLoaded(config: Config): Loaded {
  return {
    config,
    journal: 0,
    inFile: 0,
    ranges: new Map(),
    migrated: null,
    isWhole: false,
    notices: [],
    unknown: [],
  }
}

/**
 * Reads the configuration from its file, or the copy of it, and the journals beside it.
 *
 * @throws DamagedContent; ServiceError `newer_configuration`, `wrong_key`, `storage_unavailable`.
 */
export async function loadConfig(
  bytes: Buffer,
  parts: {
    readonly file: string
    readonly texts: SealedTexts
    readonly migrations: readonly Migration[]
    readonly fs: FileSystem
    readonly now: number
  },
): Promise<Loaded> {
  const { file, texts, migrations, fs, now } = parts
  const notices: string[] = []
  const split = trySplit(bytes)
  const marker = markerOf(split === null ? parseJson(bytes) : split.rest)
  const journals = await readJournals(file, marker, { fs, now, onNotice: notice => notices.push(notice) })
  const isWhole = journals.length === 0
  if (isWhole && split !== null && versionOf(split.rest) === schemaVersion) {
    const read = readSplit(split, texts)
    if (read !== null) return { ...read, inFile: marker, migrated: null, isWhole, notices }
  }
  const raw = parseJson(bytes)
  const { value } = migrate(withJournals(raw, journals, migrations), migrations, schemaVersion)
  const { from, applied } = migrate(raw, migrations, schemaVersion)
  const migrated = applied.length === 0 ? null : { from, applied, bytes }
  const journal = Math.max(marker, ...journals.map(({ number }) => number))
  try {
    return { ...readConfig(value, texts), journal, inFile: marker, migrated, isWhole, notices }
  } catch (error) {
    if (isWhole || !(error instanceof DamagedContent)) throw error
    const names = journals.map(({ number }) => basename(journalName(file, number)))
    throw new DamagedContent(
      [`${error.message}, with the changes of ${names.join(', ')}`, ...notices].join('. '),
    )
  }
}

function trySplit(bytes: Buffer): SplitJson | null {
  try {
    return splitRecords(bytes)
  } catch {
    return null
  }
}

/** Returns null if the file is laid out in another way than it seemed to be. */
function readSplit({ rest, recordOf }: SplitJson, texts: SealedTexts): ReadConfig | null {
  try {
    return readConfig(rest, texts, recordOf)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}

/** Returns the number of the last journal whose changes are in a file. */
function markerOf(raw: unknown): number {
  const { journal } = Object(raw)
  return Number.isSafeInteger(journal) ? Number(journal) : 0
}

function withJournals(
  raw: unknown,
  journals: readonly ReadJournal[],
  migrations: readonly Migration[],
): unknown {
  return journals.reduce(
    (value, { version, changes }) => withChanges(migrate(value, migrations, version).value, changes),
    raw,
  )
}

/**
 * Returns the configuration file of a data folder that no service runs on, with the changes of its journals. It needs no
 * key.
 *
 * @param now milliseconds since 1970.
 * @throws ServiceError `damaged_configuration` if there are journals, and the file cannot be used.
 */
export async function readWholeFile(file: string, now: number): Promise<string> {
  const bytes = await readFile(file)
  if ((await journalNumbers(file, systemFiles)).length === 0) return bytes.toString('utf8')
  try {
    const raw = parseJson(bytes)
    const journals = await readJournals(file, markerOf(raw), { fs: systemFiles, now, onNotice: () => {} })
    return `${JSON.stringify(withJournals(raw, journals, allMigrations), null, 2)}\n`
  } catch (cause) {
    if (!(cause instanceof DamagedContent)) throw cause
    const detail = `${file} cannot be used: ${cause.message}. Start the service once, which uses its copy.`
    throw new ServiceError('damaged_configuration', { detail, cause })
  }
}
