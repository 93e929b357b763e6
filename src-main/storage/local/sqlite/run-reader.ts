import type { DatabaseSync } from 'node:sqlite'
import { type Run, type RunDetails, type RunState, runStates } from '#main/storage/runs.ts'
import { reading } from './damaged-log.ts'
import { numberOfRunId, runOf, state as states, stepOf, textOrNull } from './run-rows.ts'

export type RunListQuery = {
  readonly workflowId: string | null
  readonly connectionId: string | null
  readonly state: RunState | null
  /** Only runs with a smaller id. */
  readonly before: number
  readonly limit: number
}

/** The questions about runs, in the reader's thread. */
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
    this.#steps = database.prepare('SELECT * FROM run_steps WHERE run = ? ORDER BY path, attempt')
    this.#all = select('')
    this.#ofState = select('state = ? AND')
    this.#ofWorkflow = select('workflow = ? AND (?2 IS NULL OR connection = ?2) AND state = ?3 AND')
    this.#ofConnection = select('connection = ? AND state = ? AND')
  }

  get(id: number): RunDetails | null {
    return reading(() => {
      const row = this.#one.get(id)
      if (row === undefined) return null
      return { ...runOf(row), data: textOrNull(row.data), steps: this.#steps.all(id).map(stepOf) }
    })
  }

  /** Newest first; one more than the limit where there are more. */
  list({ workflowId, connectionId, state, before, limit }: RunListQuery): Run[] {
    const most = limit + 1
    const find = (one: number) => {
      if (workflowId !== null) return this.#ofWorkflow.all(workflowId, connectionId, one, before, most)
      if (connectionId !== null) return this.#ofConnection.all(connectionId, one, before, most)
      return this.#ofState.all(one, before, most)
    }
    return reading(() => {
      if (workflowId === null && connectionId === null && state === null)
        return this.#all.all(before, most).map(runOf)
      // The indexes are in the order of the ids for each state alone.
      const wanted = state === null ? runStates : [state]
      return wanted
        .flatMap(one => find(states[one]).map(runOf))
        .sort((one, other) => (numberOfRunId(other.runId) ?? 0) - (numberOfRunId(one.runId) ?? 0))
        .slice(0, most)
    })
  }
}
