import { sequenceOfTime } from '#main/lib/sequence.ts'
import type { EndedCounts, WorkflowFigures } from '#main/storage/runs.ts'
import { hourMs, minuteMs } from '#shared/durations.ts'
import { roundedUp } from '../../rows/durations.ts'
import { state } from '../../rows/run-rows.ts'

/** An ended run, as far as it is counted. */
export type EndedRun = {
  readonly id: number
  readonly workflow: string
  readonly lane: string
  /** One of the last three in `state`. */
  readonly state: number
  readonly startedAt: number | null
  readonly endedAt: number
}

type Counts = [succeeded: number, failed: number, cancelled: number]

/** The runs in a workflow's own lane that ended in one clock hour. */
type EndedHour = {
  succeeded: number
  failed: number
  readonly failedByMinute: Map<number, number>
  readonly byDuration: Durations
}
/** The number of runs that succeeded, by `roundedUp` of the milliseconds they took. */
type Durations = Map<number, number>

type Workflow = {
  readonly ended: Counts
  /** By the hour in which their ids begin; null until somebody asks. */
  byStart: Map<number, Counts> | null
  /** Null until somebody asks, or the writer is idle. */
  hours: EndedHours | null
}

/** By clock hour, from the first that was read, and the sum of their durations. */
type EndedHours = {
  from: number
  readonly byHour: Map<number, EndedHour>
  readonly byDuration: Durations
}

const hoursShown = 24
const idsPerHour = sequenceOfTime(hourMs)
/** The hour in which an id begins; also in SQL. */
export const hourOfId = `id / ${idsPerHour}`

/** Reads the stored runs that have ended. */
type Source = {
  /** Counts them by workflow and state. */
  totals(): Iterable<{ readonly workflow: string; readonly state: number; readonly runs: number }>
  /** Counts those of a workflow by state and by `hourOfId`. */
  byStart(
    workflow: string,
  ): Iterable<{ readonly hour: number; readonly state: number; readonly runs: number }>
  /** Counts those in a state with ids from `first` to below `below`. */
  between(workflow: string, state: number, first: number, below: number): number
  /** Returns those in the workflow's own lane that ended at a time or later, without cancelled ones. */
  endedSince(workflow: string, endedAt: number): Iterable<Pick<EndedRun, 'state' | 'startedAt' | 'endedAt'>>
}

/**
 * Counts the ended runs that are stored, in the memory of the writer: to read a million of them takes most of a second. The
 * totals are read when the log is opened, all else when somebody asks first.
 */
export class RunCounters {
  readonly #workflows = new Map<string, Workflow>()
  readonly #unread = new Set<string>()
  readonly #source

  constructor(source: Source) {
    this.#source = source
    for (const { workflow, state, runs } of source.totals()) this.#addTo(workflow, state, runs)
  }

  /** Adds a run, or removes it with -1. */
  add(run: EndedRun, by: 1 | -1): void {
    const { workflow, lane } = run
    const found = this.#addTo(workflow, run.state, by)
    if (found.byStart) {
      const hour = Math.floor(run.id / idsPerHour)
      const counts: Counts = found.byStart.get(hour) ?? [0, 0, 0]
      found.byStart.set(hour, counts)
      counts[run.state - state.succeeded]! += by
      if (counts.every(count => count === 0)) found.byStart.delete(hour)
    }
    if (found.hours && lane === workflow && run.state !== state.cancelled) addEnded(found.hours, run, by)
    // Nobody has asked for a day.
    if (found.hours && found.hours.byHour.size > 2 * hoursShown) this.#forgetHours(workflow, found)
  }

  /** Returns how many runs of a workflow have ended. */
  total(workflow: string): number {
    return this.#workflows.get(workflow)?.ended.reduce((sum, count) => sum + count, 0) ?? 0
  }

  /** Returns the workflows of which some have. */
  workflows(): Iterable<string> {
    return this.#workflows.keys()
  }

  /** Counts the runs of a workflow with ids from `first`. */
  count(workflow: string, first: number): EndedCounts {
    const [succeeded, failed, cancelled] = this.#countsFrom(workflow, first)
    return { succeeded, failed, cancelled }
  }

