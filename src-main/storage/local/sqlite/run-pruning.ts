import type { RunBounds } from '#main/storage/runs.ts'
import type { RunCounters } from './run-counters.ts'

/** While the writer is never idle, a workflow may keep this many times its limit of finished runs. */
const mostTimesBound = 1.05

/** Chooses the finished runs that are deleted. */
export class RunPruning {
  readonly #bounds: RunBounds
  readonly #counters: RunCounters
  /** The workflows that may have runs beyond a bound. */
  readonly #toPrune = new Set<string>()
  /** The workflows that have so many that pruning must not wait for an idle moment. */
  readonly #overdue = new Set<string>()

  constructor(bounds: RunBounds, counters: RunCounters) {
    this.#bounds = bounds
    this.#counters = counters
    for (const workflow of counters.workflows()) this.consider(workflow)
  }

  get hasWork(): boolean {
    return this.#toPrune.size > 0
  }

  /** Whether pruning must not wait until the writer is idle. */
  get isOverdue(): boolean {
    return this.#overdue.size > 0
  }

  /** Call it when the number of a workflow's finished runs has changed. */
  consider(workflow: string): void {
    const finished = this.#counters.total(workflow)
    const { mostPerWorkflow } = this.#bounds
    if (finished > mostPerWorkflow) this.#toPrune.add(workflow)
    if (finished > mostPerWorkflow * mostTimesBound) this.#overdue.add(workflow)
    else this.#overdue.delete(workflow)
  }

  /** Makes the next steps check the age of every workflow's oldest runs. */
  considerAges(): void {
    for (const workflow of this.#counters.workflows()) this.#toPrune.add(workflow)
  }

  /** Returns which runs the next step deletes: the oldest of a workflow that ended before a time. Null for none. */
  next(now: number, atMost: number) {
    const [workflow] = this.isOverdue ? this.#overdue : this.#toPrune
    if (workflow === undefined) return null
    const over = this.#counters.total(workflow) - this.#bounds.mostPerWorkflow
    // Those beyond the number first. A later step checks the age of the others.
    return over > 0
      ? { workflow, most: Math.min(over, atMost), endedBefore: Number.MAX_SAFE_INTEGER }
      : { workflow, most: atMost, endedBefore: now - this.#bounds.maxAgeMs }
  }

  /** Call it when a workflow has no further runs to delete. */
  done(workflow: string): void {
    this.#toPrune.delete(workflow)
    this.#overdue.delete(workflow)
  }
}
