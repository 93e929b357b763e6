import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type FileSystem, systemFiles } from '#main/lib/file-system.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { schemaVersion } from '#main/storage/local/config-file-schema.ts'
import { dataFolderPaths } from '#main/storage/local/data-folder-paths.ts'
import { loadDataKey } from '#main/storage/local/data-key.ts'
import { openFolderForBackup } from '#main/storage/local/local-storage.ts'
import { type ConfigStoreOptions, openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { faultyFiles } from './config-faults.ts'
import {
  exampleConnection,
  fileOf,
  filesIn,
  newFolder,
  now,
  sealer,
  withBodyLimit,
  withConnections,
  withOneOfEach,
  withVariable,
} from './config-fixtures.ts'

/** Opens a store that is at rest when `rest` is called. */
async function openIn(folder: string, options: Partial<ConfigStoreOptions> = {}) {
  const errors: unknown[] = []
  let due: (() => Promise<void>) | null = null
  const delays: number[] = []
  const store = await openConfigStore({
    file: join(folder, 'config.json'),
    sealer,
    clock: () => now,
    onError: error => errors.push(error),
    after(delayMs, callback) {
      delays.push(delayMs)
      due = callback
      return () => {
        due = null
      }
    },
    ...options,
  })
  onTestFinished(store.close)
  /** Writes the file, and waits until that is done. */
  const rest = async () => due?.()
  return { store, errors, delays, rest, isDue: () => due !== null }
}

const setLimit = (store: ConfigStore, bytes: number) =>
  store.update(config => ({ next: withBodyLimit(config, bytes), result: null }))
const put = (store: ConfigStore, id: string, name = id) =>
  store.update(config => ({ next: withConnections(config, exampleConnection(id, { name })), result: null }))
const configIn = async (folder: string, name = 'config.json') =>
  JSON.parse(await readFile(join(folder, name), 'utf8'))
const reopened = async (folder: string) => (await openIn(folder)).store.snapshot()

/** Returns a copy of a folder as a kill would leave it. */
async function killed(folder: string): Promise<string> {
  const copy = await newFolder()
  for (const name of await readdir(folder)) await copyFile(join(folder, name), join(copy, name))
  return copy
}

/** Expects that a start finds a damaged file, and everything in its copy and the journals. */
async function expectFromCopy(folder: string, everything: Config): Promise<void> {
  const { store } = await openIn(folder)
  expect(store.losses).toEqual([expect.stringContaining('The last good copy is used.')])
  expect(store.snapshot()).toEqual(everything)
}

describe('a journal', () => {
  test('has the changes since the file was written, and nothing else of the configuration', async () => {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    await put(store, 'conn_1')
    await put(store, 'conn_2')
    const before = await configIn(folder)
    await put(store, 'conn_2', 'Renamed')
    expect(await configIn(folder)).toEqual(before)
    const lines = (await readFile(join(folder, 'config.json.journal-1'), 'utf8')).trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line.split('\t')[0] ?? ''))).toMatchObject([
      { schemaVersion },
      { connections: [{ id: 'conn_1' }] },
      { connections: [{ id: 'conn_2' }] },
      { connections: [{ id: 'conn_2', entry: { name: 'Renamed' } }] },
    ])
    expect(await reopened(await killed(folder))).toEqual(store.snapshot())
  })

  test('is gone after a stop, when the file and its copy have everything', async () => {
    const folder = await newFolder()
    const { store, errors } = await openIn(folder)
    await store.update(config => ({ next: withOneOfEach(config), result: null }))
    await store.close()
    expect(errors).toEqual([])
    const files = await filesIn(folder)
    expect(files.map(({ name }) => name)).toEqual(['config.json', 'config.json.bak', 'config.json.version'])
    expect(files[0]?.bytes).toEqual(files[1]?.bytes)
    expect(files[0]?.bytes.toString()).toBe(`${JSON.stringify(await configIn(folder), null, 2)}\n`)
    expect(await reopened(folder)).toEqual(store.snapshot())
  })

  test('lets the file be edited by hand while the service is stopped', async () => {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    await put(store, 'conn_1')
    await store.close()
    const file = await configIn(folder)
    file.settings.maxBodyBytes = 2000
    file.connections[0].name = 'By hand'
    await writeFile(join(folder, 'config.json'), JSON.stringify(file))
    const { store: again } = await openIn(folder)
    expect(again.snapshot().settings.maxBodyBytes).toBe(2000)
    await put(again, 'conn_2')
    await again.close()
    expect((await configIn(folder)).connections.map(({ name }: { name: string }) => name)).toEqual([
      'By hand',
      'conn_2',
    ])
  })

  test.for(['{"connections": [{"id": "co', '\0\0\0\0\0\0', '{"settings": {}}'])(
    'drops a last line that a kill has cut off: %j',
    async torn => {
      const folder = await newFolder()
      const { store } = await openIn(folder)
      await setLimit(store, 2000)
      const copy = await killed(folder)
      await appendFile(join(copy, 'config.json.journal-1'), torn)
      const { store: again } = await openIn(copy)
      expect(again.losses).toEqual([])
      expect(again.snapshot()).toEqual(store.snapshot())
      await setLimit(again, 3000)
      expect((await reopened(await killed(copy))).settings.maxBodyBytes).toBe(3000)
    },
  )

  test('with a damaged line is kept, its other lines are used, and the operator is told', async () => {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    for (const id of ['conn_1', 'conn_2', 'conn_3']) await put(store, id)
    const copy = await killed(folder)
    const journal = join(copy, 'config.json.journal-1')
    const text = await readFile(journal, 'utf8')
    const damaged = text.replace('"id":"conn_2"', '"id";"conn_2"')
    await writeFile(journal, damaged)
    const { store: again } = await openIn(copy)
    expect([...again.snapshot().connections.keys()]).toEqual(['conn_1', 'conn_3'])
    const aside = 'config.json.journal-1.damaged-2026-11-21T09-30-00.000Z'
    expect(again.losses).toEqual([
      expect.stringMatching(/config\.json\.journal-1 .* line 3: it is not as it was written/),
    ])
    expect(again.losses[0]).toContain(aside)
    expect(again.losses[0]).not.toContain('canary')
    await again.close()
    expect(await readFile(join(copy, aside), 'utf8')).toBe(damaged)
    expect((await openIn(copy)).store.losses).toEqual([])
  })

  test('with a change that cannot be used stops the start, and everything stays as it is', async () => {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    await put(store, 'conn_1')
    const copy = await killed(folder)
    const journal = join(copy, 'config.json.journal-1')
    const [head, line = ''] = (await readFile(journal, 'utf8')).split('\n')
    const text = line.replace('"timeoutMs":30000', '"timeoutMs":"x"').split('\t')[0] ?? ''
    await writeFile(journal, `${head}\n${text}\t${crc32(text).toString(16).padStart(8, '0')}\n`)
    const before = await filesIn(copy)
    await expect(openIn(copy)).rejects.toMatchObject({
      code: 'damaged_configuration',
      message: expect.stringMatching(/connections\[0\]\.timeoutMs.* config\.json\.journal-1/),
    })
    expect(await filesIn(copy)).toEqual(before)
  })

  test('is never used with a changed bit, and the operator is told', async () => {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    await put(store, 'conn_1')
    await put(store, 'conn_2')
    await store.update(config => ({ next: { ...config, connections: new Map() }, result: null }))
    await setLimit(store, 2000)
    const copy = await killed(folder)
    const journal = join(copy, 'config.json.journal-1')
    const bytes = await readFile(journal)
    const files = await filesIn(copy)
    const bits = 8 * bytes.length
    const ofTheLastBytes = Array.from({ length: 8 * 12 }, (_, index) => bits - 1 - index)
    const ofAll = Array.from({ length: 100 }, (_, index) => Math.floor((bits * index) / 100) + (index % 8))
    for (const bit of [...ofAll, ...ofTheLastBytes]) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      await writeFile(journal, flipped)
      const { store: again } = await openIn(copy)
      const isSame = isDeepStrictEqual(again.snapshot(), store.snapshot())
      expect(isSame || again.losses.length > 0, `bit ${bit}`).toBe(true)
      for (const { name, bytes: before } of files) await writeFile(join(copy, name), before)
    }
  })

  test('before another one is missed', async () => {
    const folder = await newFolder()
    const { store, rest } = await openIn(folder)
    await put(store, 'conn_1')
    await rest()
    await put(store, 'conn_2')
    const copy = await killed(folder)
    await rename(join(copy, 'config.json.journal-2'), join(copy, 'config.json.journal-3'))
    const { store: again } = await openIn(copy)
    expect([...again.snapshot().connections.keys()]).toEqual(['conn_1', 'conn_2'])
    expect(again.losses).toEqual([expect.stringContaining('config.json.journal-2 is missing')])
  })

  test('without the file that it belongs to stops the start', async () => {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    await put(store, 'conn_1')
    const copy = await killed(folder)
    await rm(join(copy, 'config.json'))
    await expect(openIn(copy)).rejects.toMatchObject({ code: 'damaged_configuration' })
    expect(await readdir(copy)).toEqual(['config.json.journal-1', 'config.json.version'])
  })

  test('is a reason not to create a missing key', async () => {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    await put(store, 'conn_1')
    const paths = dataFolderPaths(await killed(folder))
    const loading = loadDataKey(paths, {}, size => Buffer.alloc(size))
    await expect(loading).rejects.toMatchObject({
      code: 'wrong_key',
      message: expect.stringContaining('config.json.journal-1'),
    })
  })
})

