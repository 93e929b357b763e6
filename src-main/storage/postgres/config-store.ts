import { createBus } from '#main/lib/bus.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Config } from '../config.ts'
import { type ConfigDiff, diffConfig } from '../config-diff.ts'
import type { ConfigChange, ConfigStore } from '../config-store.ts'
import { freezeChanges, freezeConfig, newConfig } from '../local/lowdb-config-store.ts'
import { createSealedTexts } from '../local/sealed-texts.ts'
import type { Sealer } from '../local/secrets.ts'
import type { Signals } from '../signals.ts'
import { ConfigRows, readChanges } from './config-rows.ts'
import type { Connection } from './connect.ts'
import { createLooks } from './looks.ts'
import type { Pool } from './pool.ts'

/** Milliseconds between two looks at what other nodes have changed. */
const lookEvery = 1000
/** Milliseconds for which waiting changes are applied before those are written. */
const maxBatchMs = 4
const topic = 'config'
const keyContext = 'meta/keyCheck'

type PostgresConfigOptions = {
  readonly pool: Pool
  readonly signals: Signals
  readonly sealer: Sealer
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Applies a change in its transaction. */
  readonly applyWith?: (connection: Connection, next: Config, diff: ConfigDiff) => Promise<void>
  /** Called with each change that is in the snapshot, of whatever node, before it is announced. */
  readonly onApplied?: (next: Config, diff: ConfigDiff) => void
  readonly onError: (error: unknown) => void
}

type Applied = {
  readonly previous: Config
  readonly next: Config
  readonly diff: ConfigDiff | null
  resolve(): void
}

/**
 * Opens the configuration in a database, of which each node has a copy in memory. One transaction at a time changes it, on
 * what all before it have left.
 *
 * @throws ServiceError `wrong_key`, `storage_unavailable`.
 */
