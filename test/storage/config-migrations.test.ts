import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { schemaVersion } from '#main/storage/local/config-file-schema.ts'
import { DamagedContent } from '#main/storage/local/durable-json-file.ts'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { allMigrations, type Migration, migrate } from '#main/storage/local/migrate.ts'
import { settingsDefaults } from '#shared/model/settings.ts'
import { faultyFiles } from './config-faults.ts'
import { earlierConnection, filesIn, newFolder, now, sealer } from './config-fixtures.ts'

const step = (from: number, to: number, name: string): Migration => ({
  from,
  to,
  name,
  migrate: file => ({ ...Object(file), schemaVersion: to, did: `${Object(file).did ?? ''}${name} ` }),
})

describe('migrate', () => {
  const steps = [step(1, 2, 'one'), step(2, 4, 'two'), step(4, 5, 'three')]

  test('runs the steps that are needed, in order, and says which', () => {
    const { value, from, applied } = migrate({ schemaVersion: 2 }, steps, 5)
    expect(value).toEqual({ schemaVersion: 5, did: 'two three ' })
    expect(from).toBe(2)
    expect(applied.map(({ name }) => name)).toEqual(['two', 'three'])
  })

  test('does not change the present version', () => {
    const file = { schemaVersion: 5 }
    const { value, applied } = migrate(file, steps, 5)
    expect(value).toBe(file)
    expect(applied).toEqual([])
  })

  test('refuses a newer version', () => {
    expect(() => migrate({ schemaVersion: 6 }, steps, 5)).toThrow(
      expect.objectContaining({ code: 'newer_configuration', message: expect.stringContaining('version 6') }),
    )
  })

  test.for([
    [null],
    ['x'],
    [[]],
    [{}],
    [{ schemaVersion: '1' }],
    [{ schemaVersion: 1.5 }],
    [{ schemaVersion: 3 }],
  ])('%j is damaged', ([file]) => {
    expect(() => migrate(file, steps, 5)).toThrow(DamagedContent)
  })

  test('throws if a step does not lead to its version', () => {
    const wrong = { ...step(1, 2, 'wrong'), migrate: (file: unknown) => file }
    expect(() => migrate({ schemaVersion: 1 }, [wrong], 2)).toThrow('does not lead to version 2')
  })

  test('the steps of this program lead from version 2 to the present one without a gap', () => {
    let version = 2
    for (const { from, to } of allMigrations) {
      expect(from).toBe(version)
      version = to
    }
    expect(version).toBe(schemaVersion)
  })
})

describe('a file of version 2', () => {
  const fixture = join(import.meta.dirname, '../fixtures/config/version-2.json')

  test('has a list of old secrets afterwards, and all else as it was', async () => {
    const folder = await newFolder()
    const file = join(folder, 'config.json')
    const text = await readFile(fixture, 'utf8')
    await writeFile(file, text)
    const store = await openConfigStore({ file, sealer, clock: () => now })
    expect(store.notices).toEqual([
      'The configuration was migrated: several old secrets (2 to 3), a journal of changes (3 to 4), variables of the service (4 to 5). The previous file is kept as config.v2.json.',
    ])
    expect(store.snapshot().settings).toEqual({ ...settingsDefaults, maxBodyBytes: 2000 })
    expect([...store.snapshot().connections.values()]).toEqual([
      earlierConnection('conn_1', { actions: [] }),
      earlierConnection('conn_2', { actions: [], oldSecrets: [], baseUrl: null, eventTypes: [] }),
    ])
    expect(await readFile(join(folder, 'config.v2.json'), 'utf8')).toBe(text)
    const sealed = JSON.parse(text).connections[0].previousSecret
    expect(JSON.parse(await readFile(file, 'utf8')).connections[0].oldSecrets).toEqual([sealed])
    await store.close()
    expect((await openConfigStore({ file, sealer, clock: () => now })).notices).toEqual([])
  })

  test.for([[{}], [{ connections: {} }], [{ connections: [1] }], [{ connections: [{}] }]])(
    'with %j in it is damaged',
    ([rest]) => {
      expect(() => migrate({ schemaVersion: 2, ...rest }, allMigrations, schemaVersion)).toThrow(
        DamagedContent,
      )
    },
  )
})

