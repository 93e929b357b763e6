import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Config } from '#main/storage/config.ts'
import { diffConfig } from '#main/storage/config-diff.ts'
import { toFileChange } from '#main/storage/local/config-change.ts'
import { readConfig } from '#main/storage/local/config-file.ts'
import { schemaVersion } from '#main/storage/local/config-file-schema.ts'
import { DamagedContent } from '#main/storage/local/durable-json-file.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { allMigrations, migrate } from '#main/storage/local/migrate.ts'
import { createSealedTexts } from '#main/storage/local/sealed-texts.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import {
  canaries,
  exampleAction,
  exampleConnection,
  fileOf,
  keyNamed,
  now,
  sealer,
  withConnections,
  withVariable,
} from './config-fixtures.ts'

const config: Config = withConnections(
  withVariable(newConfig(now), 'SHOP_KEY', 'environment-canary-4714'),
  exampleConnection('conn_1', {
    actions: [
      exampleAction('1', {
        imported: {
          operation: 'GET /orders',
          own: { 'headers.X-Café': { at: new Date(now).toISOString(), was: null } },
        },
      }),
    ],
    source: {
      ...{ format: 'openapi', url: 'https://shop.example/openapi.json', placeholders: { id: '1' } },
      ...{ importedAt: new Date(now).toISOString() },
      ...{ hash: 'a'.repeat(64), seen: 'abcdefgh' },
    },
  }),
  exampleConnection('conn_2', { oldSecrets: [], baseUrl: null, actions: [], eventTypes: [] }),
)
const at = new Date(now).toISOString()
const fixtures = join(import.meta.dirname, '../fixtures/config')
const onDisk = () => fileOf(config)
const read = (file: unknown) => readConfig(file, createSealedTexts(sealer))

/** Applies a change as the store does. */
function changed(before: Config, next: Config, texts: ReturnType<typeof createSealedTexts>) {
  toFileChange(next, diffConfig(before, next), texts)
  return fileOf(next, texts)
}

test.for([3, 4, 5])(
  'a file of version %i that an earlier build wrote is read completely, and written unchanged',
  async version => {
    // Written by a service, with each kind of entry. If it is not read, existing files are not either: a new field needs
    // a default, or a new version with a migration.
    const kept = JSON.parse(await readFile(join(fixtures, `version-${version}.json`), 'utf8'))
    for (const [name, value] of Object.entries(kept)) expect(value, name).not.toEqual([])
    const texts = createSealedTexts(sealer)
    const { config, unknown } = readConfig(migrate(kept, allMigrations, schemaVersion).value, texts)
    expect(unknown).toEqual([])
    expect(fileOf(config, texts, kept.journal)).toMatchObject({ ...kept, schemaVersion })
  },
)

describe('a configuration and its file', () => {
  test('the file decodes to the same configuration', () => {
    const found = read(onDisk())
    expect(found.config).toEqual(config)
    expect(JSON.stringify([...found.config.connections])).toBe(JSON.stringify([...config.connections]))
    expect(found.unknown).toEqual([])
  })

  test('a stored submit URL with a user name, which was never sent, is read without it', () => {
    const action = (submitUrl: string) => [
      { trigger: 'keyword:refund', action: 'refund', form: { fields: [], submitUrl } },
    ]
    const agent = { workspaceId: 'default', agentId: 'a', unknown: [], createdAt: at, updatedAt: at }
    const shapes = { 'conversation-actions': action('https://user:pass@shop.example/@a') }
    const { agents } = read({ ...onDisk(), agents: [{ ...agent, shapes }] }).config
    expect([...agents.values()].map(one => one.shapes)).toEqual([
      { 'conversation-actions': action('https://shop.example/@a') },
    ])
  })

  test('a stored crawler with patterns that are refused now is read and written unchanged', () => {
    const crawler = {
      ...{ startUrl: '', includePatterns: ['/a?b=*'], excludePatterns: ['/c#d'], maxDepth: 3, maxPages: 5 },
    }
    const agent = { workspaceId: 'default', agentId: 'a', unknown: [], createdAt: at, updatedAt: at }
    const file = { ...onDisk(), agents: [{ ...agent, shapes: { crawler } }] }
    expect(fileOf(read(file).config).agents).toEqual(file.agents)
  })

  test('everything but the credentials is readable', () => {
    const file = onDisk()
    expect(file).toMatchObject({
      schemaVersion,
      journal: 0,
      settings: config.settings,
      environment: [{ name: 'SHOP_KEY' }],
      workspaces: [{ workspaceId: 'default', name: 'Default' }],
      connections: [
        { connectionId: 'conn_1', name: 'Connection conn_1', actions: [exampleAction('1')] },
        { connectionId: 'conn_2' },
      ],
    })
    for (const canary of canaries) expect(JSON.stringify(file)).not.toContain(canary)
  })

  test('unchanged secrets keep their sealed text; a rotated secret is sealed again in both places', () => {
    const texts = createSealedTexts(sealer)
    const file = onDisk()
    const before = readConfig(file, texts).config
    const known = before.connections.get('conn_1')
    if (known === undefined) throw new Error('conn_1 is gone')
    const rotated = {
      ...known,
      signingSecret: 'whsec_new',
      oldSecrets: [{ secret: known.signingSecret, expiresAt: now }],
    }
    const after = changed(before, withConnections(before, rotated), texts)
    expect(after.connections[1]).toEqual(file.connections[1])
    const [old, now1] = [file.connections[0], after.connections[0]]
    expect(now1.inboundToken).toBe(old.inboundToken)
    expect(now1.signingSecret).not.toBe(old.signingSecret)
    expect(now1.oldSecrets[0].secret).not.toBe(old.signingSecret)
    expect(read(after).config.connections.get('conn_1')).toEqual(rotated)
  })

  test('a connection that is held, and one that is restored, keep their sealed texts', () => {
    const texts = createSealedTexts(sealer)
    const file = onDisk()
    const before = readConfig(file, texts).config
    const { conn_1: record, ...rest } = Object.fromEntries(before.connections)
    if (record === undefined) throw new Error('conn_1 is gone')
    const held = new Map([['conn_1', { record, deletedAt: now, place: 0 }]])
    const discarded = { ...before, connections: new Map(Object.entries(rest)), held }
    expect(changed(before, discarded, texts).held[0].connection).toEqual(file.connections[0])
    expect(changed(discarded, before, texts)).toEqual(file)
  })
})

