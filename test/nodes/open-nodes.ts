import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, it, onTestFinished } from 'vitest'
import { historyBounds } from '#main/service.ts'
import type { Config } from '#main/storage/config.ts'
import { createSingleNode } from '#main/storage/local/nodes.ts'
import { openStorage } from '#main/storage/open-storage.ts'
import type { OpenedStorage, Storage, StorageOptions } from '#main/storage/storage.ts'
import { lanesOf } from '#main/workflows/lanes.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { unhurried } from '../support/patience.ts'
import { noPostgres } from '../support/postgres.ts'
import { newDatabase } from '../support/postgres-database.ts'
import { openService, type ServiceFixture, type ServiceFixtureOptions } from '../support/service-fixture.ts'

/** The kind of storage that the nodes of a test share. */
type Kind = {
  readonly name: string
  /** Why tests on it are skipped; null if they are not. */
  readonly skipped: string | null
  /**
   * Returns the options of each node, and a function that returns its storage.
   *
   * @param atEnd is given what has to be called when the nodes have stopped, the last first.
   */
  open(
    options: ServiceFixtureOptions,
    atEnd: AtEnd,
  ): Promise<{
    readonly service: ServiceFixtureOptions['service']
    openNode(): Promise<OpenedStorage>
  }>
}

type AtEnd = (act: () => Promise<unknown>) => void

const optionsOf = (options: ServiceFixtureOptions): Omit<StorageOptions, 'dataFolder'> => ({
  env: {},
  logger: createLogRecorder().logger,
  clock: () => Date.now(),
  random: randomBytes,
  historyBounds,
  lanesOf,
  reserveBytes: 0,
  onFolderLost: () => {},
  ...unhurried,
  ...options.service,
})

/** Creates a folder that is deleted at the end. */
async function newFolder(atEnd: AtEnd): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-nodes-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Nodes that share one local storage, which no product does. */
const oneStorage: Kind = {
  name: 'one storage',
  skipped: null,
  async open(options, atEnd) {
    const dataFolder = await newFolder(atEnd)
    const { storage, machine } = await openStorage({ ...optionsOf(options), dataFolder })
    atEnd(() => storage.close())
    // What one node closes when it stops is still open for the others.
    const close = async () => {}
    const shared = {
      ...storage,
      isShared: true,
      events: withOther(storage.events, { close }),
      history: withOther(storage.history, { close }),
      // Several nodes save more often than one that writes a file.
      statistics: withOther(storage.statistics, { restAfter: () => 500 }),
      close,
    }
    const newNode = () => createSingleNode('one', storage.clock, storage.config.changeCount)
    return {
      service: {},
      openNode: async () => ({ storage: { ...shared, nodes: newNode() }, machine }),
    }
  },
}

/** Nodes on one database, each with a storage of its own. */
const oneDatabase: Kind = {
  name: 'one database',
  skipped: noPostgres,
  async open(options, atEnd) {
    const database = await newDatabase()
    const env = { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32) }
    const all = { ...optionsOf(options), database, env }
    return {
      service: { database, env },
      openNode: async () => openStorage({ ...all, dataFolder: await newFolder(atEnd) }),
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

type NodeOptions = {
  readonly options?: ServiceFixtureOptions
  /** Returns the storage as a node has it, for example one that fails. */
  readonly of?: (storage: Storage, node: number) => Storage
}

/** Assembles services on what the nodes of this test share, each with its own caches, clocks and buses. */
async function assembleNodes(
  count: number,
  { options = {}, of = storage => storage }: NodeOptions,
  atEnd: AtEnd,
): Promise<readonly ServiceFixture[]> {
  const { service, openNode } = await current.open(options, atEnd)
  const nodes: ServiceFixture[] = []
  for (let number = 0; number < count; number++) {
    const { storage, machine } = await openNode()
    const node = await openService({
      ...options,
      service: { ...options.service, ...service },
      opened: { storage: of(storage, number), machine },
    })
    atEnd(() => node.close())
    nodes.push(node)
  }
  return nodes
}

/** Opens nodes for this test alone, until it has finished. */
export const openNodes = (
  count: number,
  options?: ServiceFixtureOptions,
  of?: NodeOptions['of'],
): Promise<readonly ServiceFixture[]> =>
  // What is registered last is called first.
  assembleNodes(count, { ...(options && { options }), ...(of && { of }) }, act =>
    onTestFinished(async () => void (await act())),
  )

type OptionsOfNodes = Parameters<typeof openNodes> extends [number, ...infer Rest] ? Rest : never
type TwoNodes = readonly [a: ServiceFixture, b: ServiceFixture]

function two([a, b]: readonly ServiceFixture[]): TwoNodes {
  if (a === undefined || b === undefined) throw new Error('Two nodes were opened.')
  return [a, b]
}

/** Opens two nodes, A and B, like `openNodes`. */
export const openTwoNodes = async (...options: OptionsOfNodes): Promise<TwoNodes> =>
  two(await openNodes(2, ...options))

/**
 * Opens two nodes of each kind for all tests of a file, since they take longer to start than most tests to run. Returns a
 * function for the beginning of a test: it returns them with their first configuration. What has happened stays, so that a
 * test looks only at its own connections. A test that changes or stops a node opens its own.
 */
export function sharedNodes(options: NodeOptions = {}): () => Promise<TwoNodes> {
  const ends: (() => Promise<unknown>)[] = []
  const opened = new Map<Kind, { readonly nodes: TwoNodes; readonly first: Config }>()
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return async () => {
    const known = opened.get(current)
    if (known !== undefined) {
      await known.nodes[0].service.storage.config.update(() => ({ next: known.first, result: undefined }))
      return known.nodes
    }
    const nodes = two(await assembleNodes(2, options, end => void ends.push(end)))
    opened.set(current, { nodes, first: nodes[0].service.storage.config.snapshot() })
    return nodes
  }
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
