import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type DatabaseSchema, openOwnDatabase } from '#main/storage/local/sqlite/own-database.ts'
import { finishRepair, openOrRepair } from '#main/storage/local/sqlite/repair.ts'
import { eventLogSchema, historySchema, knowledgeSchema } from '#main/storage/local/sqlite/schemas.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import type { NewRun } from '#main/storage/runs.ts'
import { createRandom, type Random } from '../../support/fuzz/random.ts'
import { newFolder } from '../config-fixtures.ts'
import { eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-temporary.ts'

const pageSize = 4096

/** A database with rows in each table: enough for several pages of each kind. */
type Sample = {
  readonly schema: DatabaseSchema
  readonly fill: readonly string[]
  /** Selects everything that a repair should keep, as text. */
  readonly rows: string
}

const numbers = (count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
const text = (length: number) => `printf('%d ', i) || hex(zeroblob(${length / 2}))`

const samples: Readonly<Record<string, Sample>> = {
  'the event log': {
    schema: eventLogSchema,
    fill: [
      `${numbers(3)} INSERT INTO connections SELECT i, 'conn_' || i, -1 FROM n`,
      `${numbers(400)} INSERT INTO events
        SELECT i * 5000000, i % 3 + 1, 'order', i, 0, NULL, 'h', CASE WHEN i % 50 = 0 THEN ${text(9000)} ELSE ${text(200)} END, NULL FROM n`,
      `${numbers(300)} INSERT INTO runs
        SELECT i * 5000000, 'wf_' || i % 2, 'ws', 'conn_1', i * 5000000, 'wf_' || i % 2, 3, 0, 1, i, i, i, NULL, '{}', ${text(100)}, NULL FROM n`,
      `${numbers(300)} INSERT INTO run_steps
        SELECT i * 5000000, 'first', 'notify', 1, i, i, NULL, NULL, ${text(100)}, NULL, 0, '' FROM n`,
      `INSERT INTO workflow_lists VALUES (1, '["wf_0","wf_1"]', '[0,0]')`,
      `${numbers(100)} INSERT INTO fan_outs
        SELECT 9000000000 + i * 5000000, 1, i * 5000000, 'ws', 'conn_1', i, '{}', ${text(200)} FROM n`,
      `${numbers(300)} INSERT INTO kept_keys SELECT i, 'wf_' || i % 2, ${text(40)}, i, i, i % 3 FROM n`,
    ],
    rows: `SELECT 'event ' || seq || body AS row FROM events UNION ALL SELECT 'run ' || id || data FROM runs
      UNION ALL SELECT 'step ' || run || input FROM run_steps
      UNION ALL SELECT 'key ' || digest FROM kept_keys
      UNION ALL SELECT 'fan-out ' || fan_outs.id || data FROM fan_outs JOIN workflow_lists ON list = workflow_lists.id`,
  },
  'the history': {
    schema: historySchema,
    fill: [
      `${numbers(300)} INSERT INTO occurrences
        SELECT i * 5000000, 'call', 'conn_' || i % 3, 's', i, NULL, '{}', ${text(300)} FROM n`,
      `${numbers(40)} INSERT INTO conversations SELECT i * 5000000, 'ws', i * 5000000, 9, '{}', ${text(100)} FROM n`,
      `${numbers(400)} INSERT INTO conversation_items SELECT (i / 10 + 1) * 5000000, i % 10, 0, '{}', ${text(100)} FROM n
        WHERE i < 400`,
    ],
    rows: `SELECT 'call ' || number || details AS row FROM occurrences
      UNION ALL SELECT 'conversation ' || number || text FROM conversations
      UNION ALL SELECT 'item ' || conversation || message || text FROM conversation_items`,
  },
  'the knowledge base': {
    schema: knowledgeSchema,
    fill: [
      `${numbers(5)} INSERT INTO files SELECT i, 'file_' || i, 'ws', 'agent', 'a.txt', 'x', 1, '{"warnings":[]}' FROM n`,
      `${numbers(40)} INSERT INTO contents SELECT i % 5 + 1, i, zeroblob(3000) FROM n`,
      `${numbers(250)} INSERT INTO passages SELECT i, i % 5 + 1, i / 5, i, i FROM n`,
      `${numbers(250)} INSERT INTO passage_texts (rowid, scope, text)
        SELECT i, 'a0 f' || (i % 5 + 1), ${text(200)} || ' needle' FROM n`,
    ],
    rows: `SELECT 'file ' || id AS row FROM files
      UNION ALL SELECT 'passage ' || passages.id || text FROM passages JOIN passage_texts ON passages.id = passage_texts.rowid`,
  },
}

const rowsOf = (database: DatabaseSync, { rows }: Sample) =>
  new Set(
    database
      .prepare(rows)
      .all()
      .map(({ row }) => String(row)),
  )

function create({ schema, fill }: Sample, look: (file: string) => void = () => {}): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'cc-sample-'))
  try {
    const file = join(folder, 'sample.sqlite')
    const database = openOwnDatabase(file, schema, null)
    for (const sql of fill) database.exec(sql)
    database.close()
    look(file)
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

type Damage = { readonly name: string; readonly apply: (bytes: Buffer, page: number, random: Random) => void }

const damages: readonly Damage[] = [
  { name: 'zeroed', apply: (bytes, page) => void bytes.fill(0, page * pageSize, (page + 1) * pageSize) },
  {
    name: 'with a flipped bit in its header',
    apply: (bytes, page, random) =>
      flip(bytes, page * pageSize + (page === 0 ? 100 : 0) + random.int(8), random),
  },
  {
    name: 'with a flipped bit',
    apply: (bytes, page, random) => flip(bytes, page * pageSize + random.int(pageSize), random),
  },
  {
    name: 'replaced by another page',
    apply: (bytes, page, random) => {
      const other = random.int(bytes.length / pageSize)
      bytes.copyWithin(page * pageSize, other * pageSize, (other + 1) * pageSize)
    },
  },
]

function flip(bytes: Buffer, at: number, random: Random): void {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(8))
}

