import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { state } from './run-rows.ts'
import { fromStored, integer, StoredValueError } from './stored-text.ts'

type Row = Record<string, SQLOutputValue>

/** A stored list of workflows. Its texts are parsed once, as long as they do not change. */
type List = {
  workflows: readonly string[]
  passedText: string
  passed: readonly number[]
}

/** Which pending runs to read. */
export type PendingSelection = { readonly workflowId?: string; readonly event?: number }

/** Reads the pending runs of fan-outs (fan-outs.ts), in the reader's thread, as rows of the table of runs. */
export class PendingRuns {
  readonly #statements
  readonly #lists = new Map<number, List>()

  constructor(database: DatabaseSync) {
    this.#statements = prepare(database)
  }

  /** Returns a pending run as a waiting one; undefined if there is none with this id. */
  row(id: number): Row | undefined {
    const fanOut = this.#statements.upTo.get(id)
    if (fanOut === undefined) return undefined
    const record = integer(fanOut.id)
    const list = this.#list(integer(fanOut.list))
    const workflow = list?.workflows[id - record]
    if (list === undefined || workflow === undefined || !this.#isPending(list, record, id - record))
      return undefined
    return {
      ...fanOut,
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
      const record = integer(row.id)
      const list = this.#list(integer(row.list))
      if (list === undefined) continue
      for (let index = Math.min(list.workflows.length, below - record) - 1; index >= 0; index--) {
        if (record + index < first || ids.length === limit) return ids
        if (this.#isPending(list, record, index)) ids.push(record + index)
      }
    }
    return ids
  }

  #idsOf(workflowId: string, below: number, first: number, limit: number): number[] {
    const ids: number[] = []
    for (const row of this.#statements.lists.all()) {
      const id = integer(row.id)
      const list = this.#list(id)
      const index = list?.workflows.indexOf(workflowId) ?? -1
      if (list === undefined || index === -1) continue
      const after = Math.max(list.passed[index] ?? 0, first - index - 1)
      let found = 0
      for (const one of this.#statements.ofList.iterate(id, after, below - index)) {
        if (found === limit) break
        const run = integer(one.id) + index
        if (this.#statements.early.get(run) !== undefined) continue
        ids.push(run)
        found++
      }
    }
    return ids.sort((a, b) => b - a).slice(0, limit)
  }

  #isPending({ passed }: List, record: number, index: number): boolean {
    return record > (passed[index] ?? 0) && this.#statements.early.get(record + index) === undefined
  }

  #list(id: number): List | undefined {
    const row = this.#statements.list.get(id)
    if (row === undefined) {
      this.#lists.delete(id)
      return undefined
    }
    const passedText = fromStored(row.passed)
    const known = this.#lists.get(id)
    if (known?.passedText === passedText) return known
    const workflows =
      known?.workflows ?? parsed(fromStored(this.#statements.workflows.get(id)?.workflows)).map(String)
    const list = { workflows, passedText, passed: parsed(passedText).map(Number) }
    this.#lists.set(id, list)
    return list
  }
}

/** @throws StoredValueError */
function parsed(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list
  } catch {}
  throw new StoredValueError('The workflows of an event cannot be read.')
}

function prepare(database: DatabaseSync) {
  return {
    upTo: database.prepare('SELECT * FROM fan_outs WHERE id <= ? ORDER BY id DESC LIMIT 1'),
    newest: database.prepare('SELECT id, list FROM fan_outs WHERE id < ? ORDER BY id DESC'),
    ofEvent: database.prepare('SELECT id, list FROM fan_outs WHERE id < ? AND event = ? ORDER BY id DESC'),
    ofList: database.prepare('SELECT id FROM fan_outs WHERE list = ? AND id > ? AND id < ? ORDER BY id DESC'),
    lists: database.prepare('SELECT id FROM workflow_lists'),
    list: database.prepare('SELECT passed FROM workflow_lists WHERE id = ?'),
    workflows: database.prepare('SELECT workflows FROM workflow_lists WHERE id = ?'),
    early: database.prepare('SELECT id FROM early_runs WHERE id = ?'),
  }
}