describe('an environment variable', () => {
  const file = onDisk()

  test('keeps its sealed text if it did not change', () => {
    const texts = createSealedTexts(sealer)
    const before = readConfig(file, texts).config
    const after = changed(before, withVariable(before, 'OTHER', 'x'), texts)
    expect(after.environment.map(({ name }: { name: string }) => name)).toEqual(['SHOP_KEY', 'OTHER'])
    expect(after.environment[0]).toEqual(file.environment[0])
  })

  test('is sealed again if it changed', () => {
    const texts = createSealedTexts(sealer)
    const before = readConfig(file, texts).config
    const next = withVariable(before, 'SHOP_KEY', 'another')
    const after = changed(before, next, texts)
    expect(after.environment[0].value).not.toBe(file.environment[0].value)
    expect(read(after).config.environment).toEqual(next.environment)
  })
})

describe('a file that cannot be used', () => {
  type Change = (file: ReturnType<typeof onDisk>) => void
  test.for<[string, Change, string]>([
    ['a setting out of range', file => (file.settings.maxBodyBytes = 5), 'settings.maxBodyBytes: '],
    ['settings that are a list', file => (file.settings = []), 'settings: '],
    ['a missing list', file => delete file.workspaces, 'workspaces: '],
    ['a wrong type', file => (file.connections[1].timeoutMs = '30'), 'connections[1].timeoutMs: '],
    [
      'a nested wrong type',
      file => (file.connections[0].eventTypes[0].eventName = 1),
      'connections[0].eventTypes[0].eventName: ',
    ],
    [
      'an action of an unknown method',
      file => (file.connections[0].actions[0].method = 'TRACE'),
      'connections[0].actions[0].method: ',
    ],
    [
      'a plain variable',
      file => (file.environment[0].value = 'whsec_plain'),
      'environment[0].value: must be a sealed text',
    ],
    [
      'a variable under another name',
      file => (file.environment[0].name = 'OTHER'),
      'environment[0].value: cannot be decrypted',
    ],
    [
      'a variable twice',
      file => file.environment.push(file.environment[0]),
      'environment[1].name: "SHOP_KEY" is there twice',
    ],
    [
      'a sample that is a list',
      file => (file.connections[0].eventTypes[0].samplePayload = []),
      'samplePayload: must be a JSON object',
    ],
    [
      'a plain credential',
      file => (file.connections[0].signingSecret = 'whsec_plain'),
      'connections[0].signingSecret: must be a sealed text',
    ],
    [
      'an id twice',
      file => (file.connections[1].connectionId = 'conn_1'),
      'connections[1].connectionId: "conn_1" is there twice',
    ],
    [
      'no default workspace',
      file => (file.workspaces = []),
      'workspaces: the workspace "default" is missing',
    ],
    [
      'an unknown workspace',
      file => (file.connections[1].workspaceId = 'ws_x'),
      'connections[1].workspaceId: there is no workspace "ws_x"',
    ],
    [
      'a credential in another place',
      file => (file.connections[1].signingSecret = file.connections[0].signingSecret),
      'connections[1].signingSecret: cannot be decrypted',
    ],
  ])('%s is named', ([, change, problem]) => {
    const file = onDisk()
    change(file)
    expect(() => read(file)).toThrow(DamagedContent)
    expect(() => read(file)).toThrow(problem)
    expect(() => read(file)).not.toThrow('whsec_plain')
  })

  test('only the first problems are listed', () => {
    const file = onDisk()
    for (const name of ['name', 'slug', 'enabled', 'ignoreRepeats', 'baseUrl', 'createdAt', 'updatedAt']) {
      file.connections[0][name] = 1
    }
    expect(() => read(file)).toThrow(/; and 2 more$/)
  })

  test('a key that opens nothing is the wrong key, unless nothing is sealed', () => {
    const another = createSealedTexts(createSealer(keyNamed('another')))
    expect(() => readConfig(onDisk(), another)).toThrow(expect.objectContaining({ code: 'wrong_key' }))
    expect(readConfig(fileOf(newConfig(now)), another).config).toEqual(newConfig(now))
  })
})
