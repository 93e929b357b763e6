/**
 * What the main thread and the two worker threads say to one another. Both ends import these types, so
 * a message is right by construction.
 */
import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { LaneLimit, Run, RunBounds, RunDetails } from '#main/storage/runs.ts'
import type { RunListQuery } from './run-reader.ts'
import type { NewRunRow } from './run-rows.ts'
import type { RunAct, RunAnswer } from './run-table.ts'

/**
 * A batch of events in the form that costs the sender least: one text of all texts joined, and a flat
 * array with `numbersPerEvent` entries for each event (see batch.ts). `now` in milliseconds since 1970. `runs` are those that these events start.
 */
export type AppendBatch = [text: string, numbers: number[], now: number, runs?: NewRunRow[]]

export type RunsRequest = { op: 'runs'; id: number } & RunAct

export type WriterRequest =
  | { op: 'remove'; id: number; connectionId: string; seq: number }
  | { op: 'clear'; id: number; connectionId: string }
  | { op: 'count'; id: number; connectionId: string }
  | { op: 'probe'; id: number }
  | { op: 'close'; id: number }

export type WriterNotice =
  | { op: 'lane'; lane: string; limit: LaneLimit }
  | { op: 'retain'; connectionId: string; maxEvents: number; maxDays: number; now: number }
  | { op: 'tick'; now: number }

export type ToWriter = AppendBatch | WriterRequest | RunsRequest | WriterNotice

export type ListRequest = {
  op: 'list'
  id: number
  connectionId: string
  eventName: string | null
  text: string | null
  /** Only rows with a smaller seq. */
  before: number
  limit: number
}

export type ReaderRequest =
  | ListRequest
  | { op: 'get'; id: number; connectionId: string; seq: number }
  | { op: 'newest'; id: number }
  | { op: 'run'; id: number; run: number }
  | ({ op: 'runs'; id: number } & RunListQuery)
  | { op: 'backup'; id: number; path: string }
  | { op: 'close'; id: number }

/** An error on its way between threads; `errcode` is SQLite's (extended) result code, where it was one. */
export type Failure = { message: string; errcode: number | null }

export type Reply<Value = ReplyValue> = { id: number; value: Value } | { id: number; failure: Failure }
export type ReplyValue =
  | null
  | boolean
  | number
  | LoggedEvent
  | 'damaged'
  | { events: LoggedEvent[]; more: boolean; damaged: number }
  | RunAnswer
  | RunDetails
  | { runs: Run[] }

/** Something went wrong in the background; nobody waits for it, so it is reported. */
export type Report = { report: Failure }

export type Opened = { opened: { newestSeq: number } } | { refused: Failure; damaged: boolean }

/**
 * A bare number is the commonest message: so many of the oldest batches are durable, committed together. With a
 * text behind it, it says why they are not.
 */
export type FromWriter = number | [count: number, failure: string] | Reply | Report | Opened
export type FromReader = Reply | Report | Opened

/** Whatever a worker thread says; only the writer of events settles batches. */
export type FromWorker<Value> = number | [count: number, failure: string] | Reply<Value> | Report | Opened

export type WorkerOptions = {
  file: string
  maxPages: number | null
  /** Bytes that must be free on the disk before a log that filled it may grow again. */
  roomToGrow: number
  /** Milliseconds for which a clock that was set is on trial; see PlausibleTime. */
  clockSettleMs: number
  /** Whether the disk was full when the service started. */
  startsFull: boolean
  runBounds: RunBounds
  /** Int32 counters that writer and reader share; indexes in `shared`. */
  counters: SharedArrayBuffer
}

/** Indexes into `WorkerOptions.counters`. */
export const shared = {
  /** Rows ever committed by the writer, modulo 2^32. */
  rowsWritten: 0,
  /** Rows ever deleted by the writer, modulo 2^32. */
  rowsDeleted: 1,
  /** 1 asks the writer to finish the checkpoint, so that its next write restarts the log. */
  finishCheckpoint: 2,
  /** Runs that wait. */
  runsWaiting: 3,
  length: 4,
} as const

export function failureOf(error: unknown): Failure {
  const errcode =
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null
  return { message: error instanceof Error ? error.message : String(error), errcode }
}
