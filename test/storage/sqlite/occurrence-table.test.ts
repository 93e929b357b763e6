import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { OccurrenceTable } from '#main/storage/local/sqlite/occurrence-table.ts'
import { openOwnDatabase } from '#main/storage/local/sqlite/own-database.ts'
import { historySchema } from '#main/storage/local/sqlite/schemas.ts'
import { newFolder } from '../config-fixtures.ts'

const folder = new URL('../../../src-main/storage/local/sqlite/', import.meta.url)
const reader = `
  const { parentPort, workerData: { folder, file, query } } = require('node:worker_threads')
  Promise.all(['occurrence-table', 'own-database', 'schemas'].map(name => import(folder + name + '.ts'))).then(
    ([{ OccurrenceTable }, { openOwnDatabase }, { historySchema }]) => {
      const table = new OccurrenceTable(openOwnDatabase(file, historySchema, null), {})
      parentPort.postMessage({ list: table.list(query), count: table.count(query) })
    },
  )`

test.each([
  ['a few connections', 16],
  ['many connections', 100],
])('searches the long details of %s without holding them all', async (_name, connections) => {
  const file = join(await newFolder(), 'history.sqlite')
  const database = openOwnDatabase(file, historySchema, null)
  const table = new OccurrenceTable(database, {})
  const connectionIds = Array.from({ length: connections }, (_, index) => `conn_${index}`)
  const common = { kind: 'call', subject: 's', at: 0, finding: null, summary: '{}' }
  const details = JSON.stringify({ body: 'x'.repeat(96 * 1024) })
  const occurrences = Array.from({ length: 1000 }, (_, index) => {
    const connectionId = connectionIds[index % connections] ?? ''
    return { ...common, number: index + 1, connectionId, details }
  })
  table.write({ occurrences, findings: [], now: 0 })
  database.close()
  const query = { kinds: ['call'], connectionIds, limit: 50, text: 'absent', details: 'none' }
  const worker = new Worker(reader, {
    eval: true,
    workerData: { folder: folder.href, file, query },
    resourceLimits: { maxOldGenerationSizeMb: 40 },
  })
  const [found] = await once(worker, 'message')
  await worker.terminate()
  // The page has done enough, and the next one goes on below it.
  expect(found.list).toEqual({
    occurrences: [],
    checkedAbove: expect.any(Number),
    searched: expect.any(Object),
  })
  expect(found.list.checkedAbove).toBeGreaterThan(500)
  expect(found.count).toEqual({ counts: [], isComplete: false })
})
