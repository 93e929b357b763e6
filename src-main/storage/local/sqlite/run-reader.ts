import type { DatabaseSync } from 'node:sqlite'
import { type Run, type RunDetails, type RunQuery, runStates } from '#main/storage/runs.ts'
import { reading } from './damaged-log.ts'
import { numberOfRunId, runOf, state as states, stepOf } from './run-rows.ts'
import { fromStoredOrNull } from './stored-text.ts'

/** Reads runs, in the reader's thread. */
export class RunReader {
  readonly #one
  readonly #steps
  readonly #all
  readonly #ofState
  readonly #ofWorkflow
  readonly #ofConnection

  constructor(database: DatabaseSync) {
    const select = (which: string) =>
      database.prepare(`SELECT * FROM runs WHERE ${which} id < ? ORDER BY id DESC LIMIT ?`)
    this.#one = database.prepare('SELECT * FROM runs WHERE id = ?')
    this.#steps = database.prepare('SELECT * FROM run_steps WHERE run = ? ORDER BY rowid')
    this.#all = select('')
    this.#ofState = select('state = ? AND')
    this.#ofWorkflow = select('workflow = ? AND (?2 IS NULL OR connection = ?2) AND state = ?3 AND')
    this.#ofConnection = select('connection = ? AND state = ? AND')
  }

  get(id: number): RunDetails | null {
    return reading(() => {
      const row = this.#one.get(id)
      if (row === undefined) return null
      return { ...runOf(row), data: fromStoredOrNull(row.data), steps: this.#steps.all(id).map(stepOf) }
    })
  }

  /** Returns up to `most` runs with ids below `before`, newest first. */
  list({ workflowId, connectionId, state }: RunQuery, before: number, most: number): Run[] {
    const find = (one: number) => {
      if (workflowId !== undefined)
        return this.#ofWorkflow.all(workflowId, connectionId ?? null, one, before, most)
      if (connectionId !== undefined) return this.#ofConnection.all(connectionId, one, before, most)
      return this.#ofState.all(one, before, most)
    }
    return reading(() => {
      if (workflowId === undefined && connectionId === undefined && state === undefined)
        return this.#all.all(before, most).map(runOf)
      // The indexes are in the order of the ids only within one state.
      const wanted = state === undefined ? runStates : [state]
      return wanted
        .flatMap(one => find(states[one]).map(runOf))
        .sort((one, other) => (numberOfRunId(other.runId) ?? 0) - (numberOfRunId(one.runId) ?? 0))
        .slice(0, most)
    })
  }
}
