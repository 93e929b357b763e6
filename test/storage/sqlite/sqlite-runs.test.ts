import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { deduplicationKey } from '#main/storage/deduplication-key.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import type { NewRun, RunQuery, RunStep } from '#main/storage/runs.ts'
import { describeEventsOfOneRequest } from '../append-all-contract.ts'
import { newFolder } from '../config-fixtures.ts'
import { eventMaker } from '../event-log-events.ts'
import { outputUntilKilled } from '../output-until-killed.ts'
import { describeRuns, type OpenRuns } from '../runs-contract.ts'
import { describeSameRuns } from '../same-runs-contract.ts'
import { openTemporary } from './open-temporary.ts'

const day = 86_400_000

const openRuns: OpenRuns = async ({ clock, mostWaiting }) => {
  const opened = await openTemporary({
    clock,
    ...(mostWaiting === undefined ? {} : { mostRunsWaiting: mostWaiting }),
  })
  const both = (log: typeof opened.log) => ({ log, runs: log.runs })
  return {
    opened: both(opened.log),
    second: async () => both(opened.log),
    setLane: opened.setLane,
    reopen: async () => both(await opened.reopen()),
    dispose: opened.dispose,
  }
}

describeRuns('SQLite runs', openRuns)
describeEventsOfOneRequest(openRuns)
describeSameRuns('SQLite runs of all kinds', openRuns)

const newRun = (changes: Partial<NewRun> = {}): NewRun => ({
  ...{ workflowId: 'wf_a', workspaceId: 'ws_a', connectionId: 'conn_a', lane: 'lane' },
  ...{ queuedAt: 0, summary: '{}', data: '{}', ...changes },
})
const step: RunStep = {
  ...{ path: 'a', type: 'wait', absent: [], attempt: 1, startedAt: 1, endedAt: 2 },
  ...{ input: null, output: null, error: null, callId: null },
}
const ended = (endedAt: number) => ({ state: 'succeeded', endedAt, error: null, discard: false }) as const

async function open(options: Parameters<typeof openTemporary>[0] = {}) {
  const opened = await openTemporary(options)
  onTestFinished(opened.dispose)
  return opened
}

it('makes runs of an ended process claimable at once', async () => {
  const { log, reopen } = await open()
  const {
    ids: [runId],
  } = await log.runs.start([newRun()], null)
  const [first] = (await log.runs.claim(1, 60_000)).runs
  const { runs } = await reopen()
  const [second] = (await runs.claim(1, 60_000)).runs
  expect([first, second]).toMatchObject([
    { runId, claimNumber: 1 },
    { runId, claimNumber: 2 },
  ])
})

it('deletes finished runs beyond their number, the oldest first, with their steps', async () => {
  const { log, file } = await open({ clock: () => 1000, runBounds: { mostPerWorkflow: 10, maxAgeMs: day } })
  await log.setLanes([['lane', 1000]])
  const { ids } = await log.runs.start(
    Array.from({ length: 400 }, () => newRun()),
    null,
  )
  const {
    ids: [other = ''],
  } = await log.runs.start([newRun({ workflowId: 'wf_b', dueAt: day })], null)
  const { runs: claimed } = await log.runs.claim(400, 60_000)
  await Promise.all(claimed.map(run => log.runs.record(run, [step])))
  await Promise.all(claimed.map(run => log.runs.finish(run, ended(1001))))
  const kept = async () => (await log.runs.list({ limit: 200 })).runs.map(({ runId }) => runId)
  await expect.poll(kept).toEqual([other, ...ids.slice(-10).reverse()])
  const database = new DatabaseSync(file, { readOnly: true })
  expect(database.prepare('SELECT count(*) AS steps FROM run_steps').get()).toEqual({ steps: 10 })
  database.close()
})

it('deletes finished runs while the writer is never idle', async () => {
  const { log } = await open({ runBounds: { mostPerWorkflow: 10, maxAgeMs: day } })
  const run = newRun({ ended: { ...ended(Date.now()), steps: [] } })
  let isLoading = true
  const load = async () => {
    while (isLoading) await log.runs.start([run], null)
  }
  const loads = Promise.all([load(), load(), load()])
  await log.runs.start(Array(2000).fill(run), null)
  try {
    await expect.poll(async () => (await log.runs.countEnded({})).succeeded).toBeLessThan(300)
  } finally {
    isLoading = false
    await loads
  }
})

