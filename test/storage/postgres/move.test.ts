import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { readRows } from '#main/storage/local/rows/read-rows.ts'
import { writeRows } from '#main/storage/local/rows/write-rows.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { exportRows } from '#main/storage/postgres/export-rows.ts'
import { importRows } from '#main/storage/postgres/import-rows.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import type { RunDetails, RunStep, RunStore } from '#main/storage/runs.ts'
import { noPostgres } from '../../support/postgres.ts'
import { fileOf, newFolder } from '../config-fixtures.ts'
import { eventMaker } from '../event-log-events.ts'
import { batchesOf, collect, configRows } from '../rows-contract.ts'
import { emptyDatabase, openNode } from './open-database.ts'

const lanes = [
  ['wf_ordered', 'ordered'],
  ['wf_many', 5],
] as const

const failed = (table: string) => {
  throw new Error(`A row of ${table} cannot be read.`)
}
const end = { state: 'succeeded', endedAt: Date.now(), error: null, discard: false } as const

/** Claims and ends all runs. Returns what they did in each lane, in its order. */
async function runAll(runs: RunStore) {
  const done = new Map<string, (string | number)[][]>(lanes.map(([lane]) => [lane, []]))
  for (;;) {
    const claimed = (await runs.claim(100, 60_000)).runs
    if (claimed.length === 0) return done
    for (const run of claimed) {
      const { runId, claimNumber, lane, data } = run
      done.get(lane)?.push([runId, claimNumber, data])
      const startedAt = run.startedAt ?? 0
      if (run.isPending) await runs.endPending([{ ...run, startedAt, ended: { ...end, steps: [] } }])
      else await runs.finish(run, end)
    }
  }
}

/** Returns all there is to know of each run, the newest first. */
async function detailsOf(runs: RunStore) {
  const details: (RunDetails | null)[] = []
  for (let before: string | undefined; ; ) {
    const page = await runs.list({ limit: 100, before })
    for (const { runId } of page.runs) details.push(await runs.get(runId))
    if (page.nextBefore === null) return details
    before = page.nextBefore
  }
}

/** Opens the events and runs of a database. */
async function openEvents(url: string, clock = Date.now, mayStoreTogether = () => true) {
  const node = await openNode(url)
  onTestFinished(node.close)
  const { pool, connect, onError } = node
  const events = await openPostgresEvents({
    ...{ connect, pool, slot: () => 1, clock, mayStoreTogether, onError },
  })
  onTestFinished(() => events.close())
  return events
}

