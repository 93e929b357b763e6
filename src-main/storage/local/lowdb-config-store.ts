import { basename, join, parse } from 'node:path'
import { Low } from 'lowdb'
import { createBus } from '#main/lib/bus.ts'
import { type FileSystem, freeName, systemFiles, writeDurably } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { settingsDefaults } from '#shared/model/settings.ts'
import type { Config } from '../config.ts'
import { type ConfigDiff, diffConfig } from '../config-diff.ts'
import type { ConfigChange, ConfigStore } from '../config-store.ts'
import { unavailable } from '../unavailable.ts'
import { fromFile, type StoredConfig, toFile } from './config-file.ts'
import { schemaVersion } from './config-file-schema.ts'
import { createDurableJsonFile } from './durable-json-file.ts'
import { allMigrations, type Migrated, type Migration, migrate } from './migrate.ts'
import type { Sealer } from './secrets.ts'

export type ConfigStoreOptions = {
  /** The configuration file, in a data folder that this process holds. */
  readonly file: string
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** The configuration of a new folder; by default only the default workspace. */
  readonly initial?: Config
  /** Receives what a listener throws. */
  readonly onError?: (error: unknown) => void
  readonly migrations?: readonly Migration[]
  readonly fs?: FileSystem
  /** Frees space on a full disk; returns whether it could. */
  readonly makeRoom?: () => Promise<boolean>
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
    environment: new Map(),
    workspaces: new Map([[defaultWorkspaceId, workspace]]),
    connections: new Map(),
    workflows: new Map(),
    clientTokens: new Map(),
    agents: new Map(),
  }
}

/** The content of the file that the configuration was read from. */
type Origin = { readonly migrated: Migrated; readonly text: string; readonly unknown: readonly string[] }
type Loaded = StoredConfig & { readonly origin?: Origin }

/**
 * Opens the configuration in a JSON file with sealed credentials. Migrates an older file and creates a missing one.
 *
 * @returns the store, and `notices` for the operator: a recovery, a migration.
 * @throws ServiceError `damaged_configuration`, `newer_configuration`, `wrong_key`; nothing was overwritten then.
 *   `storage_unavailable`.
 */
export async function openConfigStore(
  options: ConfigStoreOptions,
): Promise<ConfigStore & { readonly notices: readonly string[] }> {
  const { file, sealer, clock, fs = systemFiles, migrations = allMigrations } = options
  const adapter = createDurableJsonFile<Loaded>({
    path: file,
    decode(raw, text) {
      const migrated = migrate(raw, migrations, schemaVersion)
      const { unknown, ...stored } = fromFile(migrated.value, sealer)
      return { ...stored, origin: { migrated, text, unknown } }
    },
    encode: stored => stored.file,
    clock,
    fs,
    makeRoom: options.makeRoom,
  })
  const initial = options.initial ?? newConfig(clock())
  const fresh: Loaded = { config: initial, file: toFile(initial, sealer) }
  const low = new Low(adapter, fresh)
  await low.read()
  const { origin } = low.data
  const notices = [...adapter.notices]
  const applied = origin?.migrated.applied ?? []
  if (origin !== undefined && applied.length > 0) {
    const steps = applied.map(step => `${step.name} (${step.from} to ${step.to})`).join(', ')
    const copy = await copyOldVersion(file, origin, fs)
    notices.push(`The configuration was migrated: ${steps}. The previous file is kept as ${copy}.`)
  }
  if (origin !== undefined && origin.unknown.length > 0)
    notices.push(
      `${basename(file)} has keys that this version does not know and drops: ${origin.unknown.join(', ')}.`,
    )
  // A new folder gets its file at once, so that an unwritable folder is found now.
  if (low.data === fresh || applied.length > 0) await low.write()
  freezeConfig(low.data.config)
  return { ...createStore(low, sealer, options.onError ?? warn), notices }
}

/** Copies a file before its migration. Returns the name of the copy. */
async function copyOldVersion(file: string, { migrated, text }: Origin, fs: FileSystem): Promise<string> {
  const { dir, name, ext } = parse(file)
  try {
    const copy = await freeName(join(dir, `${name}.v${migrated.from}${ext}`), fs)
    await writeDurably(copy, text, fs)
    return basename(copy)
  } catch (error) {
    throw unavailable('The configuration was not migrated, because its file cannot be copied', error)
  }
}

function createStore(low: Low<Loaded>, sealer: Sealer, onError: (error: unknown) => void): ConfigStore {
  const changes = createBus<readonly [next: Config, previous: Config, diff: ConfigDiff]>(onError)
  let snapshot = low.data.config
  const inTurn = createSerialQueue()
  let closed = false

  async function apply<Result>(change: (config: Config) => ConfigChange<Result>): Promise<Result> {
    const before = low.data
    const { next, result } = change(before.config)
    if (next === before.config) return result
    freezeConfig(next)
    low.data = { config: next, file: toFile(next, sealer, before) }
    try {
      await low.write()
    } catch (error) {
      low.data = before
      throw error
    }
    snapshot = next
    changes.publish([next, before.config, diffConfig(before.config, next)])
    return result
  }

  return {
    snapshot: () => snapshot,
    update(change) {
      if (closed) {
        return Promise.reject(new ServiceError('storage_unavailable', { detail: 'The service is stopping.' }))
      }
      return inTurn(() => apply(change))
    },
    onChange: listener => changes.subscribe(change => listener(...change)),
    changeCount: changes.count,
    close() {
      closed = true
      // Waits for the updates before it.
      return inTurn(async () => {})
    },
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}

/** Makes a configuration deeply immutable, in place. Frozen records are skipped, so an update costs one look at each. */
function freezeConfig(config: Config): void {
  for (const part of Object.values(config)) {
    if (!(part instanceof Map)) freezeDeeply(part)
    else {
      for (const record of part.values()) freezeDeeply(record)
      freezeMap(part)
    }
  }
  Object.freeze(config)
}

/** Object.freeze does not protect the entries of a Map. */
function freezeMap(map: ReadonlyMap<string, unknown>): void {
  if (Object.isFrozen(map)) return
  const refuse = () => {
    throw new TypeError('The configuration is changed only by ConfigStore.update.')
  }
  for (const name of ['set', 'delete', 'clear']) Object.defineProperty(map, name, { value: refuse })
  Object.freeze(map)
}

function freezeDeeply(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) freezeDeeply(part)
}
