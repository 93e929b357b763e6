import type { DatabaseSync } from 'node:sqlite'
import { timeOfSequence } from '#main/lib/sequence.ts'
import { dayMs } from '#shared/durations.ts'
import type { Retention } from '#shared/model/connection.ts'
import type { LeftOut } from '../../rows/run-rows.ts'
import { integer, toStored, toStoredOrNull } from '../../rows/stored-text.ts'
import { PlausibleTime } from '../plausible-time.ts'
import { type BatchRow, rowsOf } from './batch.ts'
import { ConnectionStates } from './connection-states.ts'
import { DeduplicationKeys } from './deduplication-keys.ts'
import { newestSeq } from './log-reader.ts'
import { type Transaction, transactionsOn } from './own-database.ts'
import type { AppendBatch, EventLogThreadOptions } from './protocol.ts'
import { Pruner, stepRows } from './pruner.ts'
import { runsOf } from './run-batch.ts'
import { RunTable } from './run-table.ts'

/** A batch may delete at least this many rows in its own transaction. */
const deletionsPerBatch = 512

/** Milliseconds without pruning in batches after it failed. */
const pruneAgainAfter = 60_000

const insertEvent =
  'INSERT INTO events (seq, connection, name, received_at, repeat, replay_of, headers, body)'

type LogWriterOptions = Pick<EventLogThreadOptions, 'clockSettleMs' | 'runBounds' | 'mostKeys'>

type LogWriterHooks = {
  /** Pruning failed; its batch was stored without it. */
  onPruneFailure(error: unknown): void
  onDeleted(rows: number): void
  /** Called after each transaction with the number of records of waiting runs. */
  onRunsWaiting(runs: number): void
}

/**
 * All writes to the log. Each method is one durable transaction, or throws SQLite's error and changes nothing.
 *
 * Under load, the transactions of the batches also prune, in bulk, without another fsync. So for a while a connection
 * may have up to `stepRows` events and a batch more than its bound. `pruneStep` prunes the rest when the writer is idle.
 */
export class LogWriter {
  readonly #hooks
  readonly #states: ConnectionStates
  readonly #pruner: Pruner
  readonly runs: RunTable
  readonly keys: DeduplicationKeys
  readonly #transaction: Transaction
  readonly #insert
  /** The same, with the body in UTF-8. */
  readonly #insertBytes
  /** Marks an event as a duplicate. */
  readonly #mark
  readonly #remove
  readonly #hide
  readonly #keepNewest
  readonly #probe
  readonly #time: PlausibleTime
  #newestSeq: number
  /** Events that are too old at this time are pruned. */
  #now = Number.NEGATIVE_INFINITY
  #pruneFrom = 0

  constructor(
    database: DatabaseSync,
    { clockSettleMs, runBounds, mostKeys }: LogWriterOptions,
    hooks: LogWriterHooks,
  ) {
    this.#hooks = hooks
    this.#states = new ConnectionStates(database)
    this.#pruner = new Pruner(database, this.#states)
    this.runs = new RunTable(database, runBounds)
    this.keys = new DeduplicationKeys(database, mostKeys)
    this.#transaction = transactionsOn(database)
    this.#insert = database.prepare(`${insertEvent} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#insertBytes = database.prepare(`${insertEvent} VALUES (?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT))`)
    this.#mark = database.prepare('UPDATE events SET duplicate_of = ? WHERE seq = ?')
    this.#remove = database.prepare('DELETE FROM events WHERE seq = ? AND connection = ? AND seq > ?')
    this.#hide = database.prepare('UPDATE connections SET hidden_up_to = ? WHERE id = ?')
    this.#keepNewest = database.prepare('UPDATE log SET newest_seq = ?')
    this.#probe = database.prepare('UPDATE log SET probes = probes + 1')
    this.#newestSeq = integer(database.prepare(newestSeq).get()?.seq)
    const newestAt = this.#newestSeq < 0 ? null : timeOfSequence(this.#newestSeq)
    this.#time = new PlausibleTime(newestAt, clockSettleMs)
    hooks.onRunsWaiting(this.runs.waiting)
  }

  /** The newest seq that was ever stored; -1 in a new log. */
  get newestSeq(): number {
    return this.#newestSeq
  }

