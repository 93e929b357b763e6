import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Config } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { schemaVersion } from '#main/storage/local/config-file-schema.ts'
import { type ConfigStoreOptions, openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { settingsDefaults } from '#shared/model/settings.ts'
import { type FaultyFiles, faultyFiles } from './config-faults.ts'
import {
  canaries,
  exampleAction,
  exampleConnection,
  filesIn,
  keyNamed,
  newFolder,
  now,
  sealer,
  withBodyLimit,
  withConnections,
  withVariable,
} from './config-fixtures.ts'
import { describeConfigStore } from './config-store-contract.ts'

const clock = () => now
/** Opens a store that writes its file only when it is closed. */
async function openIn(folder: string, options: Partial<ConfigStoreOptions> = {}) {
  const ignored = { onError: () => {}, after: () => () => {} }
  const store = await openConfigStore({
    file: join(folder, 'config.json'),
    sealer,
    clock,
    ...ignored,
    ...options,
  })
  onTestFinished(store.close)
  return store
}

const setBodyLimit = (store: ConfigStore, bytes: number) =>
  store.update(config => ({ next: withBodyLimit(config, bytes), result: null }))

describeConfigStore('the lowdb store', async () => {
  const folder = await newFolder()
  const errors: unknown[] = []
  const store = await openIn(folder, { onError: error => errors.push(error) })
  return {
    store,
    errors,
    second: async () => store,
    async reopen() {
      await store.close()
      return openIn(folder)
    },
  }
})

describe('the configuration file', () => {
  test('exists at once in a new folder', async () => {
    const folder = await newFolder()
    const { losses } = await openIn(folder)
    expect(losses).toEqual([])
    expect(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'))).toMatchObject({
      schemaVersion,
      workspaces: [{ workspaceId: 'default', createdAt: '2026-11-21T09:30:00.000Z' }],
      connections: [],
    })
  })

  test('`initial` is used only for a new folder', async () => {
    const folder = await newFolder()
    const { snapshot } = await openIn(folder)
    const initial = withBodyLimit(snapshot(), 3333)
    expect((await openIn(folder, { initial })).snapshot().settings.maxBodyBytes).toBe(1_048_576)
    expect((await openIn(await newFolder(), { initial })).snapshot().settings.maxBodyBytes).toBe(3333)
  })

  test('contains no credential in plain text and has mode 0600 after any operation', async () => {
    const folder = await newFolder()
    const store = await openIn(folder)
    const check = async () => {
      for (const { name, bytes, mode } of await filesIn(folder)) {
        for (const canary of canaries) {
          for (const form of [
            canary,
            Buffer.from(canary).toString('base64url'),
            Buffer.from(canary).toString('hex'),
          ]) {
            expect(bytes.includes(form), `${form} in ${name}`).toBe(false)
          }
        }
        if (process.platform !== 'win32') expect(mode.toString(8), name).toBe('600')
      }
    }
    const first = exampleConnection('conn_1')
    for (const record of [first, { ...first, name: 'Renamed' }, { ...first, oldSecrets: [] }]) {
      await store.update(config => ({ next: withConnections(config, record), result: null }))
      await check()
    }
    await store.update(config => ({
      next: withVariable(config, 'SHOP_KEY', 'environment-canary-4714'),
      result: null,
    }))
    await check()
    await store.update(config => ({ next: { ...config, connections: new Map() }, result: null }))
    await check()
    await store.close()
    await check()
    await writeFile(join(folder, 'config.json'), '{', { mode: 0o600 })
    await openIn(folder)
    await check()
    expect((await filesIn(folder)).map(file => file.name)).toEqual([
      'config.json',
      'config.json.bak',
      'config.json.damaged-2026-11-21T09-30-00.000Z',
      'config.json.version',
    ])
  })

  test('an update changes only its own lines', async () => {
    const folder = await newFolder()
    const store = await openIn(folder)
    const lines = async () => (await readFile(join(folder, 'config.json'), 'utf8')).split('\n')
    await store.update(config => ({
      next: withConnections(config, exampleConnection('conn_1'), exampleConnection('conn_2')),
      result: null,
    }))
    await store.close()
    const again = await openIn(folder)
    const before = await lines()
    const changed = exampleConnection('conn_2', { name: 'Renamed', signingSecret: 'whsec_new' })
    await again.update(config => ({ next: withConnections(config, changed), result: null }))
    await again.close()
    const after = await lines()
    const differing = after.filter((line, index) => line !== before[index])
    expect(after).toHaveLength(before.length)
    expect(differing.map(line => line.trim().split(':')[0])).toEqual([
      ...['"journal"', '"name"', '"signingSecret"', '"written"'],
    ])
  })

  test('what cannot be read again is not written', async () => {
    const folder = await newFolder()
    const store = await openIn(folder)
    const before = store.snapshot()
    for (const record of [
      exampleConnection('conn_1', { timeoutMs: Number.NaN }),
      exampleConnection('conn_1', { workspaceId: 'ws_gone' }),
      exampleConnection('conn 1'),
      exampleConnection('conn_1', { actions: [exampleAction('a b')] }),
      exampleConnection('conn_1', { actions: [exampleAction('1'), exampleAction('1')] }),
    ]) {
      const update = store.update(config => ({ next: withConnections(config, record), result: null }))
      await expect(update).rejects.toThrow()
      expect(store.snapshot()).toBe(before)
    }
    expect((await openIn(folder)).snapshot()).toEqual(before)
  })

  test('a wrong key is found at the start, and nothing is overwritten', async () => {
    const folder = await newFolder()
    const store = await openIn(folder)
    await store.update(config => ({
      next: withConnections(config, exampleConnection('conn_1')),
      result: null,
    }))
    await setBodyLimit(store, 2000)
    const before = await filesIn(folder)
    await expect(openIn(folder, { sealer: createSealer(keyNamed('another')) })).rejects.toMatchObject({
      code: 'wrong_key',
    })
    expect(await filesIn(folder)).toEqual(before)
  })

  test('keys of another version are dropped with a notice', async () => {
    const folder = await newFolder()
    const store = await openIn(folder)
    await store.update(config => ({
      next: withConnections(config, exampleConnection('conn_1')),
      result: null,
    }))
    await store.close()
    const file = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'))
    file.theme = 'dark'
    file.connections[0].retention.maxBytes = 5
    await writeFile(join(folder, 'config.json'), JSON.stringify(file))
    const again = await openIn(folder)
    expect(again.notices).toEqual([
      'config.json has keys that this version does not know and drops: connections[0].retention.maxBytes, theme.',
    ])
    expect(again.snapshot()).toEqual(store.snapshot())
  })

  test('a missing setting gets its default', async () => {
    const folder = await newFolder()
    await openIn(folder)
    const file = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'))
    file.settings = { maxBodyBytes: 2000 }
    await writeFile(join(folder, 'config.json'), JSON.stringify(file))
    expect((await openIn(folder)).snapshot().settings).toEqual({
      ...settingsDefaults,
      maxBodyBytes: 2000,
    })
  })
})