it('keeps the bound of finished runs while large batches of them are stored', async () => {
  const { log } = await open({ runBounds: { mostPerWorkflow: 10, maxAgeMs: day } })
  const batch = Array(1000).fill(newRun({ ended: { ...ended(Date.now()), steps: [] } }))
  for (let n = 0; n < 20; n++) {
    await log.runs.start(batch, null)
    expect((await log.runs.countEnded({})).succeeded).toBeLessThanOrEqual(2000)
  }
})

it('keeps the bound of finished runs while those of fan-outs are worked off', async () => {
  const { log } = await open({ clock: () => 1000, runBounds: { mostPerWorkflow: 10, maxAgeMs: day } })
  const workflowIds = ['wf_a', 'wf_b']
  for (const lane of workflowIds) await log.setLanes([[lane, 200]])
  const { workflowId: _workflow, lane: _lane, ...shared } = newRun()
  for (let n = 0; n < 3000; n++) void log.runs.start([{ ...shared, workflowIds }], null)
  await log.runs.start([{ ...shared, workflowIds }], null)
  const counts: number[] = []
  for (;;) {
    const { runs: claimed } = await log.runs.claim(300, 60_000)
    if (claimed.length === 0) break
    await log.runs.endPending(
      claimed.map(run => ({ ...run, startedAt: 1000, ended: { ...ended(1000), steps: [] } })),
    )
    counts.push((await log.runs.countEnded({})).succeeded)
  }
  expect(Math.max(...counts)).toBeLessThan(1500)
})

it('deletes old finished runs, and no waiting ones', async () => {
  let now = Date.UTC(2026, 0, 1)
  const { log, reopen } = await open({ clock: () => now, runBounds: { mostPerWorkflow: 10, maxAgeMs: day } })
  await log.setLanes([['lane', 10]])
  await log.runs.start([newRun()], null)
  for (const run of (await log.runs.claim(10, 60_000)).runs) await log.runs.finish(run, ended(now))
  const {
    ids: [waiting],
  } = await log.runs.start([newRun({ queuedAt: now })], null)
  now += day + 1
  const { runs } = await reopen()
  await expect
    .poll(async () => (await runs.list({ limit: 10 })).runs.map(({ runId }) => runId))
    .toEqual([waiting])
})

it('adds the runs to a log of the previous version, which keeps its events', async () => {
  const { log, file, reopen } = await open()
  const event = eventMaker()()
  await log.append(event)
  await log.close()
  const database = new DatabaseSync(file)
  database.exec(`DROP TABLE runs; DROP TABLE run_steps; ${withoutFanOuts}; PRAGMA user_version = 1`)
  database.close()
  const migrated = await reopen()
  expect((await migrated.list('conn_a', { limit: 10 })).events).toEqual([event])
  expect((await migrated.runs.start([newRun()], null)).ids).toHaveLength(1)
})

const withoutFanOuts =
  'DROP TRIGGER IF EXISTS run_texts_of_deleted; DROP TRIGGER IF EXISTS run_texts_of_discarded; DROP TABLE run_texts; DROP TABLE workflow_lists; DROP TABLE fan_outs; DROP TABLE early_runs; DROP TABLE kept_keys; DROP INDEX events_by_original; ALTER TABLE events DROP COLUMN duplicate_of'

/** The indexes of runs before version 6. */
const earlierIndexes = `
  CREATE INDEX runs_by_connection ON runs (connection, state);
  DROP INDEX runs_by_event;
  DROP INDEX runs_by_workflow;
  CREATE INDEX runs_by_workflow ON runs (workflow, state);
  CREATE INDEX runs_by_state ON runs (state);
  CREATE INDEX runs_by_event ON runs (event) WHERE event IS NOT NULL;
  CREATE INDEX runs_ended ON runs (lane, ended_at, state, started_at) WHERE ended_at IS NOT NULL`