  /** Returns what each batch has left out; null for nothing. */
  append(batches: readonly AppendBatch[]): (LeftOut | null)[] {
    const now = batches.at(-1)?.[2]
    if (now !== undefined) this.#now = this.#time.at(now)
    this.#pruner.considerAges(this.#now)
    const { leftOut } = this.#transactAndPrune(
      () => this.#insertAll(batches),
      ({ rows, runs }) => {
        this.keys.prune(this.#now)
        this.#deleteAlong(Math.max(deletionsPerBatch, 2 * rows))
        for (let left = 2 * runs; this.runs.pruning.isOverdue && left > 0; )
          left -= Math.max(1, this.runs.prune(this.#now))
      },
    )
    return leftOut
  }

  /** Runs a transaction of changes of runs. */
  changeRuns<Result>(work: () => Result): Result {
    return this.#transactAndPrune(work, () => {
      if (this.runs.pruning.isOverdue) this.runs.prune(this.#now)
    })
  }

  /** Deletes in the same transaction: one of its own for each step would wait for the disk again. */
  #transactAndPrune<Result>(work: () => Result, prune: (result: Result) => void): Result {
    const hasPruning = this.#pruner.hasWork || this.keys.hasWork || this.runs.pruning.isOverdue
    if (!hasPruning || performance.now() < this.#pruneFrom) return this.transact(work)
    let isPruning = false
    try {
      return this.transact(() => {
        const result = work()
        isPruning = true
        prune(result)
        isPruning = false
        return result
      })
    } catch (error) {
      if (!isPruning) throw error
      this.#pruneFrom = performance.now() + pruneAgainAfter
      const result = this.transact(work)
      this.#hooks.onPruneFailure(error)
      return result
    }
  }

  /** Returns whether the event existed. */
  remove(connectionId: string, seq: number): boolean {
    const state = this.#states.get(connectionId)
    if (!state) return false
    return this.transact(() => {
      if (this.#remove.run(seq, state.id, state.hiddenUpTo).changes === 0) return false
      this.#states.changing(state)
      state.count--
      this.#deleted(1, seq)
      return true
    })
  }

  /** Hides all events of a connection. Returns how many. */
  clear(connectionId: string): number {
    const state = this.#states.get(connectionId)
    if (!state || state.count === 0) return 0
    return this.transact(() => {
      this.#hide.run(this.#newestSeq, state.id)
      this.#states.changing(state)
      const hidden = state.count
      Object.assign(state, { count: 0, hiddenUpTo: this.#newestSeq, hasHidden: true })
      this.#pruner.consider(state)
      return hidden
    })
  }

  count(connectionId: string): number {
    return this.#states.get(connectionId)?.count ?? 0
  }

  /** Returns how many events these connections have; null for all. */
  countAll(connectionIds: readonly string[] | null): number {
    const counts =
      connectionIds?.map(id => this.count(id)) ?? Array.from(this.#states.all(), ({ count }) => count)
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Makes a small durable write. */
  probe(): void {
    this.transact(() => this.#probe.run())
  }

  retain(retentions: ReadonlyMap<string, Retention>, now: number): void {
    for (const [connectionId, { maxEvents, maxDays }] of retentions) {
      const state = this.#states.setBounds(connectionId, { maxEvents, maxAge: maxDays * dayMs })
      if (!state) continue
      this.#now = this.#time.at(now)
      state.checkAge = true
      this.#pruner.consider(state)
    }
  }

  /** Updates the time, so that events are pruned by age even if none arrives. */
  tick(now: number): void {
    this.#now = this.#time.at(now)
    this.#pruner.considerAges(this.#now)
    this.runs.pruning.considerAges()
    this.keys.considerAges()
  }

  get hasPruningLeft(): boolean {
    return this.#pruner.hasWork || this.keys.hasWork || this.runs.pruning.hasWork
  }

  /** Whether figures of workflows can be read ahead. */
  get hasReadingLeft(): boolean {
    return this.#now !== Number.NEGATIVE_INFINITY && this.runs.counters.hasUnread
  }

  readStep(): void {
    if (this.hasReadingLeft) this.runs.counters.readNext(this.#now)
  }

  /** Deletes up to `stepRows` events, and some runs, that are beyond a bound. */
  pruneStep(): void {
    this.transact(() => {
      this.#deleteAlong(1, 1)
      this.keys.prune(this.#now)
      this.runs.prune(this.#now)
    })
  }

  /** Runs a transaction. If it fails, the state in memory is rolled back as well. */
  transact<Result>(work: () => Result): Result {
    const newestBefore = this.#newestSeq
    try {
      const result = this.#transaction(() => {
        const done = work()
        this.runs.flush()
        return done
      })
      this.#states.committed()
      this.runs.committed()
      this.#hooks.onRunsWaiting(this.runs.waiting)
      return result
    } catch (error) {
      this.#newestSeq = newestBefore
      this.#states.rolledBack()
      this.runs.rolledBack()
      this.keys.rolledBack()
      throw error
    }
  }

  /** Returns how many events and runs were inserted, and what each batch has left out. */
  #insertAll(batches: readonly AppendBatch[]) {
    let rows = 0
    let inserted = 0
    const leftOut = []
    for (const batch of batches) {
      const without = this.keys.keep(batch[5])
      leftOut.push(without)
      for (const row of rowsOf(batch)) {
        if (without?.events.has(row.seq)) continue
        this.#insertRow(row)
        rows++
        const original = without?.duplicates.get(row.seq)
        if (original !== undefined) this.#mark.run(original, row.seq)
      }
      const runs = [...runsOf(batch)].filter(
        ({ id, event }) => !without?.runs.has(id) && !(event !== null && without?.events.has(event)),
      )
      this.runs.insertAll(runs)
      inserted += runs.length
    }
    return { rows, runs: inserted, leftOut }
  }

  #insertRow(row: BatchRow): void {
    const state = this.#states.getOrInsert(row.connectionId)
    const insert = typeof row.body === 'string' ? this.#insert : this.#insertBytes
    insert.run(
      row.seq,
      state.id,
      toStored(row.eventName),
      row.receivedAt,
      row.flags,
      toStoredOrNull(row.replayOf),
      toStored(row.headerLines),
      typeof row.body === 'string' ? toStored(row.body) : row.body,
    )
    this.#states.changing(state)
    state.count++
    if (state.count > state.maxEvents) this.#pruner.consider(state)
    this.#newestSeq = row.seq
  }

  #deleteAlong(atMost: number, worthwhile = stepRows): void {
    for (let rows = 0; rows < atMost; ) {
      const deletion = this.#pruner.step(this.#now, worthwhile)
      if (!deletion) return
      this.#deleted(deletion.rows, deletion.upTo)
      rows += Math.max(1, deletion.rows)
    }
  }

  #deleted(rows: number, upTo: number): void {
    // The newest id must outlive its row, or a restart could assign it again.
    if (upTo >= this.#newestSeq) this.#keepNewest.run(this.#newestSeq)
    this.#hooks.onDeleted(rows)
  }
}
