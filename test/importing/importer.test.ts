import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { changeConnection } from '#main/connections/connections.ts'
import type { ImportJob } from '#main/importing/import-job.ts'
import { createImporter, createImportPlanner, type Importer } from '#main/importing/importer.ts'
import type { JobRunner } from '#main/lib/jobs/job-runner.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { ImportPreview } from '#shared/model/import-preview.ts'
import { shareOfThisThread } from '../support/cpu-ms.ts'
import { testMs } from '../support/patience.ts'

const now = '2026-11-22T08:00:00.000Z'
const request = (text: string) => ({
  text,
  format: 'document' as const,
  connectionId: null,
  workspaceId: null,
})
const shop = (rest: object = {}) =>
  request(
    JSON.stringify({
      connection: { name: 'Shop', baseUrl: 'https://api.shop.example' },
      actions: [{ name: 'Find', description: 'Finds.', path: '/find', headers: { 'X-Key': '{{SHOP_KEY}}' } }],
      ...rest,
    }),
  )

let folder: string
let store: ConfigStore
const importers: Importer[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cc-importer-'))
  store = await openConfigStore({
    file: join(folder, 'config.json'),
    sealer: createSealer(randomBytes(32)),
    clock: Date.now,
  })
})

afterEach(async () => {
  for (const importer of importers.splice(0)) await importer.stop()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

function importer(planner: JobRunner<ImportJob, Uint8Array> = createImportPlanner()) {
  const made = createImporter({
    store,
    variables: () => new Map([['SHOP_KEY', ['settings']]]),
    clock: () => Date.parse(now),
    random: randomBytes,
    fetcher: { fetch: () => Promise.reject(new Error('Nothing is fetched.')) },
    planner,
  })
  importers.push(made)
  return {
    ...made,
    preview: async (...request: Parameters<Importer['preview']>) =>
      ImportPreview.parse(JSON.parse(Buffer.from(await made.preview(...request)).toString())),
  }
}

test('previews and applies a document that a worker read', async () => {
  const { preview, apply } = importer()
  expect(await preview(shop())).toMatchObject({
    valid: true,
    actions: { create: ['find'], skip: [] },
    details: { environmentVariables: [{ name: 'SHOP_KEY', sources: ['settings'] }] },
  })
  expect(store.snapshot().connections.size).toBe(0)
  const { connectionId, created } = await apply(shop())
  expect(created.actions).toEqual(['find'])
  expect(store.snapshot().connections.get(connectionId)?.actions).toMatchObject([
    { toolName: 'find', createdAt: now },
  ])
  expect(await apply(shop())).toMatchObject({
    connectionId,
    created: { actions: [] },
    skipped: { actions: ['find'] },
  })
})

test('keeps keys such as __proto__ in a sample payload', async () => {
  const text =
    '{"connection":{"name":"x"},"events":[{"eventName":"e","samplePayload":{"__proto__":{"a":1}}}]}'
  const { connectionId } = await importer().apply(request(text))
  const [event] = store.snapshot().connections.get(connectionId)?.eventTypes ?? []
  expect(JSON.stringify(event?.samplePayload)).toBe('{"__proto__":{"a":1}}')
})

test('refuses a document with errors and an unknown target, and writes nothing', async () => {
  const { apply, preview } = importer()
  await expect(apply(request('{"actions":[{}]}'))).rejects.toMatchObject({
    code: 'invalid_document',
    data: { issues: expect.arrayContaining([expect.objectContaining({ path: 'actions[0].name' })]) },
  })
  const gone = { ...shop(), connectionId: 'conn_gone' }
  await expect(preview(gone)).rejects.toMatchObject({ code: 'connection_not_found' })
  await expect(preview({ ...shop(), workspaceId: 'ws_gone' })).rejects.toMatchObject({
    code: 'workspace_not_found',
  })
  expect(store.snapshot().connections.size).toBe(0)
})

test('plans again when the connections changed while it was planned', async () => {
  const planner = createImportPlanner()
  let plans = 0
  const { apply } = importer({
    ...planner,
    async run(job, signal) {
      const planned = await planner.run(job, signal)
      const [connection] = store.snapshot().connections.keys()
      if (connection !== undefined && plans++ === 0)
        await store.update(config => changeConnection(config, connection, { name: 'Renamed' }, now))
      return planned
    },
  })
  await apply(shop())
  expect(plans).toBe(0)
  const again = await apply(shop())
  expect(plans).toBe(2)
  expect(again.created.actions).toEqual(['find'])
  expect(Array.from(store.snapshot().connections.values(), ({ name }) => name)).toEqual(['Renamed', 'Shop'])
})

describe('a document that takes too much to read', () => {
  /** Refused by no count, but as slow as a document may be; with 45,000 items it needs all memory that an import has. */
  const slow = () => {
    const items = Array.from({ length: 40_000 }, (_, index) => `k${index}: &a${index} [x]`)
    return { ...request(`openapi: 3.0.0\n${items.join('\n')}`), format: 'openapi' as const }
  }

  test('is given up in time, and the next one is read', async () => {
    const { preview } = importer(createImportPlanner({ cpuLimitMs: 300 }))
    await expect(preview(slow())).rejects.toMatchObject({ code: 'import_timed_out' })
    const { preview: other } = importer()
    expect((await other(shop())).valid).toBe(true)
  })

  test('is given up when it needs too much memory', async () => {
    const { preview } = importer(createImportPlanner({ memoryLimitMb: 24, cpuLimitMs: testMs }))
    await expect(preview(slow())).rejects.toMatchObject({ code: 'import_too_complex' })
  })

  test('does not hold up the main thread', async () => {
    const { preview } = importer(createImportPlanner({ cpuLimitMs: testMs }))
    await preview(shop())
    expect(await shareOfThisThread(() => preview(slow()))).toBeLessThan(0.5)
  })

  test('ends when its caller goes away, and the next one waits for nothing', async () => {
    const { preview } = importer()
    const caller = new AbortController()
    const left = preview(slow(), caller.signal)
    const next = preview(shop())
    caller.abort()
    await expect(left).rejects.toThrow()
    expect((await next).valid).toBe(true)
  })

  test('is refused when more wait than may', async () => {
    const { preview } = importer()
    const callers = Array.from({ length: 5 }, () => new AbortController())
    const waiting = callers.map(({ signal }) => preview(slow(), signal))
    await expect(preview(shop())).rejects.toMatchObject({ code: 'imports_busy' })
    for (const caller of callers) caller.abort()
    await Promise.allSettled(waiting)
  })
})