describe('changes that are missing', () => {
  /** A folder after a kill: the file has two changes, and its journal three. The clock goes on by a minute each. */
  async function folderWithJournal() {
    const folder = await newFolder()
    let time = now
    const opened = await openIn(folder, { clock: () => time, newLineage: () => '0123abcd' })
    for (const number of [1, 2, 3, 4, 5]) {
      time += 60_000
      await put(opened.store, `conn_${number}`)
      if (number === 2) await opened.rest()
    }
    const copy = await killed(folder)
    const journal = join(copy, 'config.json.journal-2')
    return { copy, journal, lines: (await readFile(journal, 'utf8')).split(/(?<=\n)/) }
  }
  const lossesIn = async (folder: string) => (await openIn(folder)).store.losses

  test.for([
    ['the journal is removed', [3, 5], () => null],
    ['the journal is emptied', [3, 5], () => []],
    ['a line is removed', [4, 4], lines => lines.toSpliced(2, 1)],
    ['the newest lines are removed', [4, 5], lines => lines.slice(0, 2)],
    ['the newest line is cut off', [5, 5], lines => [...lines.slice(0, 3), '{"follows'].slice(0, 4)],
  ] satisfies [string, [number, number], (lines: string[]) => string[] | null][])(
    'are counted, with the time of the last, if %s',
    async ([_, [first, last], damage]) => {
      const { copy, journal, lines } = await folderWithJournal()
      const left = damage(lines)
      if (left === null) await rm(journal)
      else await writeFile(journal, left.join(''))
      const [loss = '', ...more] = await lossesIn(copy)
      expect(more).toEqual([])
      const which = first === last ? `number ${last}` : `numbers ${first} to ${last}`
      const time = (number: number) => `2026-11-21 09:3${number}:00 UTC`
      expect(loss).toContain(`${which}, made after ${time(first - 1)}, the last at ${time(last)}.`)
      expect(loss).toMatch(/^\d changes? of the configuration (is|are) lost: /)
    },
  )

  test('are told of until the file has been written, and no version is used twice', async () => {
    const { copy, journal } = await folderWithJournal()
    await rm(journal)
    const first = await openIn(copy)
    await put(first.store, 'conn_6')
    const again = await openIn(await killed(copy))
    expect(again.store.losses).toEqual(first.store.losses)
    expect([...again.store.snapshot().connections.keys()]).toEqual(['conn_1', 'conn_2', 'conn_6'])
    await again.rest()
    await first.rest()
    expect(await lossesIn(copy)).toEqual([])
    expect((await configIn(copy)).written).toMatch(/^0123abcd 6 /)
  })

  test('are none if lines are only swapped or there twice', async () => {
    const { copy, journal, lines } = await folderWithJournal()
    const { store } = await openIn(await killed(copy))
    const [head = '', one = '', two = '', three = ''] = lines
    await writeFile(journal, [head, three, one, two, one].join(''))
    const { store: again } = await openIn(copy)
    expect(again.losses).toEqual([])
    expect(again.snapshot()).toEqual(store.snapshot())
  })

  test('are not replaced by those of another folder', async () => {
    const { copy, journal } = await folderWithJournal()
    const other = await newFolder()
    const { store, rest } = await openIn(other)
    await put(store, 'conn_other')
    await rest()
    await put(store, 'conn_another')
    await copyFile(join(other, 'config.json.journal-2'), journal)
    const { store: again } = await openIn(copy)
    expect([...again.snapshot().connections.keys()]).toEqual(['conn_1', 'conn_2'])
    expect(again.losses[0]).toMatch(/numbers 3 to 5.*1 change in its journals belong to another copy/)
  })

  test('are noticed if the file is replaced by that of another folder', async () => {
    const { copy } = await folderWithJournal()
    const { store } = await openIn(copy)
    await store.close()
    const other = await newFolder()
    const another = (await openIn(other)).store
    for (let number = 0; number < 9; number++) await put(another, `conn_${number}`)
    await another.close()
    await copyFile(join(other, 'config.json'), join(copy, 'config.json'))
    expect(await lossesIn(copy)).toEqual([expect.stringContaining('was replaced by that of another folder')])
  })

  test('all of them stop the start: the data of connections would be deleted', async () => {
    const { copy } = await folderWithJournal()
    const { store } = await openIn(copy)
    await store.close()
    for (const name of ['config.json', 'config.json.bak']) await rm(join(copy, name))
    await expect(openIn(copy)).rejects.toMatchObject({
      code: 'damaged_configuration',
      message: expect.stringContaining('config.json.version'),
    })
  })

  test('are a reason to refuse a backup of the folder', async () => {
    const { copy, journal } = await folderWithJournal()
    await rm(journal)
    const { sources, close } = await openFolderForBackup(copy, true)
    onTestFinished(close)
    await expect(sources.copyTo(await newFolder())).rejects.toMatchObject({
      code: 'damaged_configuration',
      message: expect.stringContaining('numbers 3 to 5'),
    })
  })

  test('are none after a kill before the mark was written, or without the mark', async () => {
    const { copy, journal, lines } = await folderWithJournal()
    const earlier = await newFolder()
    const { store } = await openIn(earlier, { newLineage: () => '0123abcd' })
    await put(store, 'conn_1')
    const mark = join(copy, 'config.json.version')
    await copyFile(join(earlier, 'config.json.version'), mark)
    expect(await lossesIn(copy)).toEqual([])
    for (const damage of ['', 'x'.repeat(100)]) {
      await writeFile(mark, damage)
      expect(await lossesIn(copy)).toEqual([])
    }
    await rm(mark)
    await mkdir(mark)
    expect((await openIn(copy, { onError: () => {} })).store.losses).toEqual([])
    expect((await readFile(journal, 'utf8')).split(/(?<=\n)/)).toEqual(lines)
  })

  test('are looked for in a file that is not as it was written', async () => {
    const { copy } = await folderWithJournal()
    const { store } = await openIn(copy)
    await store.close()
    const file = join(copy, 'config.json')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('"conn_2"', '"conn_3"').replace('"maxDays": 30', '"maxDays": 31'))
    const [loss] = await lossesIn(copy)
    expect(loss).toMatch(/^config\.json/)
  })
})

