import { describe, expect, onTestFinished, test } from 'vitest'
import { filePartsOf, headOf } from '#main/storage/local/config-file.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { createSealedTexts } from '#main/storage/local/sealed-texts.ts'
import { inBatches, type RowBatch } from '#main/storage/rows/row-batches.ts'
import type { Rows } from '#main/storage/rows/tables.ts'
import { runStates } from '#main/storage/runs.ts'
import { now, sealer, withOneOfEach } from './config-fixtures.ts'

export type OpenedRows = {
  /** Takes the rows of another storage, all or none of them. */
  import(batches: AsyncIterable<RowBatch>): Promise<void>
  export(): AsyncIterable<RowBatch>
  close(): Promise<void>
}

/** In the order in which a storage exports them. */
const tableNames: readonly (keyof Rows)[] = [
  ...(['config', 'log', 'events', 'fanOuts', 'runs', 'steps', 'keys'] as const),
  ...([
    'occurrences',
    'conversations',
    'conversationItems',
    'hourCounts',
    'alerts',
    'files',
    'pieces',
    'passages',
  ] as const),
]
export type AllRows = { -readonly [Table in keyof Rows]?: Rows[Table][] }

/** Returns the rows of all batches, and their tables in the order in which they came. */
export async function collect(batches: AsyncIterable<RowBatch>) {
  const rows: AllRows = {}
  const tables = new Set<string>()
  for await (const batch of batches) {
    for (const table of Object.keys(batch)) tables.add(table)
    for (const table of tableNames)
      if (batch[table] !== undefined)
        Object.assign(rows, { [table]: [...(rows[table] ?? []), ...batch[table]] })
  }
  return { rows, tables: [...tables] }
}

/** Yields rows as a storage exports them. */
export async function* batchesOf(rows: AllRows): AsyncGenerator<RowBatch> {
  for (const table of tableNames) yield* inBatches(table, rows[table] ?? [])
}

const seqAt = (ms: number) => (now + ms) * 1024
/** Texts that a database may change or refuse. */
const oddTexts = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00\ud800',
  '\u{1f600}',
  '\x01\\0000',
  '\\',
  '\'"\n\r\t\x7f',
  'ﬁ é',
]
const odd = (index: number) => oddTexts[index % oddTexts.length] ?? ''

/** A configuration with one of each record, as a storage exports it. */
export function configRows(): Rows['config'][] {
  const initial = newConfig(now)
  const config = withOneOfEach({
    ...initial,
    workspaces: new Map(
      Array.from(initial.workspaces, ([id, one]) => [id, { ...one, name: 'A \0 \ud800 name' }]),
    ),
  })
  const { journal: _, ...head } = headOf(config, 0)
  const lists = filePartsOf(config, createSealedTexts(sealer)).flatMap(({ name, records }) =>
    Array.from(records, ({ toEntry }) => ({ part: name, json: JSON.stringify(toEntry()) })),
  )
  return [{ part: 'head', json: JSON.stringify(head) }, ...lists]
}
const config = configRows()
const parsed = (rows: readonly Rows['config'][] = []) =>
  rows.map(({ part, json }): unknown => ({ part, entry: JSON.parse(json) }))

const eventRow = (index: number): Rows['events'] => ({
  seq: seqAt(index),
  connection: `conn_${index % 3}`,
  name: `order.${odd(index)}`,
  receivedAt: now + index,
  flags: index % 8,
  replayOf: index % 4 === 0 ? 'evt_00000000000' : null,
  duplicateOf: index % 5 === 0 ? seqAt(index) + 1 : null,
  headers: `a: ${odd(index)}\nb: c`,
  body: `{"data":"${odd(index + 1)}"}`,
})

const runRow = (index: number, given: Partial<Rows['runs']> = {}): Rows['runs'] => ({
  id: seqAt(100 + index),
  workflow: `wf_${index % 2}`,
  workspace: 'default',
  connection: index % 3 === 0 ? '' : 'conn_1',
  event: index % 2 === 0 ? null : seqAt(index),
  lane: `wf_${index % 2}`,
  state: index % runStates.length,
  dueAt: index % runStates.length < 3 ? index * 1000 : 0,
  attempt: index % 3,
  queuedAt: now + index,
  startedAt: index % runStates.length < 2 ? null : now + index,
  endedAt: index % runStates.length < 3 ? null : now + index + 1,
  error: index % 4 === 0 ? odd(index) : null,
  summary: JSON.stringify({ eventName: odd(index) }),
  data: index % 7 === 0 ? null : odd(index),
  steps: null,
  ...given,
})