describe('a file of version 4', () => {
  const fixture = join(import.meta.dirname, '../fixtures/config/version-4.json')
  const read = (value: string) => ({ value, operator: 'exists' })
  const url = 'https://shop.example/{{env.region}}?a={{$env.region}}&b={{ $env["x"] }}&c={{["$env"].d}}'
  const steps = [
    {
      key: 'a',
      type: 'branch',
      cases: [{ when: { any: [read('{{service.a}}'), read('{{$calls.a}}')] }, steps: [] }],
      otherwise: [],
    },
    {
      key: 'b',
      type: 'http',
      method: 'POST',
      url,
      body: { $env: ['{{$run}} {{calls.a}}', '{{$env | upper}}', '$env'] },
    },
  ]
  const rewritten = JSON.stringify(steps)
    .replace('{{$env.region}}', '{{event.$env.region}}')
    .replace('{{ $env[', '{{ event.$env[')
    .replace('{{$calls.a}}', '{{event.$calls.a}}')
    .replace('{{$run}}', '{{event.$run}}')

  test('reads fields of events whose names begin with $ as before, and says which workflows do', async () => {
    const folder = await newFolder()
    const file = join(folder, 'config.json')
    const { workflows, journal, ...rest } = JSON.parse(await readFile(fixture, 'utf8'))
    const [{ trigger, ...workflow }] = workflows
    const once = { key: '{{$id}} {{id}}', hours: 1 }
    const reading = {
      ...workflow,
      workflowId: 'wf_reading',
      name: 'Reading',
      trigger: { ...trigger, once },
      steps,
    }
    const text = JSON.stringify({ ...rest, workflows: [...workflows, reading] })
    await writeFile(file, text)
    const store = await openConfigStore({ file, sealer, clock: () => now })
    expect(store.notices).toEqual([
      'The configuration was migrated: variables of the service (4 to 5). The previous file is kept as config.v4.json.',
      expect.stringMatching(/were rewritten to \{\{event\.\$name\}\}: Reading\.$/),
    ])
    const found = store.snapshot().workflows.get('wf_reading')
    expect(JSON.stringify(found?.steps)).toBe(rewritten)
    expect(found?.trigger.once).toEqual({ key: '{{event.$id}} {{id}}', hours: 1 })
    await store.close()
    const again = await openConfigStore({ file, sealer, clock: () => now })
    expect(again.notices).toEqual([])
    expect(again.snapshot()).toEqual(store.snapshot())
  })
})

describe('a store whose file is of another version', () => {
  // Only in this test, version 2 called the settings `options`.
  const renameOptions: Migration = {
    from: 2,
    to: 3,
    name: 'options are settings',
    migrate: file => {
      const { options, ...rest } = Object(file)
      return { ...rest, schemaVersion: 3, settings: options }
    },
  }
  const openIn = (folder: string, fs = faultyFiles().fs) =>
    openConfigStore({
      file: join(folder, 'config.json'),
      sealer,
      clock: () => now,
      migrations: [renameOptions, ...allMigrations],
      fs,
    })

  async function folderOfVersion2() {
    const folder = await newFolder()
    const { close } = await openIn(folder)
    await close()
    const { settings, ...rest } = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'))
    const text = JSON.stringify({ ...rest, schemaVersion: 2, options: { ...settings, maxBodyBytes: 2000 } })
    await writeFile(join(folder, 'config.json'), text)
    return { folder, text }
  }

  test('is migrated once, and the old file is kept', async () => {
    const { folder, text } = await folderOfVersion2()
    const store = await openIn(folder)
    expect(store.snapshot().settings.maxBodyBytes).toBe(2000)
    expect(store.notices).toEqual([
      'The configuration was migrated: options are settings (2 to 3), a journal of changes (3 to 4), variables of the service (4 to 5). The previous file is kept as config.v2.json.',
    ])
    expect(await readFile(join(folder, 'config.v2.json'), 'utf8')).toBe(text)
    expect(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')).schemaVersion).toBe(schemaVersion)
    expect((await openIn(folder)).notices).toEqual([])
  })

  test('stays unchanged after any fault, and is migrated the next time', async () => {
    for (let call = 1; ; call += 1) {
      const { folder, text } = await folderOfVersion2()
      const faulty = faultyFiles()
      faulty.failAt(call, true)
      const error: unknown = await openIn(folder, faulty.fs).then(
        () => null,
        caught => caught,
      )
      if (error === null) break
      expect(error).toMatchObject({ code: 'storage_unavailable' })
      const again = await openIn(folder)
      expect(again.snapshot().settings.maxBodyBytes).toBe(2000)
      const contents = (await filesIn(folder)).map(file => file.bytes.toString())
      expect(contents).toContain(text)
      expect(call).toBeLessThan(60)
    }
  })

  test('is refused if it is newer, and nothing is written', async () => {
    const { folder } = await folderOfVersion2()
    await writeFile(join(folder, 'config.json'), '{"schemaVersion": 6, "later": true}')
    const before = await filesIn(folder)
    await expect(openIn(folder)).rejects.toMatchObject({ code: 'newer_configuration' })
    expect(await filesIn(folder)).toEqual(before)
  })
})