describe('a folder of an earlier version, whose changes are not chained,', () => {
  const oldLine = (content: object) => {
    const text = JSON.stringify(content)
    return `${text}\t${crc32(text).toString(16).padStart(8, '0')}\n`
  }
  const limit = (maxBodyBytes: number) => oldLine({ settings: { maxBodyBytes } })

  /** @param journals the content of each. */
  async function oldFolder(...journals: string[]): Promise<string> {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    const file = fileOf(store.snapshot())
    await store.close()
    for (const name of ['config.json.bak', 'config.json.version'])
      await rm(join(folder, name), { force: true })
    await writeFile(join(folder, 'config.json'), `${JSON.stringify(file, null, 2)}\n`)
    for (const [index, content] of journals.entries())
      await writeFile(join(folder, `config.json.journal-${index + 1}`), content)
    return folder
  }

  test.for([
    ['no journal', [], 1_048_576],
    ['a journal', [oldLine({ schemaVersion }) + limit(2000) + limit(3000)], 3000],
    ['two', [oldLine({ schemaVersion }) + limit(2000), oldLine({ schemaVersion }) + limit(3000)], 3000],
    ['a line that was cut off', [`${oldLine({ schemaVersion })}${limit(2000)}{"sett`], 2000],
    ['one that a kill has left empty', [''], 1_048_576],
  ] satisfies [string, string[], number][])(
    'opens with %s, and is chained then',
    async ([_, journals, expected]) => {
      const folder = await oldFolder(...journals)
      const { store } = await openIn(folder)
      expect(store.losses).toEqual([])
      expect(store.snapshot().settings.maxBodyBytes).toBe(expected)
      expect(await configIn(folder)).toHaveProperty('written')
      await setLimit(store, 4000)
      const copy = await killed(folder)
      expect((await openIn(copy)).store.losses).toEqual([])
      for (const name of await readdir(copy)) if (name.includes('.journal-')) await rm(join(copy, name))
      expect((await openIn(copy)).store.losses).toEqual([
        expect.stringContaining('1 change of the configuration is lost'),
      ])
    },
  )

  test('opens on a full disk too', async () => {
    const folder = await oldFolder(oldLine({ schemaVersion }) + limit(2000))
    const full: FileSystem = {
      ...systemFiles,
      async open(path, flags, mode) {
        if (flags === 'wx') throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
        return systemFiles.open(path, flags, mode)
      },
    }
    const { store, errors } = await openIn(folder, { fs: full })
    expect(store.snapshot().settings.maxBodyBytes).toBe(2000)
    expect(errors).not.toEqual([])
  })

  test('may have changed the configuration in between', async () => {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    await setLimit(store, 2000)
    const copy = await killed(folder)
    await writeFile(join(copy, 'config.json.journal-2'), oldLine({ schemaVersion }) + limit(3000))
    const { store: again } = await openIn(copy)
    expect(again.losses).toEqual([])
    await put(again, 'conn_1')
    const last = (await openIn(await killed(copy))).store
    expect(last.losses).toEqual([])
    expect(last.snapshot().settings.maxBodyBytes).toBe(3000)
    expect(last.snapshot().connections.size).toBe(1)
  })
})