export async function openPostgresConfig(options: PostgresConfigOptions): Promise<ConfigStore> {
  const { pool, signals, sealer, clock, onError } = options
  const changes = createBus<readonly [next: Config, previous: Config, diff: ConfigDiff]>(onError)
  const texts = createSealedTexts(sealer)
  const empty: Config = { ...newConfig(clock()), workspaces: new Map() }
  let snapshot = empty
  let version = 0
  const waiting: {
    apply(config: Config): { readonly next: Config; resolve(): void }
    reject(error: unknown): void
  }[] = []
  let isLookWanted = false
  let running: Promise<void> | null = null
  let isClosed = false

  /** Reads what others have changed. Returns null for nothing. */
  async function changesOfOthers(connection: Connection, newest: number): Promise<Config | null> {
    return newest === version ? null : readChanges(connection, snapshot, version, texts)
  }

  function announce(next: Config, previous: Config, diff: ConfigDiff): void {
    snapshot = next
    options.onApplied?.(next, diff)
    changes.publish([next, previous, diff])
  }

  function takeOver(next: Config | null, newest: number): void {
    version = newest
    if (next === null) return
    const previous = snapshot
    const diff = diffConfig(previous, next)
    freezeChanges(next, diff)
    announce(next, previous, diff)
  }

  async function look(): Promise<void> {
    const [row] = await pool.query({ name: 'config_version', text: 'SELECT version FROM config_head' })
    const newest = Number(row?.version ?? version)
    if (newest !== version)
      takeOver(await pool.use(connection => changesOfOthers(connection, newest)), newest)
  }

  /** Applies and writes waiting updates in one transaction. */
  async function writeWaiting(): Promise<void> {
    const updates: typeof waiting = []
    let applied: Applied[] = []
    let newest = version
    try {
      await pool.transaction(async connection => {
        const [row] = await connection.query({
          name: 'lock_config',
          text: 'SELECT version FROM config_head FOR UPDATE',
        })
        newest = Number(row?.version)
        takeOver(await changesOfOthers(connection, newest), newest)
        const rows = new ConfigRows()
        applied = applyWaiting(updates, rows)
        const last = applied.findLast(({ diff }) => diff !== null)
        if (last === undefined) return
        newest++
        await rows.write(connection, newest, last.next)
        await options.applyWith?.(connection, last.next, diffConfig(snapshot, last.next))
        await connection.query({ name: 'set_config_version', text: 'UPDATE config_head SET version = $1' }, [
          newest,
        ])
      })
    } catch (error) {
      for (const { reject } of updates.length > 0 ? updates : waiting.splice(0)) reject(error)
      return
    }
    if (newest !== version) signals.send(topic, String(newest))
    version = newest
    for (const { next, previous, diff, resolve } of applied) {
      if (diff !== null) announce(next, previous, diff)
      resolve()
    }
  }

  /** Applies waiting updates for a few milliseconds, each to the result of the one before. */
  function applyWaiting(updates: typeof waiting, rows: ConfigRows): Applied[] {
    const applied: Applied[] = []
    const began = performance.now()
    let previous = snapshot
    for (let update = waiting.shift(); update !== undefined; update = waiting.shift()) {
      try {
        const { next, resolve } = update.apply(previous)
        const diff = next === previous ? null : diffConfig(previous, next)
        if (diff !== null) {
          rows.add(next, diff, texts)
          freezeChanges(next, diff)
        }
        applied.push({ previous, next, diff, resolve })
        updates.push(update)
        previous = next
      } catch (error) {
        update.reject(error)
      }
      if (performance.now() - began > maxBatchMs) break
    }
    return applied
  }

  async function run(): Promise<void> {
    while (waiting.length > 0 || isLookWanted) {
      if (waiting.length > 0) await writeWaiting()
      else {
        isLookWanted = false
        await look().catch(onError)
      }
    }
    running = null
  }

  await pool.transaction(async connection => {
    const [meta] = await connection.query('SELECT key_check FROM meta FOR UPDATE')
    const known = meta?.key_check ?? null
    if (known !== null) requireKey(sealer, String(known))
    else await connection.query('UPDATE meta SET key_check = $1', [sealer.seal('', keyContext)])
    const [row] = await connection.query('SELECT version FROM config_head FOR UPDATE')
    version = Number(row?.version)
    if (version > 0) {
      snapshot = await readChanges(connection, empty, 0, texts)
    } else {
      snapshot = newConfig(clock())
      const rows = new ConfigRows()
      rows.add(snapshot, { ...diffConfig(empty, snapshot), settings: true, listener: true }, texts)
      version = 1
      await rows.write(connection, version, snapshot)
      await connection.query('UPDATE config_head SET version = $1', [version])
    }
  })
  freezeConfig(snapshot)
  const lookSoon = createLooks(async () => {
    if (isClosed) return
    isLookWanted = true
    running ??= run()
    await running
  })
  const timer = setInterval(lookSoon, lookEvery).unref()
  const stop = signals.on(topic, text => (Number(text) > version ? lookSoon() : undefined))

  return {
    snapshot: () => snapshot,
    update<Result>(change: (config: Config) => ConfigChange<Result>) {
      if (isClosed)
        return Promise.reject(new ServiceError('storage_unavailable', { detail: 'The service is stopping.' }))
      return new Promise<Result>((resolve, reject) => {
        const apply = (config: Config) => {
          const { next, result } = change(config)
          return { next, resolve: () => resolve(result) }
        }
        waiting.push({ apply, reject })
        running ??= run()
      })
    },
    onChange: listener => changes.subscribe(change => listener(...change)),
    changeCount: changes.count,
    async close() {
      isClosed = true
      clearInterval(timer)
      stop()
      await running
    },
  }
}

function requireKey(sealer: Sealer, sealed: string): void {
  try {
    sealer.open(sealed, keyContext)
  } catch (cause) {
    throw new ServiceError('wrong_key', {
      detail: 'The key is not the one with which the database was set up.',
      cause,
    })
  }
}
