import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { storageBounds } from '#main/history/kinds.ts'
import { openStorage } from '#main/storage/open-storage.ts'
import type { Storage } from '#main/storage/storage.ts'
import { lanesOf } from '#main/workflows/lanes.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { openService, type ServiceFixture, type ServiceFixtureOptions } from '../support/service-fixture.ts'

/**
 * Assembles services on one storage, each with its own caches, clocks and buses, as nodes on one database have them. They
 * are stopped, and the storage is closed, when the test has finished.
 *
 * @param of returns the storage as a node has it, for example one that fails.
 */
export async function openNodes(
  count: number,
  options: ServiceFixtureOptions = {},
  of: (storage: Storage, node: number) => Storage = storage => storage,
): Promise<readonly ServiceFixture[]> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'cc-nodes-'))
  const { storage, machine } = await openStorage({
    dataFolder,
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
  onTestFinished(async () => {
    await storage.close()
    await rm(dataFolder, { recursive: true, force: true })
  })
  // What one node closes when it stops is still open for the others.
  const close = async () => {}
  const shared = {
    ...storage,
    events: withOther(storage.events, { isShared: true, close }),
    history: withOther(storage.history, { close }),
    close,
  }
  const nodes: ServiceFixture[] = []
  for (let number = 0; number < count; number++) {
    const node = await openService({ ...options, opened: { storage: of(shared, number), machine } })
    // Before the storage is closed: what is registered last is called first.
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