describe('writing the file', () => {
  test('happens at rest, and leaves nothing to do', async () => {
    const folder = await newFolder()
    const { store, rest, isDue, errors } = await openIn(folder)
    expect(isDue()).toBe(false)
    await put(store, 'conn_1')
    expect(isDue()).toBe(true)
    await rest()
    expect(errors).toEqual([])
    expect(await configIn(folder)).toMatchObject({ journal: 1, connections: [{ connectionId: 'conn_1' }] })
    await put(store, 'conn_2')
    await rest()
    expect(await configIn(folder)).toMatchObject({ journal: 2, connections: [{}, { name: 'conn_2' }] })
    expect(await configIn(folder, 'config.json.bak')).toMatchObject({ journal: 1, connections: [{}] })
    // The copy does not have its changes yet.
    expect(await readdir(folder)).toContain('config.json.journal-2')
    expect(await readdir(folder)).not.toContain('config.json.journal-1')
  })

  test('happens at once when the journal is large', async () => {
    const { store, delays } = await openIn(await newFolder())
    const set = (length: number) =>
      store.update(config => ({ next: withVariable(config, 'LONG', 'x'.repeat(length)), result: null }))
    await set(1000)
    await set(4 * 1024 * 1024)
    expect(delays.map(delay => delay > 0)).toEqual([true, false])
  })

  test('follows a start that has found a journal', async () => {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    await put(store, 'conn_1')
    const copy = await killed(folder)
    const { rest, isDue } = await openIn(copy)
    expect(isDue()).toBe(true)
    await rest()
    expect(await configIn(copy)).toMatchObject({ connections: [{ connectionId: 'conn_1' }] })
  })

  test('lets changes go on, which are in the next journal', async () => {
    const folder = await newFolder()
    const { store, rest } = await openIn(folder)
    await put(store, 'conn_1')
    const writing = rest()
    await Promise.all(Array.from({ length: 30 }, (_, index) => put(store, `conn_${index}`, 'later')))
    await writing
    expect(await reopened(await killed(folder))).toEqual(store.snapshot())
  })

  test('overwrites what somebody else has written into the file meanwhile', async () => {
    const folder = await newFolder()
    const { store, rest } = await openIn(folder)
    for (const id of ['conn_1', 'conn_2']) await put(store, id)
    await rest()
    await writeFile(join(folder, 'config.json'), '{"schemaVersion": 4, "connections": []}')
    await put(store, 'conn_3')
    await rest()
    expect(await reopened(await killed(folder))).toEqual(store.snapshot())
  })

  test('gives the same file, however the changes came and were written', async () => {
    const ids = ['conn_1', 'conn_2', 'conn_3', 'conn_4', 'conn_5']
    const steps = fc.array(
      fc.oneof(
        fc.constant({ act: 'rest' as const }),
        fc.record({
          act: fc.constant('put' as const),
          id: fc.constantFrom(...ids),
          name: fc.constantFrom('é', 'b'),
        }),
        fc.record({ act: fc.constant('remove' as const), id: fc.constantFrom(...ids) }),
        fc.record({ act: fc.constant('first' as const), id: fc.constantFrom(...ids) }),
        fc.record({ act: fc.constant('variable' as const), name: fc.constantFrom('A', 'B') }),
      ),
      { maxLength: 15 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async all => {
        const folder = await newFolder()
        const { store, rest, errors } = await openIn(folder)
        for (const step of all) {
          if (step.act === 'rest') await rest()
          else await store.update(config => ({ next: applied(config, step), result: null }))
        }
        const expected = store.snapshot()
        expect(await reopened(await killed(folder))).toEqual(expected)
        await store.close()
        expect(errors).toEqual([])
        const again = await reopened(folder)
        expect([...again.connections]).toEqual([...expected.connections])
        expect(again).toEqual(expected)
        const text = await readFile(join(folder, 'config.json'), 'utf8')
        expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
        expect(Object.keys(JSON.parse(text))).toEqual([...Object.keys(fileOf(expected)), 'written'])
      }),
      { numRuns: 40 },
    )
  })

  type Step = { act: 'put' | 'remove' | 'first' | 'variable'; id?: string; name?: string }
  function applied(config: Config, { act, id = '', name = '' }: Step): Config {
    if (act === 'variable') return withVariable(config, name, `secret of ${name}`)
    if (act === 'put') return withConnections(config, exampleConnection(id, { name }))
    const others = [...config.connections].filter(([key]) => key !== id)
    if (act === 'remove') return { ...config, connections: new Map(others) }
    return { ...config, connections: new Map([[id, exampleConnection(id)], ...others]) }
  }

  /** A store with changes in its file, in the journal of its copy, and in the present one. */
  async function openWithChanges() {
    const folder = await newFolder()
    const faulty = faultyFiles()
    const opened = await openIn(folder, { fs: faulty.fs })
    for (const id of ['conn_1', 'conn_2', 'conn_3']) {
      await put(opened.store, id)
      if (id !== 'conn_3') await opened.rest()
    }
    faulty.failAt(Number.POSITIVE_INFINITY)
    return { folder, faulty, ...opened }
  }

  test.for([false, true])('loses nothing at any step, if it fails (from there on: %s)', async forGood => {
    const counting = await openWithChanges()
    await counting.rest()
    const steps = counting.faulty.calls()
    expect(steps.length).toBeGreaterThan(10)
    for (const index of steps.keys()) {
      const { folder, faulty, store, rest } = await openWithChanges()
      faulty.failAt(index + 1, forGood)
      await rest()
      const copy = await killed(folder)
      const { store: again } = await openIn(copy)
      expect(again.losses).toEqual([])
      expect(again.snapshot(), steps[index]).toEqual(store.snapshot())
      if (!forGood) {
        await put(store, 'conn_4')
        await rest()
        await store.close()
        expect(await readdir(folder)).toEqual(['config.json', 'config.json.bak', 'config.json.version'])
        expect(await reopened(folder)).toEqual(store.snapshot())
      }
    }
  })

  test('loses nothing when the file is damaged at any step, because its copy has the journals', async () => {
    const counting = await openWithChanges()
    await counting.rest()
    for (const index of counting.faulty.calls().keys()) {
      const { folder, faulty, store, rest } = await openWithChanges()
      faulty.failAt(index + 1, true)
      await rest()
      const copy = await killed(folder)
      await writeFile(join(copy, 'config.json'), '{')
      await expectFromCopy(copy, store.snapshot())
    }
  })

  test('at the stop does not make a copy of what somebody else has written into the file', async () => {
    const folder = await newFolder()
    const { store, rest } = await openIn(folder)
    await put(store, 'conn_1')
    await rest()
    await writeFile(join(folder, 'config.json'), '{"half')
    await store.close()
    expect(await readFile(join(folder, 'config.json'), 'utf8')).toBe('{"half')
    await expectFromCopy(folder, store.snapshot())
  })

  test('after a kill keeps the journals that its copy needs', async () => {
    const folder = await newFolder()
    const { store, rest } = await openIn(folder)
    await put(store, 'conn_1')
    await rest()
    await put(store, 'conn_2')
    const copy = await killed(folder)
    const again = await openIn(copy)
    await again.rest()
    await put(again.store, 'conn_3')
    const damaged = await killed(copy)
    await writeFile(join(damaged, 'config.json'), '{')
    await expectFromCopy(damaged, again.store.snapshot())
  })

  test('is tried again at the stop', async () => {
    const { folder, faulty, store, rest, errors } = await openWithChanges()
    faulty.failAt(1, true)
    await rest()
    expect(errors).toMatchObject([{ code: 'storage_unavailable' }])
    faulty.failAt(Number.POSITIVE_INFINITY)
    await store.close()
    expect(await readdir(folder)).toEqual(['config.json', 'config.json.bak', 'config.json.version'])
    expect(await reopened(folder)).toEqual(store.snapshot())
  })

  test('leaves the journal if it is impossible until the stop', async () => {
    const { folder, faulty, store, errors } = await openWithChanges()
    faulty.failAt(1, true)
    await store.close()
    expect(errors).not.toEqual([])
    expect(await reopened(folder)).toEqual(store.snapshot())
  })
})

