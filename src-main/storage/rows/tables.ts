import type { Config } from '../config.ts'
import type { Columns, RowOf } from './columns.ts'

/** The columns of what a storage keeps, without those that only one kind of storage has. */
export const tables = {
  /** One row. */
  log: { newestSeq: 'integer' },
  /** By `seq`. `flags` and `headers`: see event-rows.ts. */
  events: {
    seq: 'integer',
    connection: 'text',
    name: 'text',
    receivedAt: 'integer',
    flags: 'integer',
    replayOf: 'textOrNull',
    duplicateOf: 'integerOrNull',
    headers: 'text',
    body: 'text',
  },
  /** By `id`. An empty `connection` is none, as in `runs`. */
  fanOuts: {
    id: 'integer',
    event: 'integerOrNull',
    workspace: 'plain',
    connection: 'plain',
    queuedAt: 'integer',
    summary: 'text',
    data: 'textOrNull',
  },
  /**
   * In the order in which a lane is served, as far as the storage has one; if not, by `id`. `state`: see run-rows.ts.
   * `steps` are those of a run that had ended when it was stored (run-rows.ts); null if they are among `steps`.
   */
  runs: {
    id: 'integer',
    workflow: 'plain',
    workspace: 'plain',
    connection: 'plain',
    event: 'integerOrNull',
    lane: 'plain',
    state: 'integer',
    dueAt: 'integer',
    attempt: 'integer',
    queuedAt: 'integer',
    startedAt: 'integerOrNull',
    endedAt: 'integerOrNull',
    error: 'textOrNull',
    summary: 'text',
    data: 'textOrNull',
    steps: 'textOrNull',
  },
  /** In the order in which they began. `absent` is JSON; empty for none. */
  steps: {
    run: 'integer',
    path: 'text',
    type: 'plain',
    attempt: 'integer',
    startedAt: 'integer',
    endedAt: 'integerOrNull',
    error: 'textOrNull',
    call: 'plainOrNull',
    input: 'textOrNull',
    output: 'textOrNull',
    isCut: 'flag',
    absent: 'text',
  },
  /** The keys that only one run or event may have. */
  keys: { digest: 'plain', scope: 'plain', expiresAt: 'integer', run: 'integerOrNull' },
  /** By `number`. `connection` is empty for the service as a whole. */
  occurrences: {
    number: 'integer',
    kind: 'plain',
    connection: 'plain',
    subject: 'plain',
    at: 'integer',
    finding: 'plainOrNull',
    summary: 'plain',
    details: 'plain',
  },
  /** By `number`. */
  conversations: {
    number: 'integer',
    workspace: 'plain',
    updated: 'integer',
    bytes: 'integer',
    head: 'text',
    text: 'text',
  },
  conversationItems: {
    conversation: 'integer',
    message: 'integer',
    part: 'integer',
    body: 'text',
    text: 'text',
  },
  /** `connection` is also the id of a workspace, or empty; `node` is empty for merged rows. */
  hourCounts: { connection: 'plain', hour: 'integer', node: 'plain', doc: 'plain' },
  /** By `number`. `doc` is JSON. */
  alerts: {
    number: 'integer',
    kind: 'plain',
    subject: 'plain',
    workspace: 'plain',
    connection: 'plainOrNull',
    openedAt: 'integer',
    closedAt: 'integerOrNull',
    isTold: 'flag',
    mutedUntil: 'integer',
    doc: 'plain',
  },
  /** In the order in which they were added. `file` is JSON: the file, and the version of the program that has read it. */
  files: {
    id: 'plain',
    workspace: 'plain',
    agent: 'plain',
    name: 'plain',
    sha256: 'plain',
    bytes: 'integer',
    file: 'plain',
  },
  /** The bytes of files, in order. */
  pieces: { file: 'plain', bytes: 'bytes' },
  /** The text of files. */
  passages: { file: 'plain', number: 'integer', first: 'integer', last: 'integer', text: 'text' },
} satisfies Readonly<Record<string, Columns>>

/** Everything that a storage keeps, as rows. Texts are as they are, also with U+0000 and lone surrogates. */
export type Rows = { readonly [Table in keyof typeof tables]: RowOf<(typeof tables)[Table]> } & {
  /** The configuration: first its head, then the records of its lists, in their order. Credentials stay sealed. */
  readonly config: {
    readonly part: 'head' | Exclude<keyof Config, 'settings' | 'listener' | 'metricsToken'>
    /** As in config.json: a record; as the head, `{schemaVersion, settings, listener, metricsToken}`. */
    readonly json: string
  }
  /** The runs of a fan-out that were not stored yet. Run `index` has the id `id + index`, and the state `waiting`. */
  readonly fanOuts: {
    /** By index; empty where it is not known any more. */
    readonly workflows: readonly string[]
    /** The indexes of these runs, growing. The others are among `runs`, if they were not deleted. */
    readonly pending: readonly number[]
  }
}