describe.each(Object.entries(samples))('a damaged page of %s', (_, sample) => {
  let intact: Buffer
  beforeAll(() => {
    intact = create(sample)
  })

  it.each(damages)(
    '$name: the database is sound again, and nothing is lost in silence',
    async ({ apply }) => {
      const random = createRandom(20_261_125)
      const folder = await newFolder()
      const whole = openSample(join(folder, 'intact.sqlite'), intact, sample).database
      const allRows = rowsOf(whole, sample)
      whole.close()
      const pages = intact.length / pageSize
      expect(pages).toBeGreaterThan(40)
      for (let page = 0; page < pages; page++) {
        const bytes = Buffer.from(intact)
        apply(bytes, page, random)
        const file = join(folder, `${page}.sqlite`)
        const { database, notices } = openSample(file, bytes, sample)
        const says = `page ${page + 1}`
        expect(database.prepare('PRAGMA integrity_check').get(), says).toMatchObject({
          integrity_check: 'ok',
        })
        const kept = rowsOf(database, sample)
        database.close()
        const aside = readdirSync(folder).filter(
          other => other.startsWith(`${basename(file)}.corrupt-`) && !/-(wal|shm)$/.test(other),
        )
        if (notices.length === 0) {
          // A changed letter of a text cannot be noticed: the database has no checksums.
          expect(aside, says).toEqual([])
          expect(kept.size, says).toBe(allRows.size)
        } else {
          expect(notices, says).toEqual([expect.stringMatching(/was damaged .* Restore a backup if/)])
          expect(aside, says).toHaveLength(1)
          expect(readFileSync(join(folder, aside[0] ?? '')).equals(bytes), says).toBe(true)
        }
      }
    },
  )
})

function openSample(file: string, bytes: Buffer, { schema }: Sample) {
  writeFileSync(file, bytes)
  const notices: string[] = []
  const database = openOrRepair(file, schema, { onNotice: notice => notices.push(notice) })
  return { database, notices }
}

