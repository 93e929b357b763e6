import { randomBytes } from 'node:crypto'
import { basename, dirname, join, parse } from 'node:path'
import { Low } from 'lowdb'
import { createBus } from '#main/lib/bus.ts'
import {
  type FileSystem,
  freeName,
  isDiskFull,
  syncFolder,
  systemFiles,
  writeDurably,
  writePrivately,
} from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { settingsDefaults } from '#shared/model/settings.ts'
import type { Config } from '../config.ts'
import type { ConfigDiff } from '../config-diff.ts'
import type { ConfigChange, ConfigStore } from '../config-store.ts'
import { freezeConfig } from '../freeze-config.ts'
import { unavailable } from '../unavailable.ts'
import { type ConfigContent, createConfigContent } from './config-content.ts'
import {
  createJournal,
  deleteJournals,
  journalName,
  journalNumbers,
  numbersBeside,
} from './config-journal.ts'
import { type ConfigMark, createMark, markName, readMark } from './config-mark.ts'
import { firstPosition, type Position } from './config-position.ts'
import { applyWaiting, type WaitingUpdate, waitIn } from './config-updates.ts'
import { createDurableFile } from './durable-json-file.ts'
import type { Range } from './json-records.ts'
import { type Loaded, loadConfig, nothingLoaded } from './load-config.ts'
import { allMigrations, type Migration, rewrittenNotice } from './migrate.ts'
import { createSealedTexts, type SealedTexts } from './sealed-texts.ts'
import type { Sealer } from './secrets.ts'

/** Milliseconds without a change after which the file is written. */
const restMs = 1000
/** The file is written at rest at most for this share of the time. */
const mostOfTime = 1 / 50
/** The file is also written when its journal is larger than this, and than this share of the file. */
const largeJournal = { bytes: 4 * 1024 * 1024, share: 1 / 2 }
export type ConfigStoreOptions = {
  /** The configuration file, in a data folder that this process holds. */
  readonly file: string
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** The configuration of a new folder; by default only the default workspace. */
  readonly initial?: Config
  /** Called with a change that is in the snapshot, before it is announced. The update resolves after this has. */
  readonly onApplied?: (next: Config, diff: ConfigDiff) => Promise<void>
  /** Receives what a listener throws, and why the file could not be written. */
  readonly onError?: (error: unknown) => void
  readonly migrations?: readonly Migration[]
  /** Returns 8 random hexadecimal digits, which tell the histories of folders apart. */
  readonly newLineage?: () => string
  readonly fs?: FileSystem
  /** Frees space on a full disk; returns whether it could. */
  readonly makeRoom?: () => Promise<boolean>
  /** Calls back later; returns the function that prevents it. */
  readonly after?: (delayMs: number, callback: () => Promise<void>) => () => void
}

/** A store in a data folder. */
export type LocalConfigStore = ConfigStore & {
  /** Sentences for the operator about a migration. */
  readonly notices: readonly string[]
  /** Sentences for the operator about what is lost or damaged. */
  readonly losses: readonly string[]
  /** Writes the present configuration into a new file. */
  copyTo(file: string): Promise<void>
}

/** Returns the configuration of a new folder: only the default workspace. */
export function newConfig(now: number): Config {
  const at = new Date(now).toISOString()
  const workspace = {
    workspaceId: defaultWorkspaceId,
    name: 'Default',
    publicBaseUrl: null,
    webhook: null,
    removedWebhooks: 0,
    createdAt: at,
    updatedAt: at,
  }
  return {
    settings: settingsDefaults,
    listener: null,
    metricsToken: null,
    environment: new Map(),
    workspaces: new Map([[defaultWorkspaceId, workspace]]),
    connections: new Map(),
    cases: new Map(),
    workflows: new Map(),
    clientTokens: new Map(),
    agents: new Map(),
  }
}

/**
 * Opens the configuration in a JSON file with sealed credentials, and the journal of changes beside it
 * (docs/decisions/0015-configuration-journal.md). Migrates an older file and creates a missing one.
 *
 * @throws ServiceError `damaged_configuration`, `newer_configuration`, `wrong_key`; nothing was overwritten then.
 *   `storage_unavailable`.
 */