  #countsFrom(workflow: string, first: number): Counts {
    const found = this.#workflows.get(workflow)
    if (found === undefined) return [0, 0, 0]
    if (first <= 0) return found.ended
    const sum: Counts = [0, 0, 0]
    const firstHour = Math.ceil(first / idsPerHour)
    found.byStart ??= this.#readByStart(workflow)
    for (const [hour, counts] of found.byStart)
      if (hour >= firstHour) for (const [at, count] of counts.entries()) sum[at]! += count
    if (found.byStart.has(firstHour - 1))
      for (const at of sum.keys())
        sum[at]! += this.#source.between(workflow, at + state.succeeded, first, firstHour * idsPerHour)
    return sum
  }

  /** Returns what a workflow did in the 24 clock hours up to `now`, in milliseconds since 1970. */
  figures(workflow: string, now: number): Omit<WorkflowFigures, 'workflowId' | 'lastRun'> {
    const firstHour = Math.floor(now / hourMs) - hoursShown + 1
    const hours = Array.from({ length: hoursShown }, () => ({ succeeded: 0, failed: 0 }))
    const firstMinute = Math.floor((now - hourMs) / minuteMs)
    const read = this.#hoursOf(workflow, firstHour)
    let failedLastHour = 0
    for (const [at, { succeeded, failed, failedByMinute }] of read?.byHour ?? []) {
      const hour = hours[Math.min(at - firstHour, hoursShown - 1)]
      if (hour === undefined) continue
      hour.succeeded += succeeded
      hour.failed += failed
      for (const [minute, count] of failedByMinute) if (minute >= firstMinute) failedLastHour += count
    }
    return { hours, failedLastHour, p95Ms: read === null ? null : p95Of(read.byDuration) }
  }

  get hasUnread(): boolean {
    return this.#unread.size > 0
  }

  /** Reads the runs of one further workflow, so that the first who asks for them need not wait. */
  readNext(now: number): void {
    const [workflow] = this.#unread
    if (workflow === undefined) return
    this.figures(workflow, now)
    this.count(workflow, 1)
  }

  #hoursOf(workflow: string, firstHour: number): EndedHours | null {
    const found = this.#workflows.get(workflow)
    if (found === undefined) return null
    if (found.hours === null || firstHour < found.hours.from) {
      this.#unread.delete(workflow)
      const hours = { from: firstHour, byHour: new Map(), byDuration: new Map() }
      for (const run of this.#source.endedSince(workflow, firstHour * hourMs)) addEnded(hours, run, 1)
      found.hours = hours
    }
    dropBefore(found.hours, firstHour)
    return found.hours
  }

  #readByStart(workflow: string): Map<number, Counts> {
    const byStart = new Map<number, Counts>()
    for (const { hour, state: of, runs } of this.#source.byStart(workflow)) {
      const counts: Counts = byStart.get(hour) ?? [0, 0, 0]
      byStart.set(hour, counts)
      counts[of - state.succeeded]! += runs
    }
    return byStart
  }

  #addTo(workflow: string, of: number, by: number): Workflow {
    const known = this.#workflows.get(workflow)
    const found: Workflow = known ?? { ended: [0, 0, 0], byStart: null, hours: null }
    if (known === undefined) {
      this.#workflows.set(workflow, found)
      this.#unread.add(workflow)
    }
    found.ended[of - state.succeeded]! += by
    if (found.ended.every(count => count === 0)) {
      this.#workflows.delete(workflow)
      this.#unread.delete(workflow)
    }
    return found
  }

  #forgetHours(workflow: string, found: Workflow): void {
    found.hours = null
    this.#unread.add(workflow)
  }
}

function addEnded(
  { from, byHour, byDuration }: EndedHours,
  { state: of, startedAt, endedAt }: Pick<EndedRun, 'state' | 'startedAt' | 'endedAt'>,
  by: 1 | -1,
): void {
  const at = Math.floor(endedAt / hourMs)
  if (at < from) return
  const hour = byHour.get(at) ?? { succeeded: 0, failed: 0, failedByMinute: new Map(), byDuration: new Map() }
  byHour.set(at, hour)
  if (of === state.failed) {
    hour.failed += by
    addTo(hour.failedByMinute, Math.floor(endedAt / minuteMs), by)
  } else {
    hour.succeeded += by
    const ms = roundedUp(endedAt - (startedAt ?? endedAt))
    addTo(hour.byDuration, ms, by)
    addTo(byDuration, ms, by)
  }
  if (hour.succeeded === 0 && hour.failed === 0) byHour.delete(at)
}

function dropBefore(hours: EndedHours, firstHour: number): void {
  hours.from = firstHour
  for (const [at, hour] of hours.byHour) {
    if (at >= firstHour) continue
    for (const [ms, count] of hour.byDuration) addTo(hours.byDuration, ms, -count)
    hours.byHour.delete(at)
  }
}

function addTo(counts: Map<number, number>, key: number, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

/** Returns the duration that 95 of 100 do not exceed; null without any. */
function p95Of(byDuration: Durations): number | null {
  const counts = [...byDuration].sort(([one], [other]) => one - other)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.floor(0.95 * Math.max(0, total - 1))
  for (const [ms, count] of counts) {
    if (left < count) return ms
    left -= count
  }
  return null
}
