import { DatabaseSync } from 'node:sqlite'
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  nat,
  oneof,
  option,
  record,
} from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { deduplicationKey, groupedKey } from '#main/storage/deduplication-key.ts'
import type { NewRun, Started } from '#main/storage/runs.ts'
import { waitMs } from '../../support/patience.ts'
import { eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-temporary.ts'

const hour = 3_600_000
const workflows = ['wf_a', 'wf_b', 'wf_c']
const texts = ['', 'ORD-1', 'ORD-2']

const runOf = (workflowId: string, text: string | null, from: number): NewRun => ({
  ...{ workflowId, workspaceId: 'ws_a', connectionId: 'conn_a', lane: workflowId },
  ...{ queuedAt: from, summary: '{}', data: '{}' },
  ...(text !== null && { deduplicationKey: groupedKey(workflowId, text, from, hour) }),
})

/** Makes about every fourth insertion of a run or a key fail, until the function that it returns is called. */
function failing(file: string): () => void {
  // The store may be deleting expired keys.
  const database = new DatabaseSync(file, { timeout: waitMs })
  const tables = ['runs', 'kept_keys']
  for (const table of tables)
    database.exec(`CREATE TRIGGER refuse_${table} AFTER INSERT ON ${table} WHEN random() % 4 = 0
      BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  return () => {
    for (const table of tables) database.exec(`DROP TRIGGER refuse_${table}`)
    database.close()
  }
}

const appended = record({
  isStored: constantFrom(true, true, false),
  signature: option(constantFrom('s1', 's2'), { freq: 1 }),
  runs: array(record({ workflowId: constantFrom(...workflows), text: option(constantFrom(...texts)) }), {
    maxLength: 3,
  }),
})
const change = oneof(
  { weight: 6, arbitrary: record({ does: constantFrom('append' as const), atOnce: array(appended) }) },
  { weight: 1, arbitrary: record({ does: constantFrom('reopen', 'fail', 'recover') }) },
  {
    weight: 1,
    arbitrary: record({ does: constantFrom('forget' as const), scope: constantFrom(...workflows) }),
  },
  { weight: 2, arbitrary: record({ does: constantFrom('wait' as const), ms: nat(hour) }) },
)

type Change = typeof change extends Arbitrary<infer One> ? One : never

/** Enough insertions that some of them fail. */
const whileFailing: Change[] = [
  { does: 'fail' },
  ...Array.from({ length: 16 }, (): Change => {
    const one = { isStored: true, signature: null, runs: [{ workflowId: 'wf_a', text: null }] }
    return { does: 'append', atOnce: [one, one, one] }
  }),
]

it('starts one run of each key, whatever arrives at once, fails, expires or is restarted', async () => {
  let refused = 0
  await assert(
    asyncProperty(array(change, { minLength: 10, maxLength: 30 }), async changes => {
      let now = Date.UTC(2026, 0, 1)
      const opened = await openTemporary({ clock: () => now })
      let { log } = opened
      const make = eventMaker(() => now)
      /** The keys that are kept, with their runs. */
      const kept = new Map<string, { readonly runId: string | null; readonly until: number }>()
      const runIds = new Set<string>()
      const eventIds = new Map<string, string | undefined>()
      const ownerOf = (digest: string) => {
        const found = kept.get(digest)
        return found !== undefined && found.until > now ? found : undefined
      }
      let recover: (() => void) | null = null
      try {
        for (const one of changes) {
          now++
          if (one.does === 'fail') recover ??= failing(opened.file)
          if (one.does === 'recover' || one.does === 'reopen') {
            recover?.()
            recover = null
          }
          if (one.does === 'reopen') log = await opened.reopen()
          if ('ms' in one) now += one.ms
          if ('scope' in one) {
            await log.runs.forgetKeys(one.scope)
            for (const text of texts) kept.delete(deduplicationKey(one.scope, text, now, hour).digest)
          }
          if (!('atOnce' in one)) continue
          const given = one.atOnce.map(({ isStored, signature, runs }) => ({
            isStored,
            event: make(),
            runs: runs.map(({ workflowId, text }) => runOf(workflowId, text, now)),
            key: signature === null ? undefined : deduplicationKey('conn_a', signature, now, hour),
          }))
          const outcomes = await Promise.allSettled(
            given.map(({ isStored, event, runs, key }) =>
              isStored ? log.append(event, runs, key) : log.runs.start(runs, event.eventId, key),
            ),
          )
          for (const [index, outcome] of outcomes.entries()) {
            const { isStored, event, runs, key } = given[index]!
            if (outcome.status === 'rejected') {
              if (recover === null) throw outcome.reason
              refused++
              continue
            }
            const started: Started = outcome.value ?? { ids: [], duplicates: new Set(), isRepeated: false }
            expect(started.isRepeated).toBe(key !== undefined && ownerOf(key.digest) !== undefined)
            if (started.isRepeated) continue
            if (key !== undefined) kept.set(key.digest, { runId: null, until: key.until })
            let duplicateOf: string | undefined
            for (const [at, { deduplicationKey: key }] of runs.entries()) {
              const runId = started.ids[at] ?? ''
              const owner = key && ownerOf(key.digest)
              expect(started.duplicates.has(at)).toBe(owner !== undefined)
              if (owner === undefined) runIds.add(runId)
              else {
                expect(runId).toBe(owner.runId)
                duplicateOf ??= runId
              }
              if (key !== undefined && owner === undefined) kept.set(key.digest, { runId, until: key.until })
            }
            if (isStored) eventIds.set(event.eventId, duplicateOf)
          }
        }
        recover?.()
        recover = null
        log = await opened.reopen()
        const stored = new DatabaseSync(opened.file, { readOnly: true })
        expect(stored.prepare('SELECT count(*) AS runs FROM runs').get()).toEqual({ runs: runIds.size })
        stored.close()
        for (const runId of runIds) expect(await log.runs.get(runId)).toMatchObject({ runId })
        const range = { connectionIds: null, above: -1, below: Number.MAX_SAFE_INTEGER, limit: 200 }
        const { events } = await log.summaries(range)
        expect(new Map(events.map(({ eventId, duplicateOf }) => [eventId, duplicateOf]))).toEqual(
          new Map([...eventIds].slice(-200)),
        )
      } finally {
        recover?.()
        await opened.dispose()
      }
    }),
    { numRuns: 9, endOnFailure: true, examples: [[whileFailing]] },
  )
  expect(refused).toBeGreaterThan(0)
})

async function open(options: Parameters<typeof openTemporary>[0]) {
  const { log, file, reopen, dispose } = await openTemporary(options)
  onTestFinished(dispose)
  // Before its threads see the file again.
  const changing = async (sql: string) => {
    await log.close()
    const changed = new DatabaseSync(file)
    changed.exec(sql)
    changed.close()
    return reopen()
  }
  const database = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => database.close())
  const counts = () =>
    Object.fromEntries(
      database
        .prepare('SELECT scope, count(*) AS keys FROM kept_keys GROUP BY scope')
        .all()
        .map(({ scope, keys }) => [scope, keys]),
    )
  return { log, reopen, changing, counts }
}

it('deletes expired keys, and no others', async () => {
  let now = Date.UTC(2026, 0, 1)
  const { log, reopen, counts } = await open({ clock: () => now })
  const manyKeys = (workflowId: string) =>
    Array.from({ length: 1000 }, (_, index) => runOf(workflowId, `ORD-${index}`, now))
  await log.runs.start([...manyKeys('wf_a'), ...manyKeys('wf_b')], null)
  now += hour / 2
  await log.runs.start([runOf('wf_b', 'ORD-new', now), ...manyKeys('wf_c')], null)
  now += hour / 2
  expect(counts()).toEqual({ wf_a: 1000, wf_b: 1001, wf_c: 1000 })
  await reopen()
  await expect.poll(counts).toEqual({ wf_b: 1, wf_c: 1000 })
  now += hour / 2
  await reopen()
  await expect.poll(counts).toEqual({})
})

it('keeps the newest keys of a workflow up to a number', async () => {
  const now = Date.UTC(2026, 0, 1)
  const { log, counts } = await open({ clock: () => now, mostKeys: 100 })
  const start = async (workflowId: string, text: string, from: number) =>
    (await log.runs.start([runOf(workflowId, text, from)], null)).duplicates.size
  await start('wf_b', 'other', now)
  await log.runs.start(
    Array.from({ length: 150 }, (_, index) => runOf('wf_a', `ORD-${index}`, now + index)),
    null,
  )
  expect(counts()).toEqual({ wf_a: 100, wf_b: 1 })
  expect(await start('wf_a', 'ORD-50', now + 150)).toBe(1)
  expect(await start('wf_a', 'ORD-49', now + 150)).toBe(0)
  expect(await start('wf_a', 'ORD-50', now + 150)).toBe(0)
  expect(await start('wf_b', 'other', now + 150)).toBe(1)
  expect(counts()).toEqual({ wf_a: 100, wf_b: 1 })
})

it('finds the keys that an earlier version has kept, until they expire', async () => {
  let now = Date.UTC(2026, 0, 1)
  const { log, changing, counts } = await open({ clock: () => now })
  const texts = ['ORD-1', 'ORD-2']
  const start = (text: string) => [runOf('wf_a', text, now)]
  const first = await log.runs.start(
    texts.map(text => runOf('wf_a', text, now)),
    null,
  )
  const { runs } = await changing(`
    DROP TRIGGER run_texts_of_deleted; DROP TRIGGER run_texts_of_discarded; DROP TABLE run_texts;
    DROP INDEX kept_keys_by_digest;
    ALTER TABLE kept_keys DROP COLUMN grouped;
    CREATE UNIQUE INDEX kept_keys_by_digest ON kept_keys (digest);
    PRAGMA user_version = 10`)
  expect(await runs.start(start('ORD-1'), null)).toEqual({
    ...{ ids: first.ids.slice(0, 1), duplicates: new Set([0]), isRepeated: false },
  })
  expect((await runs.start(start('ORD-3'), null)).duplicates.size).toBe(0)
  now += hour
  const again = await runs.start(start('ORD-1'), null)
  expect(again.duplicates.size).toBe(0)
  expect(await runs.start(start('ORD-1'), null)).toMatchObject({ ids: again.ids, duplicates: new Set([0]) })
  now += hour
  const { runs: later } = await changing('')
  await expect.poll(counts).toEqual({})
  expect((await later.start(start('ORD-1'), null)).duplicates.size).toBe(0)
  expect((await later.start(start('ORD-1'), null)).duplicates.size).toBe(1)
})