const stepRow = (index: number, path: string, attempt = 1): Rows['steps'] => ({
  run: seqAt(100 + index),
  path,
  type: 'http',
  attempt,
  startedAt: now,
  endedAt: attempt === 1 ? now + 1 : null,
  error: attempt === 1 ? odd(index) : null,
  call: attempt === 1 ? 'call_00000000000' : null,
  input: odd(index),
  output: attempt === 1 ? null : odd(index + 1),
  isCut: attempt === 2,
  absent: attempt === 1 ? '' : '["a"]',
})

const fanOutId = seqAt(500)
const fanOut = (id: number, pending: number[]): Rows['fanOuts'] => ({
  id,
  workflows: ['wf_0', 'wf_1', 'wf_2', 'wf_3'],
  pending,
  event: id - 1,
  workspace: 'default',
  connection: 'conn_1',
  queuedAt: now,
  summary: '{"eventName":"a"}',
  data: 'a \0 \ud800',
})

const fileRow = (id: string, agent: string): Rows['files'] => ({
  ...{ id, workspace: 'default', agent, name: `${id}.txt`, sha256: '0'.repeat(64), bytes: 3 },
  file: JSON.stringify({ fileId: id, name: `${id}.txt`, detail: '\0\ud800', reader: 1 }),
})

export const example: AllRows = {
  config,
  log: [{ newestSeq: seqAt(9999) }],
  events: Array.from({ length: 40 }, (_, index) => eventRow(index)),
  fanOuts: [fanOut(fanOutId, [1, 3]), fanOut(fanOutId + 1024, [0, 1, 2, 3])],
  runs: [
    ...Array.from({ length: 42 }, (_, index) => runRow(index)),
    runRow(200, {
      state: 3,
      startedAt: now + 200,
      endedAt: now + 201,
      steps: '[["a","http",null,"\\ud800"]]',
    }),
    // Two runs of the first fan-out that have ended: one with its data, and one that discarded them.
    ...[fanOutId, fanOutId + 2].map((id, index) =>
      runRow(0, {
        ...{ id, workflow: `wf_${index * 2}`, lane: `wf_${index * 2}`, event: fanOutId - 1, state: 3 },
        ...{ connection: 'conn_1', dueAt: 0, attempt: 1, startedAt: now, endedAt: now, queuedAt: now },
        ...{ summary: '{"eventName":"a"}', data: index === 0 ? 'a \0 \ud800' : null, error: null },
      }),
    ),
  ],
  steps: [stepRow(1, 'b'), stepRow(1, 'a'), stepRow(2, 'a\0\ud800'), stepRow(1, 'b', 2), stepRow(2, 'b')],
  keys: [1, 2, 3].map(index => ({
    ...{ digest: `${index}`.repeat(64), scope: `wf_${index}`, expiresAt: now + index },
    run: index === 2 ? null : seqAt(100 + index),
  })),
  occurrences: Array.from({ length: 20 }, (_, index) => ({
    ...{ number: seqAt(index), kind: 'call', connection: index % 3 === 0 ? '' : 'conn_1', subject: 'act_a' },
    ...{
      at: now,
      finding: index % 2 === 0 ? null : '{"code":"a"}',
      summary: '{"ok":true,"a":"\\u0000\\ud800"}',
    },
    details: '{}',
  })),
  conversations: Array.from({ length: 3 }, (_, index) => ({
    ...{ number: seqAt(index), workspace: 'default', updated: seqAt(1000 - index), bytes: index },
    ...{ head: `{"title":"${odd(index + 1)}"}`, text: odd(index + 2) },
  })),
  conversationItems: [0, 1].flatMap(conversation =>
    [-1, 0, 1].map((part, index) => ({
      ...{ conversation: seqAt(conversation), message: 0, part, body: odd(index + 1), text: odd(index + 3) },
    })),
  ),
  hourCounts: [
    { connection: '', hour: 490_000, node: 'node_a', doc: '{"accepted":2}' },
    { connection: '', hour: 490_000, node: 'node_b', doc: '{"refused":{"unknown_token":1}}' },
    { connection: 'conn_1', hour: 489_999, node: '', doc: '{"accepted":3}' },
  ],
  alerts: [null, 'conn_1'].map((connection, index) => ({
    ...{ number: seqAt(index), kind: 'refused', subject: `conn_${index}`, workspace: 'default', connection },
    ...{
      openedAt: 1000,
      closedAt: connection === null ? null : 2000,
      isTold: index === 1,
      mutedUntil: index,
      doc: '{}',
    },
  })),
  files: [fileRow('file_b', 'default'), fileRow('file_a', 'sales')],
  pieces: [
    ...['ab', 'c'].map(text => ({ file: 'file_b', bytes: Buffer.from(text) })),
    { file: 'file_a', bytes: Buffer.from([0, 255, 128]) },
  ],
  passages: [0, 2]
    .flatMap(number =>
      ['file_b', 'file_a'].map(file => ({
        ...{ file, number, first: number, last: number + 1 },
        text: 'Ein Text',
      })),
    )
    .sort((one, other) => (one.file > other.file ? -1 : one.file < other.file ? 1 : 0)),
}

