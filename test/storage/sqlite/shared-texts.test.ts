import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { groupedKey } from '#main/storage/deduplication-key.ts'
import { readRows } from '#main/storage/local/rows/read-rows.ts'
import { openOrRepair } from '#main/storage/local/sqlite/repair.ts'
import { eventLogSchema } from '#main/storage/local/sqlite/schemas.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import type { NewRun } from '#main/storage/runs.ts'
import { newFolder } from '../config-fixtures.ts'
import { eventMaker } from '../event-log-events.ts'
import { collect } from '../rows-contract.ts'
import { openTemporary } from './open-temporary.ts'

const now = 1000
const day = 86_400_000
const text = JSON.stringify({ event: 'order.created', data: { id: 'ORD-1', note: 'a \ud800 '.repeat(200) } })
const done = { state: 'succeeded', endedAt: now, error: null } as const
const names = Array.from({ length: 12 }, (_, index) => `wf_${String(index).padStart(2, '0')}`)

/** One run of each workflow with the same text and a key. Half of them have ended. */
const runsOf = (changes: Partial<NewRun> = {}) =>
  names.map((workflowId, index): NewRun => {
    const ended = index % 2 === 0 ? {} : { ended: { ...done, discard: false, steps: [] } }
    return {
      ...{ workflowId, lane: workflowId, workspaceId: 'ws_a', connectionId: 'conn_a', queuedAt: now },
      ...{ summary: '{}', data: text, ...ended, ...changes },
      deduplicationKey: groupedKey(workflowId, 'ORD-1', now, day),
    }
  })

async function open(mostPerWorkflow = 10) {
  const opened = await openTemporary({ clock: () => now, runBounds: { mostPerWorkflow, maxAgeMs: day } })
  onTestFinished(opened.dispose)
  const { log, file } = opened
  const nextEvent = eventMaker(() => now)
  const append = async (runs: NewRun[]) => {
    const event = nextEvent({ bodyText: text })
    const started = await log.append(event, runs)
    return { eventId: event.eventId, ids: started?.ids ?? [] }
  }
  for (const name of names) await log.setLanes([[name, 10]])
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  const texts = () => database.prepare('SELECT count(*) AS texts FROM run_texts').get()?.texts
  return { ...opened, append, database, texts }
}

it('stores a text of many runs of an event once, and reads it for each', async () => {
  const { append, database, texts, reopen } = await open()
  const { ids, eventId } = await append(runsOf())
  expect(texts()).toBe(1)
  expect(database.prepare("SELECT count(*) AS runs FROM runs WHERE typeof(data) = 'integer'").get()).toEqual({
    runs: names.length,
  })
  const { runs, setLanes } = await reopen()
  for (const name of names) await setLanes([[name, 10]])
  for (const runId of ids) expect(await runs.get(runId)).toMatchObject({ runId, eventId, data: text })
  const found = await runs.list({ limit: 50, text: 'ORD-1' })
  expect(found.runs.map(({ runId }) => runId)).toEqual(ids.toReversed())
  expect(new Set(found.runs.map(({ subject }) => subject))).toEqual(new Set(['ORD-1']))
  expect((await runs.list({ limit: 50, text: 'ORD-2' })).runs).toEqual([])
  const claimed = (await runs.claim(50, 60_000)).runs
  expect(claimed.map(({ data }) => data)).toEqual(ids.filter((_, at) => at % 2 === 0).map(() => text))
})

it('stores a short text, and one of a few runs, with each run', async () => {
  const { log, append, texts } = await open()
  const { ids } = await append(runsOf({ data: '{"a":1}' }))
  expect((await log.runs.get(ids[0] ?? ''))?.data).toBe('{"a":1}')
  await append(runsOf().slice(0, 2))
  expect(texts()).toBe(0)
})

it('leaves out what is a duplicate, and shares the text among the others', async () => {
  const { log, append, texts } = await open()
  const first = await append(runsOf().slice(0, 1))
  const { ids } = await append(runsOf())
  expect(ids[0]).toBe(first.ids[0])
  expect(texts()).toBe(1)
  for (const runId of ids.slice(1)) expect((await log.runs.get(runId))?.data).toBe(text)
})