export async function openConfigStore(options: ConfigStoreOptions): Promise<LocalConfigStore> {
  const { file, sealer, clock, fs = systemFiles, migrations = allMigrations, makeRoom = noRoom } = options
  const { onError = warn, newLineage = randomLineage } = options
  const texts = createSealedTexts(sealer)
  const content = createConfigContent(file, texts, fs)
  const known = await readMark(file, fs)
  let position = firstPosition(newLineage(), clock())
  const adapter = createDurableFile<Loaded>({
    path: file,
    decode: bytes => loadConfig(bytes, { file, texts, migrations, mark: known, fs, now: clock() }),
    encode: ({ config, journal, ranges, position: place }) =>
      content.of(config, journal, place ?? position, ranges),
    clock,
    fs,
  })
  const fresh = nothingLoaded(options.initial ?? newConfig(clock()))
  const low = new Low(adapter, fresh)
  await low.read()
  const { migrated, unknown, losses } = low.data
  const left = await numbersBeside(file, fs)
  const isNew = low.data === fresh
  if (isNew && (left.length > 0 || known !== null)) {
    const found =
      left.length > 0 ? 'there are journals of its changes' : `${markName(file)} names its last change`
    throw new ServiceError('damaged_configuration', {
      detail: `${file} and its copy are missing, but ${found}. Restore the file, or move the others away to start over.`,
    })
  }
  const notices: string[] = []
  if (migrated !== null) {
    const steps = migrated.applied.map(step => `${step.name} (${step.from} to ${step.to})`).join(', ')
    const copy = await copyOldVersion(file, migrated, fs)
    notices.push(`The configuration was migrated: ${steps}. The previous file is kept as ${copy}.`)
    const rewritten = rewrittenNotice([...low.data.config.workflows.values()])
    if (migrated.from < 5 && rewritten !== null) notices.push(rewritten)
  }
  if (unknown.length > 0)
    notices.push(
      `${basename(file)} has keys that this version does not know and drops: ${unknown.join(', ')}.`,
    )
  const mark = createMark(file, fs)
  const isNewHistory = low.data.position === null
  position = low.data.position ?? position
  // Another history would seem to be missing.
  if (isNewHistory) await mark.remove().catch(onError)
  const write = async () => {
    await withRoom(() => low.write(), makeRoom)
    low.data = { ...low.data, inFile: low.data.journal, migrated: null, isWhole: true }
  }
  low.data = { ...low.data, position }
  // A new folder gets its file at once, so that an unwritable folder is found now.
  if (isNew || migrated !== null) await write()
  // The file names its history, so that what is missing later is noticed.
  else if (isNewHistory) await write().catch(onError)
  else if (left.length > 0) await syncJournals(file, left, fs).catch(onError)
  if (low.data.isWhole) await content.isNow(low.data.ranges)
  await mark.begin(position).catch(onError)
  const parts = { low, texts, content, mark, position, last: Math.max(low.data.journal, ...left) }
  return { ...createStore(options, parts), notices, losses: [...adapter.notices, ...losses] }
}

const randomLineage = () => randomBytes(4).toString('hex')

/** Makes the changes durable that a killed process may not have: the mark is not to be ahead of them. */
async function syncJournals(file: string, numbers: readonly number[], fs: FileSystem): Promise<void> {
  for (const number of numbers) {
    const journal = await fs.open(journalName(file, number), 'r+')
    await journal.datasync().finally(() => journal.close())
  }
  await syncFolder(dirname(file), fs)
}

/** Copies a file before its migration. Returns the name of the copy. */
async function copyOldVersion(
  file: string,
  { from, bytes }: NonNullable<Loaded['migrated']>,
  fs: FileSystem,
): Promise<string> {
  const { dir, name, ext } = parse(file)
  try {
    const copy = await freeName(join(dir, `${name}.v${from}${ext}`), fs)
    await writeDurably(copy, bytes, fs)
    return basename(copy)
  } catch (error) {
    throw unavailable('The configuration was not migrated, because its file cannot be copied', error)
  }
}

const noRoom = async () => false

/** Tries again if the disk was full and there is room now. */
async function withRoom(write: () => Promise<void>, makeRoom: () => Promise<boolean>): Promise<void> {
  await write().catch(async error => {
    const cause = error instanceof ServiceError ? error.cause : error
    if (!isDiskFull(cause) || !(await makeRoom())) throw error
    await write()
  })
}

type StoreParts = {
  readonly low: Low<Loaded>
  readonly texts: SealedTexts
  readonly content: ConfigContent
  readonly mark: ConfigMark
  /** The last change. */
  readonly position: Position
  /** The number of the last journal that exists, or whose changes the file has. */
  readonly last: number
}