it('finds and counts the runs of a log with earlier indexes', async () => {
  // By the real clock, its runs are old enough to be deleted.
  const { log, file, reopen } = await open({ clock: () => 1000 })
  const event = eventMaker()()
  const run = (workflowId: string) =>
    newRun({ workflowId, lane: workflowId, ended: { ...ended(1), steps: [] } })
  const { ids } = await log.runs.start(['wf_a', 'wf_b', 'wf_a'].map(run), event.eventId)
  const {
    ids: [waiting],
  } = await log.runs.start([newRun()], null)
  await log.close()
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  database.exec(`${earlierIndexes}; ${withoutFanOuts}; PRAGMA user_version = 5`)
  const { runs } = await reopen()
  const listed = async (query: Partial<RunQuery>) =>
    (await runs.list({ limit: 10, ...query })).runs.map(({ runId }) => runId)
  expect(await listed({ state: 'succeeded' })).toEqual(ids.toReversed())
  expect(await listed({ state: 'waiting' })).toEqual([waiting])
  expect(await listed({ eventId: event.eventId })).toEqual(ids.toReversed())
  expect(await runs.countEnded({})).toEqual({ succeeded: 3, failed: 0, cancelled: 0 })
  const [figures] = await runs.figures(['wf_a'], 1)
  expect(figures?.hours.at(-1)).toEqual({ succeeded: 2, failed: 0 })
  const indexes = database
    .prepare("SELECT name FROM sqlite_schema WHERE tbl_name = 'runs' AND type = 'index' ORDER BY name")
    .all()
  expect(indexes.map(({ name }) => name)).toEqual([
    'runs_by_event',
    'runs_by_workflow',
    'runs_due',
    'runs_leased',
  ])
})

it('reads the steps that an earlier version has stored by the names of their fields', async () => {
  const { log, file } = await open()
  const step = { path: 'a', type: 'stop', attempt: 1, startedAt: 1, endedAt: 1, input: '1', output: '2' }
  const steps = [
    { ...step, error: null, callId: null, absent: [] },
    { ...step, path: 'b', attempt: 2, endedAt: 3, error: '{"code":"x"}', callId: 'call_1', absent: ['c'] },
  ]
  const run = newRun({ queuedAt: 1, ended: { ...ended(3), state: 'failed', steps } })
  const {
    ids: [runId = ''],
  } = await log.runs.start([run], null)
  const read = async () => (await log.runs.get(runId))?.steps
  expect(await read()).toEqual(steps)
  const figures = await log.runs.stepFigures(run.workflowId)
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  database.prepare('UPDATE runs SET steps = ?').run(JSON.stringify(steps))
  expect(await read()).toEqual(steps)
  expect(await log.runs.stepFigures(run.workflowId)).toEqual(figures)
  expect(figures.steps).toMatchObject([
    { key: 'a', failures: 0 },
    { key: 'b', failures: 1 },
  ])
})

it.each([
  ['just above', 1],
  ['the last that is near', 16_383],
  ['the first that is far', 16_384],
  ['far above', 10_000_000],
])('finds the run of an event whose id is %s', async (_, distance) => {
  const { log, file } = await open()
  const [event, other] = [eventMaker()(), eventMaker()()]
  const {
    ids: [runId = ''],
  } = await log.runs.start([newRun()], event.eventId)
  const {
    ids: [otherId = ''],
  } = await log.runs.start([newRun()], other.eventId)
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  database.exec(`UPDATE runs SET event = id - ${distance}`)
  const eventIdOf = async (id: string) => (await log.runs.get(id))?.eventId ?? ''
  for (const id of [runId, otherId])
    expect((await log.runs.list({ limit: 10, eventId: await eventIdOf(id) })).runs).toMatchObject([
      { runId: id },
    ])
})

it('undoes its counts when a transaction fails', async () => {
  const { log, file } = await open({ lockTimeoutMs: 200 })
  await log.setLanes([['lane', 1]])
  await log.runs.start([newRun(), newRun()], null)
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  await expect(log.runs.claim(1, 60_000)).rejects.toMatchObject({ code: 'storage_unavailable' })
  await expect(log.runs.start([newRun()], null)).rejects.toMatchObject({ code: 'unavailable' })
  other.exec('ROLLBACK')
  other.close()
  const { runs: claimed } = await log.runs.claim(2, 60_000)
  expect(claimed).toHaveLength(1)
  expect((await log.runs.list({ limit: 10, state: 'waiting' })).runs).toHaveLength(1)
})

