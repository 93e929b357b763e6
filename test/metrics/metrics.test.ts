import { expect, onTestFinished, test } from 'vitest'
import { idOf } from '#main/lib/sequence.ts'
import { createCounts, mostLabelled } from '#main/metrics/counts.ts'
import type { MetricsSource } from '#main/metrics/families.ts'
import { createMetrics } from '#main/metrics/metrics.ts'
import { watchProcess } from '#main/metrics/process-watch.ts'
import type { Storage } from '#main/storage/storage.ts'
import { withConnections } from '../storage/config-fixtures.ts'
import { recordNamed } from '../support/connection-records.ts'
import { readMetrics, valueIn } from '../support/metrics-page.ts'
import { sharedService } from '../support/service-fixture.ts'

const service = sharedService()

function sourceOf(storage: Storage): MetricsSource {
  return {
    ...{ version: '1.2.3', counts: createCounts(storage.config), storage, folder: '/', tls: null },
    isReady: () => false,
    inboundLoad: () => ({ connections: 3, bodyBytes: 4096 }),
    runsUnderWay: () => 2,
    historyWaiting: () => 5,
    spansDropped: () => 7,
    newestBackupAt: async () => null,
  }
}

/** Returns the page of a node with this storage, and the errors that were told. */
async function pageOf(storage: Storage, changes: Partial<MetricsSource>, waitMs?: number) {
  const errors: unknown[] = []
  const source = { ...sourceOf(storage), ...changes }
  const process = watchProcess()
  const page = await createMetrics(source, error => errors.push(error), waitMs).page('text', process)
  process.stop()
  const read = readMetrics(page, 'text')
  const name = (family: string) => `custom_connection_${family}`
  return {
    errors,
    length: page.length,
    samplesOf: (family: string) => read.get(name(family))?.samples,
    of: (family: string, labels = {}) => valueIn(read, name(family), labels),
  }
}

test('a page leaves out what cannot be read, and has the rest', async () => {
  const { storage } = (await service()).service
  const lost = new Error('The database is away.')
  const tls = {
    current: () => {
      throw lost
    },
  }
  const gauges = { ...storage.gauges, bytes: () => Promise.reject(lost) }
  const { errors, samplesOf, of } = await pageOf({ ...storage, gauges }, { folder: '/nowhere', tls })
  for (const missing of [
    ...['storage_bytes', 'disk_free_bytes', 'certificate_end_timestamp_seconds'],
    'backup_age_seconds',
  ])
    expect(samplesOf(missing), missing).toEqual([])
  expect(errors).toHaveLength(3)
  expect(errors).toEqual(expect.arrayContaining([lost, expect.objectContaining({ code: 'ENOENT' })]))
  expect(of('build_info', { version: '1.2.3', node: storage.nodes.id })).toBe(1)
  const shown = ['ready', 'inbound_connections', 'inbound_body_bytes', 'runs_under_way']
  expect(shown.map(family => of(family))).toEqual([0, 3, 4096, 2])
  expect(of('write_queue_items', { queue: 'history' })).toBe(5)
  expect(of('spans_dropped_total')).toBe(7)
  expect(of('events_total', { connection_id: 'other', outcome: 'accepted' })).toBe(0)
  expect(of('nodes', { state: 'ready' })).toBe(1)
})

test('a page says once why a family cannot be read, until it can', async () => {
  const { storage } = (await service()).service
  let isAway = true
  const bytes = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve({ events: 1 }))
  const errors: unknown[] = []
  const of = { ...storage, gauges: { ...storage.gauges, bytes } }
  const metrics = createMetrics(sourceOf(of), error => errors.push(error))
  const process = watchProcess()
  onTestFinished(process.stop)
  for (const isAwayNow of [true, true, false, true]) {
    isAway = isAwayNow
    await metrics.page('text', process)
  }
  expect(errors).toEqual([new Error('away'), new Error('away')])
})

test('a page of more connections than have labels stays below a megabyte', async () => {
  const { storage } = (await service()).service
  const ids = Array.from({ length: mostLabelled + 500 }, (_, index) => idOf('conn_', 1e15 + index))
  const records = ids.map(connectionId => ({ ...recordNamed('a'), connectionId }))
  await storage.config.update(config => ({ next: withConnections(config, ...records), result: null }))
  const counts = createCounts(storage.config)
  onTestFinished(() => void counts.stop())
  const codes = ['invalid_signature', 'stale_timestamp', 'invalid_json', 'missing_signature'] as const
  const refused = { at: 0, detail: undefined, bytes: 0, tookMs: 1, isBodyStored: false }
  for (const connectionId of ids)
    for (const code of codes)
      counts.add({ kind: 'event.rejected', id: 'att_1', connectionId, code, ...refused })
  const { length, samplesOf, of } = await pageOf(storage, { counts })
  expect(samplesOf('events_total')).toHaveLength((mostLabelled + 1) * (codes.length + 2))
  expect(of('events_total', { connection_id: 'other', outcome: 'invalid_json' })).toBe(500)
  expect(length).toBeLessThan(1_000_000)
})

test('a page does not wait for a storage that is silent', async () => {
  const { storage } = (await service()).service
  const silent = () => Promise.withResolvers<never>().promise
  const nodes = { ...storage.nodes, list: silent }
  const { errors, samplesOf, of } = await pageOf({ ...storage, nodes }, {}, 0)
  expect([samplesOf('nodes'), errors]).toEqual([[], []])
  expect(of('inbound_connections')).toBe(3)
})