describe('a backup', () => {
  test('of a running store has the changes of its journal', async () => {
    const folder = await newFolder()
    const { store, rest } = await openIn(folder)
    await put(store, 'conn_1')
    await rest()
    await put(store, 'conn_2')
    const copy = await newFolder()
    await store.copyTo(join(copy, 'config.json'))
    await put(store, 'conn_3')
    const copied = (await openIn(copy)).store
    expect([...copied.snapshot().connections.keys()]).toEqual(['conn_1', 'conn_2'])
    expect(copied.snapshot().connections.get('conn_1')).toEqual(
      exampleConnection('conn_1', { name: 'conn_1' }),
    )
  })

  test('of a folder that a kill has left has the changes of its journals', async () => {
    const folder = await newFolder()
    const { store, rest } = await openIn(folder)
    await put(store, 'conn_1')
    await rest()
    await put(store, 'conn_2')
    const { sources, close } = await openFolderForBackup(await killed(folder), true)
    onTestFinished(close)
    const copy = await newFolder()
    await sources.copyTo(copy)
    expect(await readdir(copy)).toEqual(['config.json'])
    expect(await reopened(copy)).toEqual(store.snapshot())
  })

  test('of a folder with a journal and a damaged file is refused', async () => {
    const folder = await newFolder()
    const { store } = await openIn(folder)
    await put(store, 'conn_1')
    const left = await killed(folder)
    await writeFile(join(left, 'config.json'), '{')
    const { sources, close } = await openFolderForBackup(left, true)
    onTestFinished(close)
    await expect(sources.copyTo(await newFolder())).rejects.toMatchObject({ code: 'damaged_configuration' })
  })
})