it.each([1, 2])('loses no accepted run by kill -9, and repeats no finished one (round %i)', async round => {
  const file = join(await newFolder(), 'events.sqlite')
  const acknowledged = await outputUntilKilled('sqlite/run-until-killed.ts', file, 1500 * round)

  const database = new DatabaseSync(file)
  expect(database.prepare('PRAGMA quick_check').get()).toEqual({ quick_check: 'ok' })
  const events = database.prepare('SELECT seq AS id FROM events').all()
  const started = database.prepare('SELECT event AS id, count(*) AS runs FROM runs GROUP BY event').all()
  const unfinished = database.prepare('SELECT id FROM runs WHERE state < 3').all()
  database.close()
  // Each event has its runs, and each run its event.
  const idsOf = (rows: readonly { [column: string]: unknown }[]) => rows.map(({ id }) => Number(id))
  expect(idsOf(started).sort()).toEqual(idsOf(events).sort())
  expect(new Set(started.map(({ runs }) => runs))).toEqual(new Set([2]))
  const numbersOf = (prefix: string) =>
    acknowledged
      .filter(id => id.startsWith(prefix) && id.length === prefix.length + 11)
      .map(id => Number.parseInt(id.slice(prefix.length), 36))
  const stored = new Set(idsOf(events))
  expect(numbersOf('evt_').filter(id => !stored.has(id))).toEqual([])
  const waits = new Set(idsOf(unfinished))
  expect(numbersOf('run_').filter(id => waits.has(id))).toEqual([])

  const log = await openSqliteEventLog({ file })
  onTestFinished(() => log.close())
  await log.setLanes([['lane', 1_000_000]])
  expect((await log.runs.claim(1_000_000, 60_000)).runs).toHaveLength(waits.size)
})

it.each([1, 2])(
  'has all events of a list with their runs, or none, after kill -9 (round %i)',
  async round => {
    const file = join(await newFolder(), 'events.sqlite')
    const acknowledged = await outputUntilKilled('append-all-until-killed.ts', file, 200 * round)
    const database = new DatabaseSync(file)
    onTestFinished(() => database.close())
    const lists = database
      .prepare(`SELECT body, count(*) AS events, count(runs.id) AS runs
      FROM events LEFT JOIN runs ON event = seq GROUP BY body`)
      .all()
    expect(lists.length).toBeGreaterThanOrEqual(200 * round)
    expect(new Set(lists.map(({ events, runs }) => `${events} ${runs}`))).toEqual(new Set(['20 20']))
    const find = database.prepare('SELECT count(*) AS n FROM events WHERE seq = ?')
    for (const id of acknowledged.filter(line => /^evt_.{11}$/.test(line)))
      expect(find.get(Number.parseInt(id.slice(4), 36))).toEqual({ n: 1 })
  },
)

it('has each key with its run, and no other run of it, after kill -9', async () => {
  const file = join(await newFolder(), 'events.sqlite')
  const acknowledged = await outputUntilKilled('sqlite/deduplicate-until-killed.ts', file, 1500)
  const log = await openSqliteEventLog({ file })
  onTestFinished(() => log.close())
  const database = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => database.close())
  const keys = database.prepare('SELECT run FROM kept_keys ORDER BY run').all()
  expect(database.prepare('SELECT id AS run FROM runs ORDER BY id').all()).toEqual(keys)
  const complete = acknowledged.filter(line => /^[\d-]+ run_.{11}$/.test(line))
  expect(complete.length).toBeGreaterThan(1000)
  const from = Date.now()
  for (const line of complete.filter((_, index) => index % 50 === 0)) {
    const [text = '', runId] = line.split(' ')
    const { ids } = await log.runs.start(
      [newRun({ deduplicationKey: deduplicationKey('wf_a', text, from, day) })],
      null,
    )
    expect(ids).toEqual([runId])
  }
})