describe.skipIf(noPostgres !== null)('a data folder', () => {
  test('goes on in a database where it was, and returns from it as it was', async () => {
    const folder = await newFolder()
    const file = join(folder, 'events.sqlite')
    await writeFile(join(folder, 'config.json'), JSON.stringify(fileOf(newConfig(Date.now()))))
    const log = await openSqliteEventLog({ file, clockSettleMs: 0 })
    await log.setLanes(lanes)
    const shared = { workspaceId: 'default', connectionId: 'conn_a', queuedAt: Date.now(), summary: '{}' }
    const event = eventMaker()
    for (let index = 0; index < 60; index++) {
      const data = `{"n":"${index} \0 \ud800"}`
      const alone = { ...shared, workflowId: 'wf_ordered', lane: 'wf_ordered', data }
      const all = { ...shared, workflowIds: ['wf_many', 'wf_ordered'], data }
      await log.append(event({ bodyText: data }), index % 2 ? [alone] : [all])
    }
    // Some have ended, some wait for a retry, and others were claimed by a process that does not live any more.
    const { runs: claimed } = await log.runs.claim(10, 1)
    for (const [index, run] of claimed.entries()) {
      if (index === 0) await log.runs.finish(run, end)
      if (index === 1) await log.runs.retryAt(run, 1, 'It failed.')
    }
    await log.close()

    const { rows } = await collect(readRows(folder, failed))
    const url = await emptyDatabase()
    const connect = connectorTo(url)
    await importRows(connect, batchesOf(rows))
    const copy = await newFolder()
    await writeRows(copy, exportRows(connect))
    expect((await collect(readRows(copy, failed))).rows).toEqual(rows)

    const again = await openSqliteEventLog({ file: join(copy, 'events.sqlite'), clockSettleMs: 0 })
    onTestFinished(() => again.close())
    await again.setLanes(lanes)
    const expected = await runAll(again.runs)
    const events = await openEvents(url)
    await events.setLanes(lanes)
    const found = await runAll(events.runs)
    expect(found.get('wf_ordered')).toHaveLength(60)
    expect(found.get('wf_ordered')).toEqual(expected.get('wf_ordered'))
    // Those of other lanes have no order, and a retry may have come first.
    const sorted = (all: Map<string, unknown[]>) => all.get('wf_many')?.map(String).toSorted()
    expect(sorted(found)).toEqual(sorted(expected))
  })

  test('gets each run of a database, also of those that are stored together', async () => {
    const url = await emptyDatabase()
    await importRows(connectorTo(url), batchesOf({ config: configRows() }))
    let now = Date.parse('2026-11-30T10:00:00Z')
    let isTogether = true
    const events = await openEvents(
      url,
      () => now,
      () => isTogether,
    )
    const event = eventMaker(() => now)
    const steps = (of: string): RunStep[] => [
      {
        ...{ path: of, type: 'branch', attempt: 1, startedAt: now, endedAt: now, input: `"${of}"` },
        ...{ output: '\ud800', error: null, callId: null, absent: [] },
      },
    ]
    async function append(count: number, discards: boolean | null) {
      now += 1
      const workflowIds = Array.from({ length: count }, (_, index) => `wf_${index}`)
      const data = `{"n":"${count} \0 \ud800"}`
      const summary = `{"eventName":"a\0 ${now}"}`
      const shared = { workspaceId: 'default', connectionId: 'conn_a', queuedAt: now, summary, data }
      const ended = { ...end, endedAt: now, discard: discards ?? false }
      await events.append(
        event({ bodyText: data }),
        discards === null
          ? [{ ...shared, workflowIds }]
          : workflowIds.map(one => ({
              ...{ ...shared, workflowId: one, lane: one },
              ended: { ...ended, steps: steps(one === 'wf_2' ? 'other' : 'same') },
            })),
      )
    }
    for (const count of [3, 17, 60]) for (const discards of [true, false, null]) await append(count, discards)
    // Those that need more than a decision become rows: some of them wait, some are claimed.
    await events.runs.claim(20, 60_000, ({ workflowId }) =>
      workflowId === 'wf_1' || workflowId === 'wf_40' ? null : { ...end, endedAt: now, steps: steps('same') },
    )
    for (const count of [3, 17, 60]) await append(count, null)
    isTogether = false
    for (const count of [3, 17, 60]) await append(count, null)
    const waiting = (await events.runs.list({ limit: 200, state: 'waiting' })).runs
    for (const run of [waiting[0], waiting[20], waiting[90]])
      await events.runs.cancel(run?.runId ?? '', { endedAt: now, discard: false })
    const running = events.runs.list({ limit: 10, state: 'running' })
    for (const { runId } of (await running).runs)
      await events.runs.cancel(runId, { endedAt: now, discard: true })
    const expected = await detailsOf(events.runs)
    expect(expected).toHaveLength(5 * (3 + 17 + 60))

    const folder = await newFolder()
    await writeRows(folder, exportRows(connectorTo(url)))
    await events.close()
    const log = await openSqliteEventLog({ file: join(folder, 'events.sqlite'), clockSettleMs: 0 })
    onTestFinished(() => log.close())
    expect(await detailsOf(log.runs)).toEqual(expected)
    await log.close()

    const copy = await emptyDatabase()
    await importRows(connectorTo(copy), readRows(folder, failed))
    const again = await openEvents(copy)
    expect(await detailsOf(again.runs)).toEqual(expected)
  })
})
