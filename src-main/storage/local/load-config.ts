import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type FileSystem, systemFiles } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Config } from '../config.ts'
import { withChanges } from './config-change.ts'
import { type ReadConfig, readConfig } from './config-file.ts'
import { schemaVersion } from './config-file-schema.ts'
import { journalName, journalNumbers, numbersBeside } from './config-journal.ts'
import { readMark } from './config-mark.ts'
import { isAsWritten, type Position, writtenPosition } from './config-position.ts'
import { DamagedContent, parseJson } from './durable-json-file.ts'
import type { JournalLine } from './journal-lines.ts'
import { type SplitJson, splitRecords } from './json-records.ts'
import { allMigrations, type Migrated, type Migration, migrate, versionOf } from './migrate.ts'
import { type ReadJournals, readJournals } from './read-journals.ts'
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
  /** The position of its last change; null if an earlier version wrote the file, or somebody else. */
  readonly position: Position | null
  /** Sentences for the operator about what is lost or damaged. */
  readonly losses: readonly string[]
  readonly unknown: readonly string[]
}

/** Returns what a store has that begins with `config`. */
export function nothingLoaded(config: Config): Loaded {
  return {
    config,
    journal: 0,
    inFile: 0,
    ranges: new Map(),
    migrated: null,
    isWhole: false,
    position: null,
    losses: [],
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
    /** The newest change that was confirmed; null if that is not known. */
    readonly mark: Position | null
    readonly fs: FileSystem
    readonly now: number
  },
): Promise<Loaded> {
  const { file, texts, migrations, mark, fs, now } = parts
  const split = trySplit(bytes)
  const head = split === null ? parseJson(bytes) : split.rest
  const marker = markerOf(head)
  const start = writtenPosition(Object(head).written)
  const changed = await changeOf(bytes, head, file, fs)
  const read = await readJournals(file, { after: marker, start, mark, fs, now })
  const { journals } = read
  const state = { inFile: marker, position: positionOf(read, mark), losses: [...changed, ...read.losses] }
  const isWhole = journals.length === 0 && state.losses.length === 0
  if (journals.length === 0 && split !== null && versionOf(split.rest) === schemaVersion) {
    const config = readSplit(split, texts)
    if (config !== null) return { ...config, ...state, migrated: null, isWhole }
  }
  const raw = parseJson(bytes)
  const { value } = migrate(withLines(raw, read.chain.lines, migrations), migrations, schemaVersion)
  const { from, applied } = migrate(raw, migrations, schemaVersion)
  const migrated = applied.length === 0 ? null : { from, applied, bytes }
  const journal = Math.max(marker, ...journals.map(({ number }) => number))
  try {
    return { ...readConfig(value, texts), ...state, journal, migrated, isWhole }
  } catch (error) {
    if (journals.length === 0 || !(error instanceof DamagedContent)) throw error
    const names = journals.map(({ number }) => basename(journalName(file, number)))
    throw new DamagedContent(
      [`${error.message}, with the changes of ${names.join(', ')}`, ...state.losses].join('. '),
    )
  }
}

/**
 * Returns what to tell the operator of a file that is not as it was written. It is used, because it may be edited after
 * a stop.
 *
 * @throws DamagedContent after a kill, when nobody may edit it, and its copy may be used.
 */
async function changeOf(bytes: Buffer, head: unknown, file: string, fs: FileSystem): Promise<string[]> {
  if (Object(head).written === undefined || isAsWritten(bytes)) return []
  const hasCopy = await fs.access(`${file}.bak`).then(
    () => true,
    () => false,
  )
  const numbers = hasCopy ? await numbersBeside(file, fs) : []
  if (numbers.length > 0) throw new DamagedContent('it is not as it was written')
  return [
    `${basename(file)} is not as the service has written it: it was edited, or it is damaged. It is used as it is. If nobody has edited it, check the configuration, or restore a backup.`,
  ]
}

/** Returns the position after all changes, and after those that are missing: no version is used twice. */
function positionOf({ chain: { end } }: ReadJournals, mark: Position | null): Position | null {
  if (end === null || mark?.lineage !== end.lineage || mark.version <= end.version) return end
  return { ...end, version: mark.version, at: mark.at }
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

/** Returns the JSON of a file with changes, which several versions of this program may have written. */
function withLines(raw: unknown, lines: readonly JournalLine[], migrations: readonly Migration[]): unknown {
  let value = raw
  for (let from = 0; from < lines.length; ) {
    const version = lines[from]?.version ?? schemaVersion
    const other = lines.findIndex((line, index) => index > from && line.version !== version)
    const to = other === -1 ? lines.length : other
    const changes = lines.slice(from, to).map(({ change }) => change)
    value = withChanges(migrate(value, migrations, version).value, changes)
    from = to
  }
  return value
}

/**
 * Returns the configuration file of a data folder that no service runs on, with the changes of its journals. It needs no
 * key.
 *
 * @param now milliseconds since 1970.
 * @throws ServiceError `damaged_configuration` if the file cannot be used, or changes are missing: a backup would not
 *   have them, and would not say so.
 */
export async function readWholeFile(file: string, now: number): Promise<string> {
  const bytes = await readFile(file)
  const split = trySplit(bytes)
  const hasJournals = (await journalNumbers(file, systemFiles)).length > 0
  // A restore says what is wrong with it.
  if (split === null && !hasJournals && !isJson(bytes)) return bytes.toString('utf8')
  const mark = await readMark(file, systemFiles)
  const refused = (why: string, cause?: unknown) => {
    const detail = `${file} cannot be used: ${why} Start the service once, which uses what is left and says what is lost.`
    return new ServiceError('damaged_configuration', { detail, cause })
  }
  try {
    const head = split?.rest ?? parseJson(bytes)
    const start = writtenPosition(Object(head).written)
    const parts = { after: markerOf(head), start, mark, fs: systemFiles, now }
    const { journals, chain, losses } = await readJournals(file, parts)
    if (losses.length > 0) throw refused(losses.join(' '))
    if (journals.length === 0) return bytes.toString('utf8')
    const { written: _, ...rest } = Object(parseJson(bytes))
    return `${JSON.stringify(withLines(rest, chain.lines, allMigrations), null, 2)}\n`
  } catch (cause) {
    if (!(cause instanceof DamagedContent)) throw cause
    throw refused(`${cause.message}.`, cause)
  }
}

function isJson(bytes: Buffer): boolean {
  try {
    parseJson(bytes)
    return true
  } catch {
    return false
  }
}