it.each([1, 2])('has each run of a fan-out once after kill -9 (round %i)', async round => {
  const file = join(await newFolder(), 'events.sqlite')
  const acknowledged = await outputUntilKilled('sqlite/fan-out-until-killed.ts', file, 1500 * round)
  const log = await openSqliteEventLog({ file })
  onTestFinished(() => log.close())
  for (let index = 0; index < 20; index++) await log.setLanes([[`wf_${index}`, 1000]])
  const ended = new Set(acknowledged.filter(id => /^run_.{11}$/.test(id)))
  for (;;) {
    const { runs: claimed } = await log.runs.claim(1000, 60_000)
    if (claimed.length === 0) break
    expect(claimed.filter(({ runId }) => ended.has(runId))).toEqual([])
    const end = { state: 'succeeded', endedAt: Date.now(), error: null, discard: false } as const
    const pending = claimed.filter(run => run.isPending)
    const kept = await log.runs.endPending(
      pending.map(run => ({ ...run, startedAt: end.endedAt, ended: { ...end, steps: [] } })),
    )
    expect(kept.every(Boolean)).toBe(true)
    await Promise.all(claimed.filter(run => !run.isPending).map(run => log.runs.finish(run, end)))
  }
  expect(await log.runs.laneCounts()).toEqual([])
  await log.close()
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  const rows = database
    .prepare(`SELECT seq, count(id) AS runs, count(DISTINCT workflow) AS workflows, min(state) AS state
      FROM events LEFT JOIN runs ON event = seq GROUP BY seq`)
    .all()
  expect(new Set(rows.map(({ runs, workflows, state }) => `${runs} ${workflows} ${state}`))).toEqual(
    new Set(['20 20 3']),
  )
  const stored = new Set(rows.map(({ seq }) => seq))
  const events = acknowledged.filter(id => /^evt_.{11}$/.test(id))
  expect(events.length).toBeGreaterThan(10)
  expect(events.filter(id => !stored.has(Number.parseInt(id.slice(4), 36)))).toEqual([])
  const left = database.prepare(
    'SELECT (SELECT count(*) FROM fan_outs) + (SELECT count(*) FROM early_runs) AS n',
  )
  expect(left.get()).toEqual({ n: 0 })
})

it('undoes the claims, ends and records of fan-outs when a transaction fails', async () => {
  let now = 1
  const { log, file } = await open({ clock: () => now, lockTimeoutMs: 200 })
  const workflowIds = ['wf_a', 'wf_b']
  for (const lane of workflowIds) await log.setLanes([[lane, 3]])
  const { workflowId: _workflow, lane: _lane, ...shared } = newRun()
  for (let n = 0; n < 3; n++) await log.runs.start([{ ...shared, workflowIds }], null)
  const { runs: claimed } = await log.runs.claim(4, 60_000)
  const [third] = claimed.slice(2)
  if (third === undefined) throw new Error('Three runs are due.')
  const ends = claimed.slice(0, 2).map(run => ({ ...run, startedAt: 1, ended: { ...ended(1), steps: [] } }))
  const before = await log.runs.laneCounts()
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  await expect(log.runs.claim(10, 60_000)).rejects.toMatchObject({ code: 'storage_unavailable' })
  await expect(log.runs.endPending(ends)).rejects.toMatchObject({ code: 'storage_unavailable' })
  await expect(log.runs.forget('conn_a')).rejects.toMatchObject({ code: 'storage_unavailable' })
  await expect(log.runs.start([{ ...shared, workflowIds }], null)).rejects.toMatchObject({
    code: 'unavailable',
  })
  other.exec('ROLLBACK')
  other.close()
  expect(await log.runs.laneCounts()).toEqual(before)
  // With a part that fails after the others have changed what is in memory.
  const outcomes = await Promise.allSettled([
    log.runs.endPending(ends),
    log.runs.claim(10, 60_000),
    log.runs.record(third, [{ ...step, startedAt: Number.NaN }]),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  now += 60_000
  for (let left = 4; left > 0; ) {
    const { runs: more } = await log.runs.claim(10, 60_000)
    await Promise.all(more.map(run => log.runs.finish(run, ended(2))))
    left -= more.length
    if (more.length === 0) throw new Error('A run is lost.')
  }
  expect(await log.runs.countEnded({})).toMatchObject({ succeeded: 6 })
})

it('ends a damaged run as failed, so that the other runs are claimed', async () => {
  const { log, file } = await open({ clock: () => 1 })
  await log.setLanes([['lane', 10]])
  const {
    ids: [first = '', second = '', third = ''],
  } = await log.runs.start([newRun(), newRun(), newRun()], null)
  const database = new DatabaseSync(file)
  database.exec('UPDATE runs SET summary = 5 WHERE id = (SELECT min(id) FROM runs)')
  database.exec('UPDATE runs SET data = NULL WHERE summary != 5 AND id < (SELECT max(id) FROM runs)')
  database.close()
  const claimed = await log.runs.claim(10, 1000)
  expect(claimed.runs.map(({ runId }) => runId)).toEqual([third])
  expect(await log.runs.laneCounts()).toEqual([{ lane: 'lane', waiting: 0, retrying: 0, running: 1 }])
  expect(await log.runs.get(second)).toMatchObject({ state: 'failed', endedAt: 1 })
  await expect(log.runs.get(first)).rejects.toMatchObject({ code: 'damaged_run' })
})
