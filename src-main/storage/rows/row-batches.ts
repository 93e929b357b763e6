import type { Config } from '../config.ts'

/** Everything that a storage keeps, as rows. Texts are as they are, also with U+0000 and lone surrogates. */
export type Rows = {
  /** The configuration: first its head, then the records of its lists, in their order. Credentials stay sealed. */
  readonly config: {
    readonly part: 'head' | Exclude<keyof Config, 'settings' | 'listener'>
    /** As in config.json: a record; as the head, `{schemaVersion, settings, listener}`. */
    readonly json: string
  }
  /** One row. */
  readonly log: { readonly newestSeq: number }
  /** By `seq`. */
  readonly events: {
    readonly seq: number
    readonly connection: string
    readonly name: string
    readonly receivedAt: number
    /** `flags` and `headers`: see event-rows.ts. */
    readonly flags: number
    readonly replayOf: string | null
    readonly duplicateOf: number | null
    readonly headers: string
    readonly body: string
  }
  /**
   * The runs of a fan-out that were not stored yet, by `id`. Run `index` has the id `id + index`, and the state `waiting`.
   */
  readonly fanOuts: {
    readonly id: number
    /** By index; empty where it is not known any more. */
    readonly workflows: readonly string[]
    /** The indexes of these runs, growing. The others are among `runs`, if they were not deleted. */
    readonly pending: readonly number[]
    readonly event: number | null
    readonly workspace: string
    /** Empty for none, as in `runs`. */
    readonly connection: string
    readonly queuedAt: number
    readonly summary: string
    readonly data: string | null
  }
  /** In the order in which a lane is served, as far as the storage has one; if not, by `id`. */
  readonly runs: {
    readonly id: number
    readonly workflow: string
    readonly workspace: string
    readonly connection: string
    readonly event: number | null
    readonly lane: string
    /** See run-rows.ts. */
    readonly state: number
    readonly dueAt: number
    readonly attempt: number
    readonly queuedAt: number
    readonly startedAt: number | null
    readonly endedAt: number | null
    readonly error: string | null
    readonly summary: string
    readonly data: string | null
    /** The steps of a run that had ended when it was stored (run-rows.ts); null if they are among `steps`. */
    readonly steps: string | null
  }
  /** In the order in which they began. */
  readonly steps: {
    readonly run: number
    readonly path: string
    readonly type: string
    readonly attempt: number
    readonly startedAt: number
    readonly endedAt: number | null
    readonly error: string | null
    readonly call: string | null
    readonly input: string | null
    readonly output: string | null
    readonly isCut: boolean
    /** JSON; empty for none. */
    readonly absent: string
  }
  /** The keys that only one run or event may have. */
  readonly keys: {
    readonly digest: string
    readonly scope: string
    readonly expiresAt: number
    readonly run: number | null
  }
  /** By `number`. */
  readonly occurrences: {
    readonly number: number
    readonly kind: string
    /** Empty for the service as a whole. */
    readonly connection: string
    readonly subject: string
    readonly at: number
    readonly finding: string | null
    readonly summary: string
    readonly details: string
  }
  /** By `number`. */
  readonly conversations: {
    readonly number: number
    readonly workspace: string
    readonly updated: number
    readonly bytes: number
    readonly head: string
    readonly text: string
  }
  readonly conversationItems: {
    readonly conversation: number
    readonly message: number
    readonly part: number
    readonly body: string
    readonly text: string
  }
  /** In the order in which they were added. */
  readonly files: {
    readonly id: string
    readonly workspace: string
    readonly agent: string
    readonly name: string
    readonly sha256: string
    readonly bytes: number
    /** JSON: the file, and the version of the program that has read it. */
    readonly file: string
  }
  /** The bytes of files, in order. */
  readonly pieces: { readonly file: string; readonly bytes: Uint8Array }
  /** The text of files. */
  readonly passages: {
    readonly file: string
    readonly number: number
    readonly first: number
    readonly last: number
    readonly text: string
  }
}

/** Rows of a table. A storage exports its tables in the order of `Rows`, each in several batches. */
export type RowBatch = { readonly [Table in keyof Rows]?: readonly Rows[Table][] }

/** A batch ends with one of these. */
const mostRows = 500
const mostSize = 256 * 1024

/** Yields rows in batches of a bounded size, so that no more than one of them, or one row, is in memory. */
export function* inBatches<Row extends object>(
  rows: Iterable<Row>,
  toBatch: (rows: readonly Row[]) => RowBatch,
): Generator<RowBatch> {
  let batch: Row[] = []
  let size = 0
  for (const row of rows) {
    batch.push(row)
    size += sizeOf(row)
    if (batch.length < mostRows && size < mostSize) continue
    yield toBatch(batch)
    batch = []
    size = 0
  }
  if (batch.length > 0) yield toBatch(batch)
}

function sizeOf(row: object): number {
  let size = 0
  for (const value of Object.values(row))
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length
    else if (Array.isArray(value)) size += value.length * 32
  return size
}
