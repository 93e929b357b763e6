import { basename, join, parse } from 'node:path'
import { Low } from 'lowdb'
import { type FileSystem, freeName, messageOf, systemFiles, writeDurably } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { settingsDefaults } from '#shared/model/settings.ts'
import type { Config } from '../config.ts'
import type { ConfigChange, ConfigListener, ConfigStore } from '../config-store.ts'
import { fromFile, type StoredConfig, toFile } from './config-file.ts'
import { schemaVersion } from './config-file-schema.ts'
import { createDurableJsonFile } from './durable-json-file.ts'
import { freezeConfig } from './freeze.ts'
import { migrations as allMigrations } from './migrations/index.ts'
import { type Migrated, migrate } from './migrations/migrate.ts'
import type { Migration } from './migrations/migration.ts'
import type { Sealer } from './secrets.ts'

export type ConfigStoreOptions = {
  /** The configuration file, in a data folder that this process holds. */
  readonly file: string
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** What a new folder starts with; by default the default workspace alone. */
  readonly initial?: Config
  /** Learns what a listener throws. */
  readonly onError?: (error: unknown) => void
  readonly migrations?: readonly Migration[]
  readonly fs?: FileSystem
  /** Makes room on a full disk; tells whether it could. */
  readonly makeRoom?: () => Promise<boolean>
}

/** The configuration of a new folder: the default workspace and nothing else. */
export function newConfig(now: number): Config {
  const at = new Date(now).toISOString()
  const workspace = {
    workspaceId: defaultWorkspaceId,
    name: 'Default',
    publicBaseUrl: null,
    createdAt: at,
    updatedAt: at,
  }
  return {
    settings: settingsDefaults,
    listener: null,
    environment: new Map(),
    workspaces: new Map([[defaultWorkspaceId, workspace]]),
    connections: new Map(),
  }
}

/** What was read, beside the configuration that it gave. */
type Origin = { readonly migrated: Migrated; readonly text: string; readonly unknown: readonly string[] }
type Loaded = StoredConfig & { readonly origin?: Origin }

/**
 * The configuration in a JSON file, credentials sealed. Reads it, migrates it, and writes it when it was not
 * there.
 * @returns the store, and as `notices` what the operator should know: a recovery, a migration.
 * @throws ServiceError `damaged_configuration`, `newer_configuration`, `wrong_key`: nothing was overwritten;
 * `storage_unavailable`.
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
  const notices = [...adapter.notices, ...(await keepOldVersion(file, low.data.origin, fs))]
  // A new folder has its file at once: one that cannot be written to is found out now.
  if (low.data === fresh || isMigrated(low.data.origin)) await low.write()
  freezeConfig(low.data.config)
  return { ...createStore(low, sealer, options.onError ?? warn), notices }
}

const isMigrated = (origin: Origin | undefined) => origin !== undefined && origin.migrated.applied.length > 0

/** Copies a file that is about to be migrated, and says what becomes of it. */
async function keepOldVersion(file: string, origin: Origin | undefined, fs: FileSystem): Promise<string[]> {
  if (origin === undefined) return []
  const notices: string[] = []
  const { migrated, unknown } = origin
  if (isMigrated(origin)) {
    const steps = migrated.applied.map(step => `${step.name} (${step.from} to ${step.to})`).join(', ')
    const copy = await copyOldVersion(file, origin, fs)
    notices.push(`The configuration was migrated: ${steps}. The file before is kept as ${copy}.`)
  }
  if (unknown.length > 0) {
    notices.push(
      `${basename(file)} has keys that this version does not know and drops: ${unknown.join(', ')}.`,
    )
  }
  return notices
}

/** @returns the name of the copy. */
async function copyOldVersion(file: string, { migrated, text }: Origin, fs: FileSystem): Promise<string> {
  const { dir, name, ext } = parse(file)
  try {
    const copy = await freeName(join(dir, `${name}.v${migrated.from}${ext}`), fs)
    await writeDurably(copy, text, fs)
    return basename(copy)
  } catch (error) {
    throw new ServiceError('storage_unavailable', {
      detail: `The configuration was not migrated, since the file as it is cannot be copied: ${messageOf(error)}`,
      cause: error,
    })
  }
}

function createStore(low: Low<Loaded>, sealer: Sealer, onError: (error: unknown) => void): ConfigStore {
  const listeners = new Set<{ call: ConfigListener }>()
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
    announce(next, before.config)
    return result
  }

  function announce(next: Config, previous: Config): void {
    for (const { call } of [...listeners]) {
      try {
        call(next, previous)
      } catch (error) {
        onError(error)
      }
    }
  }

  return {
    snapshot: () => snapshot,
    update(change) {
      if (closed) {
        return Promise.reject(new ServiceError('storage_unavailable', { detail: 'The service is stopping.' }))
      }
      return inTurn(() => apply(change))
    },
    onChange(call) {
      const listener = { call }
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      closed = true
      return inTurn(async () => {}) // once what was asked for is written
    },
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