it('keeps the text until its last run was deleted, whichever that is', async () => {
  const { log, append, database, texts } = await open(1)
  const { ids } = await append(runsOf())
  const deleted = async () => {
    const runs = await Promise.all(ids.map(runId => log.runs.get(runId)))
    return runs.map(run => (run === null ? null : run.data === text))
  }
  // The next event's runs push out those that have ended.
  const next = await log.runs.start(
    runsOf({ data: '{}' }).map(({ deduplicationKey: _, ...run }) => run),
    null,
  )
  await expect.poll(deleted).toEqual(names.map((_, index) => (index % 2 === 0 ? true : null)))
  expect(texts()).toBe(1)
  for (const run of (await log.runs.claim(50, 60_000)).runs) {
    const isOld = ids.includes(run.runId)
    if (isOld) await log.runs.finish(run, { ...done, discard: run.runId === ids[0] })
  }
  expect((await log.runs.get(ids[0] ?? ''))?.data).toBeNull()
  expect((await log.runs.get(ids[2] ?? ''))?.data).toBe(text)
  expect(next.ids).toHaveLength(names.length)
  await log.runs.forget('conn_a')
  await expect.poll(texts).toBe(0)
  expect(database.prepare('SELECT count(*) AS runs FROM runs').get()).toEqual({ runs: 0 })
})

it('deletes the text with the last data that is discarded', async () => {
  const { log, append, texts } = await open()
  const { ids } = await append(runsOf().map(({ ended: _, ...run }) => run))
  const { runs } = await log.runs.claim(50, 60_000)
  expect(runs).toHaveLength(ids.length)
  for (const run of runs.slice(1)) await log.runs.finish(run, { ...done, discard: true })
  expect(texts()).toBe(1)
  for (const run of runs.slice(0, 1)) await log.runs.finish(run, { ...done, discard: true })
  expect(texts()).toBe(0)
})

it('opens a failed run again with its shared text', async () => {
  const { log, append } = await open()
  const { ids } = await append(runsOf())
  const { runs } = await log.runs.claim(50, 60_000)
  for (const run of runs)
    await log.runs.finish(run, { ...done, state: 'failed', error: '{}', discard: false })
  expect(await log.runs.reopen(ids[0] ?? '')).toBe(true)
  const [again] = (await log.runs.claim(1, 60_000)).runs
  expect(again).toMatchObject({ runId: ids[0], data: text })
})

it('reads the text from a backup, and moves it with each run', async () => {
  const { log, append } = await open()
  const { ids } = await append(runsOf())
  const folder = await newFolder()
  await log.backup(join(folder, 'events.sqlite'))
  const copy = await openSqliteEventLog({ file: join(folder, 'events.sqlite'), clock: () => now })
  for (const runId of ids) expect((await copy.runs.get(runId))?.data).toBe(text)
  await copy.close()
  await cp(
    join(import.meta.dirname, '../../fixtures/earlier-workflows/config.json'),
    join(folder, 'config.json'),
  )
  const { rows } = await collect(
    readRows(folder, table => {
      throw new Error(`A row of ${table} cannot be read.`)
    }),
  )
  expect(rows.runs?.map(({ data }) => data)).toEqual(ids.map(() => text))
})

it('says that a run is damaged whose text is lost, and deletes a text whose runs are lost', async () => {
  const { log, append, file } = await open()
  const lost = await append(runsOf())
  const rest = await append(runsOf().map(({ deduplicationKey: _, ...run }) => run))
  await log.close()
  const damaged = new DatabaseSync(file)
  damaged.exec('DROP TRIGGER run_texts_of_deleted')
  damaged.exec('DELETE FROM run_texts WHERE id = (SELECT min(id) FROM run_texts)')
  damaged.exec('DELETE FROM runs WHERE data = (SELECT max(id) FROM run_texts)')
  damaged.close()
  openOrRepair(file, eventLogSchema, { onNotice: () => {}, isDamaged: true }).close()
  const repaired = await openSqliteEventLog({ file, clock: () => now })
  onTestFinished(() => repaired.close())
  for (const name of names) await repaired.setLanes([[name, 10]])
  expect(await repaired.runs.get(rest.ids[0] ?? '')).toBeNull()
  await expect(repaired.runs.get(lost.ids[0] ?? '')).rejects.toMatchObject({ code: 'damaged_run' })
  const page = await repaired.runs.list({ limit: 50 })
  expect(page.damaged?.toSorted()).toEqual([...lost.ids].sort())
  expect((await repaired.runs.claim(50, 60_000)).runs).toEqual([])
  expect((await repaired.runs.countEnded({})).failed).toBe(names.length / 2)
  const stored = new DatabaseSync(file, { readOnly: true })
  expect(stored.prepare('SELECT count(*) AS texts FROM run_texts').get()).toEqual({ texts: 0 })
  stored.close()
})