test('a change of one action does not check the others again', async () => {
  const store = await openIn(await newFolder())
  let reads = 0
  const counted = Object.defineProperty(exampleAction('1'), 'name', {
    enumerable: true,
    get() {
      reads++
      return 'Counted'
    },
  })
  const change = (name: string) =>
    store.update(config => {
      const actions = [counted, exampleAction('2', { name })]
      return { next: withConnections(config, exampleConnection('conn_1', { actions })), result: null }
    })
  await change('first')
  const before = reads
  await change('second')
  expect(reads - before).toBe(1)
  expect(before).toBeGreaterThan(1)
})

describe('a change that cannot be written', () => {
  /** @param earlier how many changes have been written before: the first begins a journal. */
  async function openFaulty(
    earlier: number,
  ): Promise<{ folder: string; faulty: FaultyFiles; store: ConfigStore }> {
    const folder = await newFolder()
    const faulty = faultyFiles()
    const store = await openIn(folder, { fs: faulty.fs })
    for (let change = 0; change < earlier; change++) await setBodyLimit(store, 2000)
    return { folder, faulty, store }
  }

  async function stepsOfAChange(earlier: number): Promise<string[]> {
    const { faulty, store } = await openFaulty(earlier)
    faulty.failAt(Number.POSITIVE_INFINITY)
    await setBodyLimit(store, 3000)
    return faulty.calls().slice(0, -markSteps(earlier).length)
  }

  /** The last steps of a change, which is durable by then: the mark of the newest version. */
  const markSteps = (earlier: number) => [...(earlier === 0 ? ['open'] : []), 'handle.write']

  test.for([0, 1])('is not one whose mark cannot be written, after %i changes', async earlier => {
    const { folder, faulty, store } = await openFaulty(earlier)
    faulty.failAt((await stepsOfAChange(earlier)).length + 1)
    await setBodyLimit(store, 3000)
    const again = await openIn(folder)
    expect(again.losses).toEqual([])
    expect(again.snapshot().settings.maxBodyBytes).toBe(3000)
  })

  test('a change is one write and one sync, and a mark; the first one also syncs the folder', async () => {
    expect(await stepsOfAChange(1)).toEqual(['handle.write', 'handle.datasync'])
    const first = await stepsOfAChange(0)
    expect(first.filter(call => call === 'handle.write')).toHaveLength(1)
    expect(first.filter(call => call.includes('sync'))).toEqual(['handle.datasync', 'handle.sync'])
  })

  test.for([0, 1])('leaves everything as it was at any step, after %i changes', async earlier => {
    for (const [index, step] of (await stepsOfAChange(earlier)).entries()) {
      const { folder, faulty, store } = await openFaulty(earlier)
      const before = store.snapshot()
      faulty.failAt(index + 1)
      await expect(setBodyLimit(store, 3000), step).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining('EIO'),
      })
      expect(store.snapshot(), step).toBe(before)
      expect((await openIn(folder)).snapshot(), step).toEqual(before)
      await setBodyLimit(store, 4000)
      expect((await openIn(folder)).snapshot().settings.maxBodyBytes, step).toBe(4000)
    }
  })

  test.for([0, 1])(
    'leaves the old or the new state if everything fails from any step on, after %i changes',
    async earlier => {
      for (const index of (await stepsOfAChange(earlier)).keys()) {
        const { folder, faulty, store } = await openFaulty(earlier)
        const before = store.snapshot()
        faulty.failAt(index + 1, true)
        await expect(setBodyLimit(store, 3000)).rejects.toMatchObject({ code: 'storage_unavailable' })
        expect(store.snapshot()).toBe(before)
        const again = await openIn(folder)
        expect(again.losses).toEqual([])
        expect([before.settings.maxBodyBytes, 3000]).toContain(again.snapshot().settings.maxBodyBytes)
      }
    },
  )

  test('is removed before the next one is written, also if that is impossible at first', async () => {
    const { folder, faulty, store } = await openFaulty(1)
    const longer = (config: Config) => ({
      next: withConnections(config, exampleConnection('conn_1')),
      result: null,
    })
    faulty.failAt(2, true)
    await expect(store.update(longer)).rejects.toMatchObject({ code: 'storage_unavailable' })
    await expect(setBodyLimit(store, 3000)).rejects.toMatchObject({ code: 'storage_unavailable' })
    faulty.failAt(Number.POSITIVE_INFINITY)
    await setBodyLimit(store, 4000)
    const again = await openIn(folder)
    expect(again.losses).toEqual([])
    expect(again.snapshot()).toEqual(store.snapshot())
    expect(again.snapshot().connections.size).toBe(0)
  })

  test('does not affect the waiting updates', async () => {
    const { folder, faulty, store } = await openFaulty(1)
    faulty.failAt(1)
    const announced: number[] = []
    store.onChange(next => announced.push(next.settings.maxBodyBytes))
    const failing = setBodyLimit(store, 3000)
    const waiting = store.update(config => {
      const { maxBodyBytes } = config.settings
      return { next: withBodyLimit(config, maxBodyBytes + 1), result: maxBodyBytes }
    })
    await expect(failing).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await waiting).toBe(2000)
    expect(announced).toEqual([2001])
    expect((await openIn(folder)).snapshot().settings.maxBodyBytes).toBe(2001)
  })

  test('stops the start in a new folder', async () => {
    const faulty = faultyFiles()
    faulty.failAt(3, true)
    await expect(openIn(await newFolder(), { fs: faulty.fs })).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
  })
})

