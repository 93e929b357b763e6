import { describe, expect, onTestFinished, test } from 'vitest'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { type ConfigDiff, diffConfig } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { settingsDefaults } from '#shared/model/settings.ts'
import { eventually } from '../support/eventually.ts'
import { exampleConnection, withBodyLimit, withConnections, withOneOfEach } from './config-fixtures.ts'

export type OpenedConfigStore = {
  readonly store: ConfigStore
  /** Learnt from the store so far: what its listeners threw. */
  readonly errors: unknown[]
  /** Returns another handle on the same data, as another process has it. */
  second(): Promise<ConfigStore>
  /** Closes the store and opens it again on what it kept. */
  reopen(): Promise<ConfigStore>
}

/**
 * The suite that any implementation of ConfigStore must pass.
 * @param open gives a new, empty store each time.
 */
export function describeConfigStore(name: string, open: () => Promise<OpenedConfigStore>): void {
  const set = (maxBodyBytes: number) => (config: Config) => ({
    next: withBodyLimit(config, maxBodyBytes),
    result: config.settings.maxBodyBytes,
  })

  async function opened() {
    const all = await open()
    onTestFinished(() => all.store.close())
    return all
  }

  describe(`${name} is a ConfigStore`, () => {
    test('a new one has the default workspace, the default settings and no connection', async () => {
      const { store } = await opened()
      const { workspaces, connections, environment, settings } = store.snapshot()
      expect([...workspaces.values()]).toMatchObject([
        { workspaceId: 'default', name: 'Default', publicBaseUrl: null },
      ])
      expect(connections.size).toBe(0)
      expect(environment.size).toBe(0)
      expect(settings).toEqual(settingsDefaults)
    })

    test('an update returns its result and does not change the previous snapshot', async () => {
      const { store } = await opened()
      const before = store.snapshot()
      expect(await store.update(set(2048))).toBe(1_048_576)
      expect(before.settings.maxBodyBytes).toBe(1_048_576)
      expect(store.snapshot().settings.maxBodyBytes).toBe(2048)
      expect(store.snapshot()).toBe(store.snapshot())
    })

    test('an update that changes something is told of as one that all nodes have, before it resolves', async () => {
      const { store } = await opened()
      let told = 0
      store.everywhere.subscribe(() => told++)
      await store.update(set(2048))
      await store.update(config => ({ next: config, result: null }))
      expect([told, store.everywhere.count()]).toEqual([1, 1])
    })

    test('a snapshot cannot be changed, in no part and at no depth', async () => {
      const { store } = await opened()
      await store.update(config => ({ next: withOneOfEach(config), result: null }))
      const snapshot = store.snapshot()
      const changed = (value: unknown, path: string): string[] => {
        if (typeof value !== 'object' || value === null) return []
        const entries = value instanceof Map ? [...value] : Object.entries(value)
        const inside = entries.flatMap(([name, part]) => changed(part, `${path}.${name}`))
        return Object.isFrozen(value) ? inside : [path, ...inside]
      }
      expect(changed(snapshot, 'config')).toEqual([])
      for (const [name, map] of Object.entries(snapshot)) {
        if (!(map instanceof Map)) continue
        expect(map.size, name).toBeGreaterThan(0)
        expect(() => map.delete([...map.keys()][0]), name).toThrow(TypeError)
        expect(() => map.set('x', {}), name).toThrow(TypeError)
        expect(() => map.clear(), name).toThrow(TypeError)
      }
    })

    test('100 concurrent increments all count, one after another', async () => {
      const { store } = await opened()
      const start = store.snapshot().settings.maxBodyBytes
      const seen = await Promise.all(
        Array.from({ length: 100 }, () =>
          store.update(config => {
            const { maxBodyBytes } = config.settings
            return { next: withBodyLimit(config, maxBodyBytes + 1), result: maxBodyBytes }
          }),
        ),
      )
      expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => start + index))
      expect(store.snapshot().settings.maxBodyBytes).toBe(start + 100)
    })

    test('a change that throws leaves the snapshot, announces nothing, and does not stop later ones', async () => {
      const { store } = await opened()
      const announced: Config[] = []
      store.onChange(next => announced.push(next))
      const before = store.snapshot()
      const failure = new Error('refused')
      const failing = store.update(() => {
        throw failure
      })
      const later = store.update(set(4096))
      await expect(failing).rejects.toBe(failure)
      await later
      expect(announced).toEqual([store.snapshot()])
      expect(before.settings.maxBodyBytes).toBe(1_048_576)
      expect(store.snapshot().settings.maxBodyBytes).toBe(4096)
    })

    test('a change that returns the same snapshot announces nothing', async () => {
      const { store } = await opened()
      let announcements = 0
      store.onChange(() => (announcements += 1))
      const before = store.snapshot()
      expect(await store.update(config => ({ next: config, result: 'same' }))).toBe('same')
      expect(store.snapshot()).toBe(before)
      expect(announcements).toBe(0)
    })

    test('listeners receive each update in order, after the snapshot was replaced', async () => {
      const { store } = await opened()
      const heard: string[] = []
      const stop = store.onChange((next, previous) => {
        expect(store.snapshot()).toBe(next)
        heard.push(`a ${previous.settings.maxBodyBytes}-${next.settings.maxBodyBytes}`)
      })
      store.onChange(next => heard.push(`b ${next.settings.maxBodyBytes}`))
      await Promise.all([store.update(set(2000)), store.update(set(3000))])
      stop()
      await store.update(set(4000))
      expect(heard).toEqual(['a 1048576-2000', 'b 2000', 'a 2000-3000', 'b 3000', 'b 4000'])
    })

    test('listeners receive what each update has added, replaced and removed, and nothing else', async () => {
      const { store } = await opened()
      const diffs: ConfigDiff[] = []
      store.onChange((_next, _previous, diff) => diffs.push(diff))
      const [one, two] = [exampleConnection('conn_1'), exampleConnection('conn_2')]
      await store.update(config => ({ next: withConnections(config, one, two), result: null }))
      const renamed = { ...one, name: 'Renamed' }
      await store.update(config => ({ next: withConnections(config, renamed), result: null }))
      await store.update(({ connections, ...config }) => ({
        next: { ...config, connections: new Map([...connections].slice(1)) },
        result: null,
      }))
      expect(diffs.map(({ connections }) => connections)).toEqual([
        [
          { id: 'conn_1', before: undefined, after: one },
          { id: 'conn_2', before: undefined, after: two },
        ],
        [{ id: 'conn_1', before: one, after: renamed }],
        [{ id: 'conn_1', before: renamed, after: undefined }],
      ])
      for (const diff of diffs) expect([diff.settings, ...diff.environment, ...diff.held]).toEqual([false])
    })

    test('the diffs form a chain, also of concurrent updates, and unchanged records stay the same objects', async () => {
      const { store } = await opened()
      const heard: [next: Config, previous: Config, diff: ConfigDiff][] = []
      const [one, two, three] = ['conn_1', 'conn_2', 'conn_3'].map(id => exampleConnection(id))
      const only = (...records: ConnectionRecord[]) =>
        store.update(config => ({
          next: { ...config, connections: new Map(records.map(record => [record.connectionId, record])) },
          result: null,
        }))
      if (one === undefined || two === undefined || three === undefined) throw new Error('There are three.')
      await only(one, two)
      let last = store.snapshot()
      store.onChange((...change) => heard.push(change))
      await Promise.all([set(2000), set(3000)].map(change => store.update(change)))
      await Promise.all([only(three, one, two), only(one, two, three), only(two)])
      expect(heard).toHaveLength(5)
      for (const [next, previous, diff] of heard) {
        expect(previous).toBe(last)
        expect(diff).toEqual(diffConfig(previous, next))
        last = next
      }
      expect(last).toBe(store.snapshot())
      expect(last.connections.get('conn_2')).toBe(heard[0]?.[1].connections.get('conn_2'))
      expect(heard[2]?.[2].connections).toEqual([{ id: 'conn_3', before: undefined, after: three, at: 0 }])
    })

    test('a second handle gets each change, and keeps the objects of what has not changed', async () => {
      const { store, second } = await opened()
      await store.update(config => ({ next: withOneOfEach(config), result: null }))
      const other = await second()
      onTestFinished(() => other.close())
      expect(other.snapshot()).toEqual(store.snapshot())
      const before = other.snapshot()
      let last = before
      const diffs: ConfigDiff[] = []
      other.onChange((next, previous, diff) => {
        expect(previous).toBe(last)
        expect(diff).toEqual(diffConfig(previous, next))
        last = next
        diffs.push(diff)
      })
      const [one, two] = [exampleConnection('conn_one'), exampleConnection('conn_two')]
      await store.update(config => ({ next: withConnections(config, one), result: null }))
      await store.update(({ connections, ...config }) => ({
        next: { ...config, connections: new Map([[two.connectionId, two], ...connections]) },
        result: null,
      }))
      await eventually(() => expect(other.snapshot()).toEqual(store.snapshot()))
      expect([...last.connections.keys()]).toEqual([...store.snapshot().connections.keys()])
      expect(last).toBe(other.snapshot())
      for (const [id, record] of before.connections) expect(last.connections.get(id)).toBe(record)
      expect(diffs.flatMap(({ connections }) => connections.map(({ id }) => id)).toSorted()).toEqual(
        ['conn_one', 'conn_two'].toSorted(),
      )
    })

    test('updates through two handles at once all count', async () => {
      const { store, second } = await opened()
      const other = await second()
      onTestFinished(() => other.close())
      await store.update(set(2000))
      const add = (config: Config) => set(config.settings.maxBodyBytes + 1)(config)
      const both = [store, other]
      await Promise.all(Array.from({ length: 100 }, (_, index) => both[index % 2]?.update(add)))
      await eventually(() => {
        for (const one of both) expect(one.snapshot().settings.maxBodyBytes).toBe(2100)
      })
    })

    test('an update is announced before it resolves', async () => {
      const { store } = await opened()
      let announced = false
      store.onChange(() => (announced = true))
      await store.update(set(2000))
      expect(announced).toBe(true)
    })

    test('a listener that throws stops neither the update nor the other listeners', async () => {
      const { store, errors } = await opened()
      const failure = new Error('deaf')
      const heard: number[] = []
      store.onChange(() => {
        throw failure
      })
      store.onChange(next => heard.push(next.settings.maxBodyBytes))
      await store.update(set(2000))
      expect(heard).toEqual([2000])
      expect(errors).toEqual([failure])
    })

    test('a listener may ask for an update', async () => {
      const { store } = await opened()
      let second: Promise<unknown> = Promise.resolve()
      const stop = store.onChange(() => {
        stop()
        second = store.update(set(3000))
      })
      await store.update(set(2000))
      await second
      expect(store.snapshot().settings.maxBodyBytes).toBe(3000)
    })

    test('everything is in the same order after it is opened again', async () => {
      const { store, reopen } = await opened()
      const records = ['conn_b', 'conn_a', 'conn_10'].map(id => exampleConnection(id))
      await store.update(config => ({ next: withConnections(config, ...records), result: null }))
      await store.update(set(5000))
      const before = store.snapshot()
      const again = await reopen()
      onTestFinished(() => again.close())
      expect(again.snapshot()).toEqual(before)
      expect([...again.snapshot().connections.keys()]).toEqual(['conn_b', 'conn_a', 'conn_10'])
      expect(JSON.stringify(again.snapshot().connections.get('conn_a'))).toBe(JSON.stringify(records[1]))
      expect(Object.isFrozen(again.snapshot().connections.get('conn_a')?.eventTypes)).toBe(true)
    })

    test('close waits for running updates and refuses later ones', async () => {
      const { store, reopen } = await opened()
      const update = store.update(set(6000))
      await store.close()
      await update
      await expect(store.update(set(7000))).rejects.toMatchObject({ code: 'storage_unavailable' })
      const again = await reopen()
      onTestFinished(() => again.close())
      expect(again.snapshot().settings.maxBodyBytes).toBe(6000)
    })
  })
}