describe('a repair', () => {
  const sample = samples['the event log']
  if (sample === undefined) throw new Error('There is no sample.')
  let intact: Buffer
  let leaves: Readonly<Record<'events' | 'run_steps' | 'connections', number[]>>
  beforeAll(() => {
    intact = create(sample, file => {
      const of = (name: string) => pagesOf(file, name)
      leaves = { events: of('events'), run_steps: of('run_steps'), connections: of('connections') }
    })
  })

  it('keeps the rows on both sides of two damaged places', async () => {
    const bytes = Buffer.from(intact)
    const pages = leaves.events
    for (const part of [0, 0.3, 0.6])
      bytes.fill(0, ...range(pages[Math.floor(pages.length * part)] ?? Number.NaN))
    const { database } = openSample(join(await newFolder(), 'events.sqlite'), bytes, sample)
    const seqs = database
      .prepare('SELECT seq / 5000000 AS n FROM events ORDER BY seq')
      .all()
      .map(({ n }) => Number(n))
    database.close()
    expect(seqs.length).toBeGreaterThan(340)
    expect(seqs.length).toBeLessThan(400)
    const gaps = seqs.filter((n, at) => n !== (seqs[at - 1] ?? 0) + 1)
    expect(gaps).toHaveLength(3)
  })

  it('fails unfinished runs if results of steps are lost, because a step could be repeated', async () => {
    const bytes = Buffer.from(intact)
    bytes.fill(0, ...range(leaves.run_steps[2] ?? Number.NaN))
    const file = join(await newFolder(), 'events.sqlite')
    writeFileSync(file, bytes)
    const before = new DatabaseSync(file)
    before.exec(
      'UPDATE runs SET state = 1 WHERE id = 5000000; UPDATE runs SET state = 0, started_at = NULL WHERE id = 10000000',
    )
    before.close()
    const { database } = openSample(file, readFileSync(file), sample)
    const run = database.prepare('SELECT state, error FROM runs WHERE id = ?')
    expect(run.get(5_000_000)).toMatchObject({ state: 4, error: expect.stringContaining('damaged_payload') })
    expect(run.get(10_000_000)).toMatchObject({ state: 0 })
    database.close()
  })

  it('starts no stored run of a fan-out once more if it is not known which are stored', async () => {
    const file = join(await newFolder(), 'events.sqlite')
    writeFileSync(file, intact)
    const before = new DatabaseSync(file)
    before.exec(
      `INSERT INTO runs SELECT 9005000001, 'wf_1', 'ws', 'conn_1', 1, 'wf_1', 3, 0, 1, 1, 1, 1, NULL, '{}', '{}', '[]'`,
    )
    before.close()
    openOrRepair(file, eventLogSchema, { onNotice: () => {}, isDamaged: true }).close()
    const log = await openSqliteEventLog({ file, clock: () => 0 })
    onTestFinished(() => log.close())
    expect((await log.runs.laneCounts()).sort((a, b) => (a.lane < b.lane ? -1 : 1))).toMatchObject([
      ...[
        { lane: 'wf_0', waiting: 100 },
        { lane: 'wf_1', waiting: 99 },
      ],
    ])
  })

  it('finds the connections of events in an index if their table is lost', async () => {
    const bytes = Buffer.from(intact)
    bytes.fill(0, ...range(leaves.connections[0] ?? Number.NaN))
    const { database } = openSample(join(await newFolder(), 'events.sqlite'), bytes, sample)
    expect(database.prepare('SELECT key FROM connections ORDER BY id').all()).toMatchObject(
      ['conn_1', 'conn_2', 'conn_3'].map(key => ({ key })),
    )
    expect(database.prepare('SELECT count(*) AS events FROM events').get()).toMatchObject({ events: 400 })
    database.close()
  })

  it('is completed after a kill between its two renames', async () => {
    const file = join(await newFolder(), 'events.sqlite')
    openSample(file, intact, sample).database.close()
    renameSync(file, `${file}.repaired`)
    writeFileSync(`${file}.repairing`, 'half')
    finishRepair(file)
    expect(readdirSync(dirname(file))).toEqual(['events.sqlite'])
  })

  it('is completed without the log of the damaged file after a kill between the renames of the two', async () => {
    const file = join(await newFolder(), 'events.sqlite')
    const { database } = openSample(file, intact, sample)
    database.exec('PRAGMA wal_autocheckpoint = 0')
    database.exec('DELETE FROM events; VACUUM')
    const log = readFileSync(`${file}-wal`)
    database.close()
    rmSync(file)
    writeFileSync(`${file}.repaired`, intact)
    writeFileSync(`${file}-wal`, log)
    finishRepair(file)
    const { database: repaired, notices } = openSample(file, readFileSync(file), sample)
    expect(notices).toEqual([])
    expect(repaired.prepare('SELECT count(*) AS events FROM events').get()).toMatchObject({ events: 400 })
    repaired.close()
    const kept = readdirSync(dirname(file)).filter(name => name.includes('corrupt'))
    expect(kept).toEqual([expect.stringMatching(/-wal$/)])
  })

  it('is begun again after a kill before its first rename', async () => {
    const file = join(await newFolder(), 'events.sqlite')
    openSample(file, intact, sample).database.close()
    const before = readFileSync(file)
    writeFileSync(`${file}.repaired`, 'other')
    finishRepair(file)
    expect(readdirSync(dirname(file))).toEqual(['events.sqlite'])
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('leaves the damaged file in use if it cannot be copied', async () => {
    const file = join(await newFolder(), 'events.sqlite')
    const bytes = Buffer.from(intact)
    bytes.fill(0, ...range(leaves.run_steps[2] ?? Number.NaN))
    mkdirSync(`${file}.repairing`)
    const { database, notices } = openSample(file, bytes, sample)
    expect(notices).toEqual([expect.stringMatching(/could not be repaired: .*stays in use/)])
    expect(database.prepare('SELECT count(*) AS events FROM events').get()).toMatchObject({ events: 400 })
    database.close()
    expect(existsSync(file)).toBe(true)
    expect(readdirSync(dirname(file)).some(name => name.includes('corrupt'))).toBe(false)
  })
})

describe('damage that is found while the event log is open', () => {
  const make = eventMaker()
  const newRun = (n: number): NewRun => ({
    ...{ workflowId: `wf_${n % 3}`, workspaceId: 'ws', connectionId: 'conn_a', lane: `wf_${n % 3}` },
    ...{ queuedAt: n, summary: '{}', data: JSON.stringify({ event: 'x', data: { text: 'x'.repeat(500) } }) },
  })
  let intact: Buffer
  let leaves: (name: string) => number[]
  let eventIds: string[]
  beforeAll(async () => {
    const { log, file, dispose } = await openTemporary()
    const events = Array.from({ length: 300 }, () => make())
    await Promise.all(events.map((event, n) => log.append(event, [newRun(n)])))
    eventIds = events.map(({ eventId }) => eventId)
    await log.close()
    intact = readFileSync(file)
    const found = new Map(
      ['runs', 'runs_by_workflow', 'runs_due', 'events', 'events_by_connection'].map(name => [
        name,
        pagesOf(file, name),
      ]),
    )
    leaves = name => found.get(name) ?? []
    await dispose()
  })

  /** Opens a log on a damaged file, without the check that would find the damage at once. */
  async function open(name: string, which: (pages: number[]) => number | undefined) {
    const file = join(await newFolder(), 'events.sqlite')
    const bytes = Buffer.from(intact)
    bytes.fill(0, ...range(which(leaves(name)) ?? Number.NaN))
    writeFileSync(file, bytes)
    const notices: string[] = []
    const log = await openSqliteEventLog({
      file,
      checkUpTo: 0,
      clockSettleMs: 0,
      onNotice: one => notices.push(one),
    })
    onTestFinished(() => log.close())
    return { log, file, notices }
  }
  const first = (pages: number[]) => pages[0]
  const middle = (pages: number[]) => pages[Math.floor(pages.length / 2)]
  const last = (pages: number[]) => pages.at(-1)

  it.each([
    ['a page of runs', 'runs', middle, 250],
    ['the newest page of runs', 'runs', last, 250],
    ['a page of an index of runs', 'runs_by_workflow', middle, 300],
    ['the queue of runs', 'runs_due', first, 300],
  ] as const)('lists, counts and claims runs with %s damaged, and says so', async (_, name, which, least) => {
    const { log, file, notices } = await open(name, which)
    const listed = new Set<string>()
    for (let before: string | null = null; ; ) {
      const page = await log.runs.list({ limit: 200, ...(before !== null && { before }) })
      for (const { runId } of page.runs) listed.add(runId)
      before = page.nextBefore
      if (before === null) break
    }
    expect(listed.size).toBeGreaterThanOrEqual(least)
    for (const workflowId of ['wf_0', 'wf_1', 'wf_2']) {
      await log.runs.figures([workflowId], 1)
      await log.runs.stepFigures(workflowId)
      expect((await log.runs.list({ limit: 200, workflowIds: [workflowId] })).runs.length).toBeGreaterThan(70)
    }
    await log.runs.countEnded({})
    for (const lane of ['wf_0', 'wf_1', 'wf_2']) await log.setLanes([[lane, 1000]])
    const { runs } = await log.runs.claim(1000, 60_000)
    expect(new Set(runs.map(({ runId }) => runId))).toEqual(listed)
    const added = make()
    await log.append(added, [newRun(1)])
    expect((await log.list('conn_a', { limit: 1 })).events).toEqual([added])
    expect(notices).toEqual([expect.stringMatching(/^The event log was damaged .* kept as .*corrupt/)])
    expect(
      readdirSync(dirname(file)).filter(one => /corrupt-[^-]+-\d\d-\d\dT[^-]+-\d\d-[\d.]+Z$/.test(one)),
    ).toHaveLength(1)
  })

  it.each([
    ['the newest page of events', 'events'],
    ['the newest page of the index of events', 'events_by_connection'],
  ])('accepts events again after it was refused one because of %s', async (_, name) => {
    const { log, notices } = await open(name, last)
    await expect
      .poll(() =>
        log.append(make()).then(
          () => 'stored',
          ({ code }) => code,
        ),
      )
      .toBe('stored')
    expect((await log.list('conn_a', { limit: 200 })).events.length).toBeGreaterThan(100)
    expect(await log.isWritable()).toBe(true)
    expect(notices).toHaveLength(1)
  })

  it('keeps the claims of runs that are under way', async () => {
    const { log, notices } = await open('runs', middle)
    await log.setLanes([['wf_0', 1]])
    const { runs } = await log.runs.claim(1, 60_000)
    const claim = runs[0]
    if (claim === undefined) throw new Error('No run was claimed.')
    expect(notices).toEqual([])
    for (const before of [undefined, runs[0]?.runId]) await log.runs.list({ limit: 200, before })
    for (const workflowId of ['wf_0', 'wf_1', 'wf_2'])
      await log.runs.list({ limit: 200, workflowIds: [workflowId] })
    expect(notices).toHaveLength(1)
    expect(await log.runs.renew([claim], 60_000)).toEqual([claim.runId])
    expect(
      await log.runs.finish(claim, { state: 'succeeded', endedAt: 2000, error: null, discard: false }),
    ).toBe(true)
  })

  it('answers damaged_data if a repair does not help, and does not repair without end', async () => {
    const { log, file, notices } = await open('runs', middle)
    mkdirSync(`${file}.repairing`)
    const list = () => Promise.all([log.runs.list({ limit: 200 }), log.runs.stepFigures('wf_0')])
    await expect(list()).rejects.toMatchObject({ code: 'damaged_data' })
    await expect(list()).rejects.toMatchObject({ code: 'damaged_data' })
    expect(notices.filter(notice => notice.includes('could not be repaired'))).toHaveLength(1)
    expect(await log.get('conn_a', eventIds[0] ?? '')).not.toBeNull()
  })
})

const range = (at: number) => [at, at + pageSize] as const

/** Returns the offsets of the leaves of a table. */
function pagesOf(file: string, name: string): number[] {
  const database = new DatabaseSync(file)
  try {
    return database
      .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
      .all(name)
      .map(({ pageno }) => (Number(pageno) - 1) * pageSize)
  } finally {
    database.close()
  }
}