test('a change is announced as soon as it can be read, and resolves when what follows from it is done', async () => {
  const { promise: followed, resolve: follow } = Promise.withResolvers<void>()
  const store = await openIn(await newFolder(), { onApplied: () => followed })
  const seen: string[] = []
  store.onChange(() => seen.push('announced'))
  const changing = setBodyLimit(store, 4000).then(() => seen.push('resolved'))
  await expect.poll(() => store.snapshot().settings.maxBodyBytes).toBe(4000)
  expect(seen).toEqual(['announced'])
  follow()
  await changing
  expect(seen).toEqual(['announced', 'resolved'])
})

test('changes that come while another is written share a write', async () => {
  const folder = await newFolder()
  const faulty = faultyFiles()
  const store = await openIn(folder, { fs: faulty.fs })
  await setBodyLimit(store, 2000)
  faulty.failAt(Number.POSITIVE_INFINITY)
  const limits = Array.from({ length: 50 }, (_, index) => 3000 + index)
  await Promise.all(limits.map(limit => setBodyLimit(store, limit)))
  // The first, then those that came meanwhile; more often only if applying them takes long.
  expect(faulty.calls().filter(call => call === 'handle.write').length).toBeLessThan(10)
  expect((await openIn(folder)).snapshot().settings.maxBodyBytes).toBe(3049)
})
