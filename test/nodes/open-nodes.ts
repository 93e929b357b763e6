import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, onTestFinished } from 'vitest'
import { storageBounds } from '#main/history/kinds.ts'
import { openStorage } from '#main/storage/open-storage.ts'
import type { OpenedStorage, Storage, StorageOptions } from '#main/storage/storage.ts'
import { lanesOf } from '#main/workflows/lanes.ts'
import { emptyDatabase } from '../storage/postgres/open-database.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { noPostgres } from '../support/postgres.ts'
import { openService, type ServiceFixture, type ServiceFixtureOptions } from '../support/service-fixture.ts'

/** What the nodes of a test share. */
type Kind = {
  readonly name: string
  /** Why tests on it are skipped; null if they are not. */
  readonly skipped: string | null
  /** Returns the options of each node, and a function that returns its storage. */
  open(options: ServiceFixtureOptions): Promise<{
    readonly service: ServiceFixtureOptions['service']
    openNode(): Promise<OpenedStorage>
  }>
}

const optionsOf = (options: ServiceFixtureOptions): Omit<StorageOptions, 'dataFolder'> => ({
  env: {},
  logger: createLogRecorder().logger,
  clock: () => Date.now(),
  random: randomBytes,
  historyBounds: storageBounds,
  lanesOf,
  reserveBytes: 0,
  onFolderLost: () => {},
  ...options.service,
})

/** A folder that is deleted when the test has finished. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-nodes-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Nodes that share one local storage, which no product does. */
const oneStorage: Kind = {
  name: 'one storage',
  skipped: null,
  async open(options) {
    const { storage, machine } = await openStorage({ ...optionsOf(options), dataFolder: await newFolder() })
    onTestFinished(() => storage.close())
    // What one node closes when it stops is still open for the others.
    const close = async () => {}
    const shared = {
      ...storage,
      events: withOther(storage.events, { isShared: true, close }),
      history: withOther(storage.history, { close }),
      // Several nodes save more often than one that writes a file.
      statistics: withOther(storage.statistics, { restAfter: () => 500 }),
      close,
    }
    return { service: {}, openNode: async () => ({ storage: shared, machine }) }
  },
}

/** Nodes on one database, each with a storage of its own. */
const oneDatabase: Kind = {
  name: 'one database',
  skipped: noPostgres,
  async open(options) {
    const database = await emptyDatabase()
    const env = { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32) }
    const all = { ...optionsOf(options), database, env }
    return {
      service: { database, env },
      openNode: async () => openStorage({ ...all, dataFolder: await newFolder() }),
    }
  },
}

let current: Kind = oneStorage

/** Declares a test that must pass with nodes that share one storage, and with nodes on one database. */
export function test(name: string, body: () => Promise<void>): void {
  for (const kind of [oneStorage, oneDatabase])
    it.skipIf(kind.skipped !== null)(`${name} (${kind.name})`, () => {
      current = kind
      return body()
    })
}

/**
 * Assembles services on what the nodes of this test share, each with its own caches, clocks and buses. They are stopped
 * when the test has finished.
 *
 * @param of returns the storage as a node has it, for example one that fails.
 */
export async function openNodes(
  count: number,
  options: ServiceFixtureOptions = {},
  of: (storage: Storage, node: number) => Storage = storage => storage,
): Promise<readonly ServiceFixture[]> {
  const { service, openNode } = await current.open(options)
  const nodes: ServiceFixture[] = []
  for (let number = 0; number < count; number++) {
    const { storage, machine } = await openNode()
    const node = await openService({
      ...options,
      service: { ...options.service, ...service },
      opened: { storage: of(storage, number), machine },
    })
    // Before what it uses is closed: what is registered last is called first.
    onTestFinished(() => node.close())
    nodes.push(node)
  }
  return nodes
}

type OptionsOfNodes = Parameters<typeof openNodes> extends [number, ...infer Rest] ? Rest : never

/** Opens two nodes, A and B, like `openNodes`. */
export async function openTwoNodes(
  ...[options, of]: OptionsOfNodes
): Promise<readonly [ServiceFixture, ServiceFixture]> {
  const [a, b] = await openNodes(2, options, of)
  if (a === undefined || b === undefined) throw new Error('Two nodes were opened.')
  return [a, b]
}

/** Returns an object that is like another one, except for some of its members. */
export function withOther<Target extends object>(target: Target, changes: Partial<Target>): Target {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(changes, key)) return Reflect.get(changes, key)
      const value: unknown = Reflect.get(target, key)
      // Methods of a class need the object that has its private fields.
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