/** The suite that any storage must pass that takes and gives rows. @param open gives a new, empty storage each time. */
export function describeRows(name: string, open: () => Promise<OpenedRows>): void {
  async function opened() {
    const storage = await open()
    onTestFinished(() => storage.close())
    return storage
  }

  describe(`${name} takes and gives rows`, () => {
    test('exports what was imported, every text to its last character', async () => {
      const storage = await opened()
      await storage.import(batchesOf(example))
      const { rows } = await collect(storage.export())
      // The bytes of a file may be in other pieces.
      const { config: _, pieces: given = [], ...others } = example
      const { config: parts, pieces = [], ...found } = rows
      expect(parsed(parts)).toEqual(parsed(config))
      const bytesOf = (all: readonly Rows['pieces'][], id: string) =>
        Buffer.concat(all.filter(({ file }) => file === id).map(({ bytes }) => bytes))
      for (const id of ['file_a', 'file_b']) expect(bytesOf(pieces, id)).toEqual(bytesOf(given, id))
      expect(found).toEqual(others)
    })

    test('exports the tables in the order in which it takes them', async () => {
      const storage = await opened()
      await storage.import(batchesOf(example))
      const { tables } = await collect(storage.export())
      expect(tables).toEqual(Object.keys(example))
    })

    test('takes a configuration alone', async () => {
      const storage = await opened()
      await storage.import(batchesOf({ config }))
      expect(parsed((await collect(storage.export())).rows.config)).toEqual(parsed(config))
    })

    test('takes more rows than it holds in memory, and long texts', async () => {
      const storage = await opened()
      const count = 5000
      const long = `${'é'.repeat(3_000_000)}\0\ud800`
      async function* source(): AsyncGenerator<RowBatch> {
        yield* batchesOf({ config })
        yield { events: [{ ...eventRow(0), body: long }] }
        for (let index = 1; index < count; index += 100)
          yield {
            events: Array.from({ length: Math.min(100, count - index) }, (_, at) => eventRow(index + at)),
          }
      }
      await storage.import(source())
      let found = 0
      let largest = 0
      for await (const { events = [] } of storage.export()) {
        if (events.length === 0) continue
        if (found === 0) expect(events[0]?.body === long).toBe(true)
        else expect(events[0]).toEqual(eventRow(found))
        found += events.length
        largest = Math.max(largest, events.length)
      }
      expect(found).toBe(count)
      expect(largest).toBeLessThan(count / 2)
    })

    test('rejects with the error of its source', async () => {
      const storage = await opened()
      async function* source(): AsyncGenerator<RowBatch> {
        yield* batchesOf(example)
        throw new Error('The file is cut.')
      }
      await expect(storage.import(source())).rejects.toThrow('The file is cut.')
    })
  })
}