test('kill -9 at any moment loses no change that was confirmed', async () => {
  const folder = await newFolder()
  const confirmed = new Map<string, number>()
  for (let round = 0; round < 12; round++) {
    await countUntilKilled(join(folder, 'config.json'), 1 + Math.floor(Math.random() * 400), confirmed)
    const { store } = await openIn(await killed(folder))
    expect(store.losses).toEqual([])
    for (const [id, number] of confirmed)
      expect(Number(store.snapshot().connections.get(id)?.name), id).toBeGreaterThanOrEqual(number)
  }
})

/** @param confirmed gets the highest number for each connection that the writer called durable before it was killed. */
async function countUntilKilled(file: string, lines: number, confirmed: Map<string, number>): Promise<void> {
  const writer = spawn(process.execPath, [join(import.meta.dirname, 'journal-writer.ts'), file])
  let said = ''
  let count = 0
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    count += text.split('\n').length - 1
    if (count >= lines) writer.kill('SIGKILL')
  })
  let complaint = ''
  writer.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  await once(writer, 'close')
  expect(complaint).toBe('')
  for (const line of said.split('\n').slice(0, -1)) {
    const id = `conn_${Number(line) % 40}`
    confirmed.set(id, Math.max(confirmed.get(id) ?? 0, Number(line)))
  }
}
