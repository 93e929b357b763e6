/** The messages between the main thread and the threads that own a database. Both ends import these types. */
import type { RunBounds } from '#main/storage/runs.ts'
import type { LeftOut, NewKey } from '../../rows/run-rows.ts'
import type { SearchBounds } from '../../rows/search-budget.ts'
import { sqliteCorrupt } from '../../rows/stored-text.ts'

/**
 * Events in the form that costs the sender least: one text of all texts joined, and a flat array with
 * `numbersPerEvent` entries for each event (see batch.ts). `now` is in milliseconds since 1970; `bodies` are the large
 * ones in UTF-8, whose memory is moved; `runs` are those that these events start; `keys` those of events and runs, the
 * key of an event before those of its runs.
 */
export type AppendBatch = [
  text: string,
  numbers: number[],
  now: number,
  bodies?: readonly Uint8Array<ArrayBuffer>[],
  runs?: RunBatch,
  keys?: readonly NewKey[],
]

/** Runs in the same form (see run-batch.ts). `names` are texts that many of the runs share. */
export type RunBatch = [text: string, numbers: number[], names: string[]]

/** The methods of a thread that the main thread can call. */
export type Methods = Readonly<Record<string, (...args: never[]) => unknown>>

/** A call of a method; with the id null, nobody waits for the result. */
export type Call = { readonly id: number | null; readonly name: string; readonly args: never[] }

/** An error that crosses threads; `errcode` is SQLite's extended result code, if it was SQLite's error. */
export type Failure = { readonly message: string; readonly errcode: number | null }

/**
 * A message of a thread. `value` is a method's result: `ThreadLink.call` gives it the method's type. A bare number is the
 * most frequent message: that many of the oldest batches are durable. With a text, it says why they are not; with a list,
 * what each of them has left out.
 */
export type FromThread =
  | number
  | [count: number, failure: string | null, leftOut?: readonly (LeftOut | null)[]]
  | { readonly id: number; readonly value: never }
  | { readonly id: number; readonly failure: Failure }
  | { readonly report: Failure }
  | { readonly notice: string }
  | { readonly opened: { readonly newest: number } }
  | { readonly refused: Failure }

export type EventLogThreadOptions = {
  file: string
  maxPages: number | null
  /** Bytes of the largest file that is checked completely when it is opened. */
  checkUpTo: number
  /** Whether the file is damaged, so that the writer repairs it when it opens it. */
  isDamaged: boolean
  /** Milliseconds to wait for a lock that another process holds. */
  lockTimeoutMs: number
  /** Free bytes on the disk that a log that filled it needs before it may grow again. */
  roomToGrow: number
  /** See PlausibleTime. */
  clockSettleMs: number
  /** Whether the disk was full when the service started. */
  startsFull: boolean
  runBounds: RunBounds
  /** Keys of a workflow or a connection that are kept at most. */
  mostKeys: number
  searchBounds: SearchBounds
  /** Int32 counters that writer and reader share; indexes in `shared`. */
  counters: SharedArrayBuffer
}

/** Indexes into `EventLogThreadOptions.counters`. */
export const shared = {
  /** Rows that the writer has ever committed and deleted, modulo 2^32. */
  rowsWritten: 0,
  rowsDeleted: 1,
  /** 1 asks the writer to finish the checkpoint, so that its next write restarts the write-ahead log. */
  finishCheckpoint: 2,
  /** Waiting runs. */
  runsWaiting: 3,
  /** The length of the texts of the written rows in UTF-16 units, modulo 2^32. */
  textWritten: 4,
  /** 1 if the last batch was not stored because the disk is full. */
  isFull: 5,
  length: 6,
} as const

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error), errcode: null }
  // Node refuses to read integers beyond 2^53, and none is ever stored.
  if ('code' in error && error.code === 'ERR_OUT_OF_RANGE')
    return { message: error.message, errcode: sqliteCorrupt }
  const errcode = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null
  return { message: error.message, errcode }
}
