import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { state } from '../../rows/run-rows.ts'
import { fromStored, integer, StoredValueError } from '../../rows/stored-text.ts'
import { entriesOf } from './fan-out-list.ts'

type Row = { [column: string]: SQLOutputValue }

/** A stored list of workflows. Its texts are parsed once, as long as they do not change. */
type List = {
  readonly workflows: readonly string[]
  readonly indexes: ReadonlyMap<string, number>
  readonly passedText: string
  readonly passed: readonly number[]
  readAt: number
}

/** A fan-out, and its runs that are stored before earlier ones of their workflow. */
type FanOut = {
  readonly id: number
  readonly row: Row
  readonly list: List
  readonly early: ReadonlySet<number>
  readonly readAt: number
}

/** Milliseconds for which what was read is used again: a list looks at thousands of runs of the same records. */
const freshFor = 5

/** Which pending runs to read. */
export type PendingSelection = { readonly workflowId?: string; readonly event?: number }

/** Reads the pending runs of fan-outs (fan-outs.ts), in the reader's thread, as rows of the table of runs. */
export class PendingRuns {
  readonly #statements
  readonly #lists = new Map<number, List>()
  /** The record that was read last. */
  #newest: FanOut | null = null

  constructor(database: DatabaseSync) {
    this.#statements = prepare(database)
  }

  /** Returns a pending run as a waiting one; undefined if there is none with this id. */
  row(id: number): Row | undefined {
    const record = this.#recordUpTo(id)
    const workflow = record?.list.workflows[id - record.id]
    if (record === undefined || workflow === undefined || !isPending(record, id - record.id)) return undefined
    return {
      ...record.row,
      ...{ id, workflow, lane: workflow, state: state.waiting, due_at: 0, attempt: 0 },
      ...{ started_at: null, ended_at: null, error: null, steps: null },
    }
  }

  /** Returns up to `limit` ids of pending runs below one and not below another, newest first. */
  ids({ workflowId, event }: PendingSelection, below: number, first: number, limit: number): number[] {
    if (workflowId !== undefined) return this.#idsOf(workflowId, below, first, limit)
    const ids: number[] = []
    const { newest, ofEvent } = this.#statements
    for (const row of event === undefined ? newest.iterate(below) : ofEvent.iterate(below, event)) {
      const record = this.#recordOf(row)
      if (record === undefined) continue
      for (let index = Math.min(record.list.workflows.length, below - record.id) - 1; index >= 0; index--) {
        if (record.id + index < first || ids.length === limit) return ids
        if (isPending(record, index)) ids.push(record.id + index)
      }
    }
    return ids
  }

  #idsOf(workflowId: string, below: number, first: number, limit: number): number[] {
    const ids: number[] = []
    for (const row of this.#statements.lists.all()) {
      const id = integer(row.id)
      const list = this.#list(id)
      const index = list?.indexes.get(workflowId)
      if (list === undefined || index === undefined) continue
      const after = Math.max(list.passed[index] ?? 0, first - index - 1)
      let found = 0
      for (const one of this.#statements.ofList.iterate(id, after, below - index)) {
        if (found === limit) break
        const run = integer(one.id) + index
        if (this.#statements.early.get(run, run) !== undefined) continue
        ids.push(run)
        found++
      }
    }
    return ids.sort((a, b) => b - a).slice(0, limit)
  }

  #recordUpTo(id: number): FanOut | undefined {
    const known = this.#newest
    const isFresh = known !== null && performance.now() < known.readAt + freshFor
    if (isFresh && known.id <= id && id < known.id + known.list.workflows.length)
      return this.#statements.exists.get(known.id) && known
    const row = this.#statements.upTo.get(id)
    return row === undefined ? undefined : this.#recordOf(row)
  }

  #recordOf(row: Row): FanOut | undefined {
    const id = integer(row.id)
    const list = this.#list(integer(row.list))
    if (list === undefined) return undefined
    const early = this.#statements.early.all(id, id + list.workflows.length - 1)
    const record = { id, row, list, early: new Set(early.map(one => integer(one.id))), readAt: list.readAt }
    this.#newest = record
    return record
  }

  #list(id: number): List | undefined {
    const known = this.#lists.get(id)
    const now = performance.now()
    if (known !== undefined && now < known.readAt + freshFor) return known
    const row = this.#statements.list.get(id)
    if (row === undefined) {
      this.#lists.delete(id)
      return undefined
    }
    const passedText = fromStored(row.passed)
    if (known?.passedText === passedText) {
      known.readAt = now
      return known
    }
    const workflows =
      known?.workflows ?? parsed(fromStored(this.#statements.workflows.get(id)?.workflows)).map(String)
    const indexes = known?.indexes ?? new Map(workflows.map((workflow, index) => [workflow, index]))
    const list = { workflows, indexes, passedText, passed: parsed(passedText).map(Number), readAt: now }
    this.#lists.set(id, list)
    return list
  }
}

function isPending({ id, list, early }: FanOut, index: number): boolean {
  return id > (list.passed[index] ?? 0) && !early.has(id + index)
}

/** @throws StoredValueError */
function parsed(text: string): unknown[] {
  const entries = entriesOf(text)
  if (entries === null) throw new StoredValueError('The workflows of an event cannot be read.')
  return entries
}

function prepare(database: DatabaseSync) {
  return {
    upTo: database.prepare('SELECT * FROM fan_outs WHERE id <= ? ORDER BY id DESC LIMIT 1'),
    exists: database.prepare('SELECT id FROM fan_outs WHERE id = ?'),
    newest: database.prepare('SELECT * FROM fan_outs WHERE id < ? ORDER BY id DESC'),
    ofEvent: database.prepare('SELECT * FROM fan_outs WHERE id < ? AND event = ? ORDER BY id DESC'),
    ofList: database.prepare('SELECT id FROM fan_outs WHERE list = ? AND id > ? AND id < ? ORDER BY id DESC'),
    lists: database.prepare('SELECT id FROM workflow_lists'),
    list: database.prepare('SELECT passed FROM workflow_lists WHERE id = ?'),
    workflows: database.prepare('SELECT workflows FROM workflow_lists WHERE id = ?'),
    early: database.prepare('SELECT id FROM early_runs WHERE id BETWEEN ? AND ?'),
  }
}