function createStore(
  options: ConfigStoreOptions,
  { low, texts, content, mark, position, last }: StoreParts,
): Omit<LocalConfigStore, 'notices' | 'losses'> {
  const { file, clock, fs = systemFiles, onError = warn, makeRoom = noRoom, after = later } = options
  const changes = createBus<readonly [next: Config, previous: Config, diff: ConfigDiff]>(onError)
  const journal = createJournal(file, { number: last + 1, position, clock, fs })
  let snapshot = low.data.config
  freezeConfig(snapshot)
  /** Updates that have not been applied. */
  const waiting: WaitingUpdate[] = []
  /** Called when nothing is being appended. */
  const pausing: (() => Promise<void>)[] = []
  let running: Promise<void> | null = null
  let closed = false

  /** Makes an update durable, together with those that came while the one before was being written. */
  async function writeWaiting(): Promise<void> {
    const { applied, lines } = applyWaiting(waiting, snapshot, texts)
    try {
      if (lines.length > 0) await withRoom(() => journal.append(lines), makeRoom)
    } catch (error) {
      const problem = unavailable(`${basename(file)} cannot be written`, error)
      for (const { reject } of applied) reject(problem)
      return
    }
    if (lines.length > 0) await mark.move(journal.position()).catch(onError)
    for (const { next, previous, diff, resolve } of applied) {
      if (diff !== null) {
        snapshot = next
        const following = options.onApplied?.(next, diff).catch(onError)
        // In the same turn, so that nobody reads a change that others do not act on yet.
        changes.publish([next, previous, diff])
        await following
      }
      resolve()
    }
    if (lines.length > 0) rewriteLater()
  }

  async function run(): Promise<void> {
    while (waiting.length + pausing.length > 0) {
      for (const act of pausing.splice(0)) await act()
      if (waiting.length > 0) await writeWaiting()
    }
    running = null
  }

  /** Acts between two appends. */
  function paused<Result>(act: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      pausing.push(() => act().then(resolve, reject))
      running ??= run()
    })
  }

  /** Whether the file has all changes. */
  let isWhole = low.data.isWhole
  let rewriting: Promise<void> | null = null
  let lastTookMs = 0
  let cancelTimer = () => {}

  /** Writes the file once there have been no changes for a while, or at once if the journal is large. */
  function rewriteLater(): void {
    isWhole = false
    cancelTimer()
    if (closed) return
    const isLarge = journal.size() > Math.max(largeJournal.bytes, largeJournal.share * content.size())
    cancelTimer = after(isLarge ? 0 : Math.max(restMs, lastTookMs / mostOfTime), () => {
      rewriting ??= rewrite()
        .catch(onError)
        .finally(() => {
          rewriting = null
        })
      return rewriting
    })
  }

  /** Writes the file with all changes. Journals stay until its copy has their changes too. */
  async function rewrite(): Promise<void> {
    const began = performance.now()
    const before = low.data
    const ranges = new Map<object, Range>()
    low.data = await paused(async () => {
      const upTo = await journal.rotate()
      isWhole = true
      return {
        ...before,
        config: snapshot,
        journal: upTo,
        inFile: upTo,
        position: journal.position(),
        ranges,
      }
    })
    try {
      await low.write()
      await content.isNow(ranges)
    } catch (error) {
      isWhole = false
      low.data = before
      // What is wrong with the file may have kept its records from being copied.
      content.forget()
      throw error
    } finally {
      lastTookMs = performance.now() - began
    }
    await deleteJournals(file, before.inFile, fs)
  }

  const wholeContent = () => content.of(snapshot, low.data.journal, journal.position(), new Map())

  /** Leaves a file and a copy that have all changes, and no journal. */
  async function tidy(): Promise<void> {
    await rewriting
    if (!isWhole) await rewrite()
    const numbers = await journalNumbers(file, fs)
    if (numbers.length === 0) return
    // Not a copy of the file, which somebody else may have changed.
    await writeDurably(`${file}.bak`, wholeContent(), fs)
    await deleteJournals(file, Math.max(...numbers), fs)
  }

  if (!isWhole) rewriteLater()
  return {
    snapshot: () => snapshot,
    update<Result>(change: (config: Config) => ConfigChange<Result>) {
      if (closed) {
        return Promise.reject(new ServiceError('storage_unavailable', { detail: 'The service is stopping.' }))
      }
      const result = waitIn(waiting, change)
      running ??= run()
      return result
    },
    onChange: listener => changes.subscribe(change => listener(...change)),
    changeCount: changes.count,
    everywhere: { subscribe: listener => changes.subscribe(() => listener()), count: changes.count },
    copyTo: copy => writePrivately(copy, wholeContent(), fs),
    async close() {
      if (closed) return
      closed = true
      cancelTimer()
      await running
      await tidy().catch(onError)
      await mark.close().catch(onError)
      await journal.close()
    },
  }
}

function later(delayMs: number, callback: () => Promise<void>): () => void {
  const timer = setTimeout(() => void callback(), delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
