import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { ClaimedRun, EndedPending, EndedRun } from '#main/storage/runs.ts'
import { failureOf } from './decide-at-once.ts'
import { type Control, type ExecutionParts, execute, RunLeft } from './execute.ts'

export type RunnerParts = ExecutionParts & {
  /** Ends the run of a fan-out that needs no execution; returns null for any other. */
  readonly decide: (run: ClaimedRun) => EndedRun | null
  /** Calls back after so many milliseconds; returns what cancels it. */
  readonly after: (delayMs: number, callback: () => void) => () => void
}

export type Runner = {
  /** Claims runs that are due now or become due. */
  wake(): void
  /** Returns how many runs are active. */
  underWay(): number
  /** Interrupts active runs and the requests they are making. It cancels those whose workflow was deleted. */
  interrupt(isOver: (run: ClaimedRun) => boolean): void
  /** Claims no more runs. Those that it has claimed go on. */
  drain(): void
  /** Claims no more, waits for the steps under way, and interrupts those that take longer than the grace period. */
  stop(): Promise<void>
}

/** A run under way, and when its lease ends. */
type Active = {
  readonly run: ClaimedRun
  readonly controller: AbortController
  readonly lease: { until: number }
  readonly done: Promise<void>
}

/** Maximum number of runs that execute in parallel, over all lanes. */
const maxActive = 256
/** How many are claimed at once while events arrive: an event waits until those that end together are stored. */
const claimsWhileBusy = 64
const busyForMs = 1000
const leaseMs = 10_000
const renewMs = 3000
/** Runs are interrupted so long before a lease ends that could not be renewed: another process may claim them then. */
const leaveMs = 1000
/** How long all runs together may compute in a turn of the event loop. */
const sliceMs = 2
/** The longest sleep of an idle runner. It then looks for due runs, even if nobody called `wake`. */
const idleMs = 1000
const stopGraceMs = 5000
/**
 * Creates the runner: it claims runs, interprets their workflows and carries out the steps. Each outcome is stored
 * before the next effect begins, so a run that was interrupted continues at its unfinished step, which may repeat.
 */
export function createRunner(parts: RunnerParts): Runner {
  const { runs, clock, after, onError } = parts
  const slices = createTimeSlices({ sliceMs, isBusy: runs.isAppending.bind(runs) })
  const active = new Map<string, Active>()
  let isClaiming = false
  let isWoken = false
  let isDraining = false
  let isStopped = false
  let busyUntil = 0
  let cancelSleep = () => {}
  let cancelRenewal = () => {}
  let cancelLeaving = () => {}
  /** The newest `endAll`. */
  let ending: Promise<void> = Promise.resolve()

  function wake(): void {
    if (isDraining) return
    isWoken = true
    if (!isClaiming) void claimAll()
  }

  async function claimAll(): Promise<void> {
    isClaiming = true
    cancelSleep()
    let sleepMs = idleMs
    try {
      while (isWoken && !isDraining && active.size < maxActive) {
        isWoken = false
        const room = Math.min(maxActive - active.size, clock() < busyUntil ? claimsWhileBusy : maxActive)
        const claimedAt = clock()
        // Once it stops, a claim under way should soon end.
        const decideInSlice = (run: ClaimedRun) => (isStopped ? null : slices.run(() => decide(run)))
        const { runs: claimed, nextDueAt, ended = [] } = await runs.claim(room, leaseMs, decideInSlice)
        for (const run of ended) parts.onEnded?.(run, 'succeeded')
        if (runs.isAppending()) busyUntil = clock() + busyForMs
        if (active.size === 0 && claimed.length > 0) leaveLater(claimedAt)
        await beginAll(claimed, claimedAt + leaseMs)
        if (claimed.length === room) isWoken = true
        if (nextDueAt !== null) sleepMs = Math.min(idleMs, Math.max(0, nextDueAt - clock()))
      }
    } catch (error) {
      onError(error)
    } finally {
      isClaiming = false
    }
    if (!isDraining) cancelSleep = after(sleepMs, wake)
  }

  function drain(): void {
    isDraining = true
    cancelSleep()
  }

  /** Begins runs. Those of fan-outs that need no execution end together instead. */
  async function beginAll(claimed: readonly ClaimedRun[], leasedUntil: number): Promise<void> {
    const ended: (ClaimedRun & { startedAt: number; ended: EndedRun })[] = []
    for (const run of claimed) {
      // Claims of pending runs are not durable, so they can be left.
      if (isStopped) return
      const end = run.isPending === true ? await slices.run(() => decide(run)) : null
      if (end === null) begin(run, leasedUntil)
      else ended.push({ ...run, startedAt: run.startedAt ?? end.endedAt, ended: end })
    }
    // The next claim need not wait: the store carries it out afterwards.
    if (ended.length > 0 && !isStopped) ending = endAll(ended).catch(onError)
  }

  function decide(run: ClaimedRun): EndedRun | null {
    try {
      return parts.decide(run)
    } catch (error) {
      // It is executed, and fails there.
      onError(error)
      return null
    }
  }

  async function endAll(runsToEnd: readonly (ClaimedRun & EndedPending)[]): Promise<void> {
    const kept = await runs.endPending(runsToEnd)
    for (const [index, run] of runsToEnd.entries()) {
      if (kept[index] !== true) continue
      parts.onEnded?.(run, run.ended.state)
      const failure = failureOf(run.ended)
      if (failure !== null) parts.onFailed(run, failure)
    }
    wake()
  }

  /** Makes the claim of a run durable before its first effect. */
  async function executeDurably(run: ClaimedRun, control: Control): Promise<void> {
    if (run.isPending === true && !(await runs.record(run, []))) return
    await execute(parts, run, control)
  }

  function begin(run: ClaimedRun, leasedUntil: number): void {
    const controller = new AbortController()
    const lease = { until: leasedUntil }
    // What the process has slept through can arrive before the timer that interrupts the run.
    const isStopping = () => isStopped || clock() >= lease.until - leaveMs
    const control = { signal: controller.signal, isStopping, slices }
    // Begins once the run is among the active ones, so that it can be interrupted from its first step on.
    const done = Promise.resolve()
      .then(() => executeDurably(run, control))
      .catch(error => {
        if (!(error instanceof RunLeft)) onError(error)
      })
      .then(() => {
        if (active.get(run.runId)?.run === run) active.delete(run.runId)
        wake()
      })
    if (active.size === 0) {
      cancelRenewal()
      renewLater()
    }
    // After the computer slept, the lease of a run that goes on here may have ended.
    active.get(run.runId)?.controller.abort()
    active.set(run.runId, { run, controller, lease, done })
  }

  /** Interrupts all runs before the leases end that began at this time; a renewal puts it off. */
  function leaveLater(leasedAt: number): void {
    cancelLeaving()
    cancelLeaving = after(Math.max(0, leasedAt + leaseMs - leaveMs - clock()), interruptAll)
  }

  function interruptAll(): void {
    for (const { controller } of active.values()) controller.abort()
  }

  function renewLater(): void {
    cancelRenewal = after(renewMs, () => void renew())
  }

  async function renew(): Promise<void> {
    const held = [...active.values()]
    const renewedAt = clock()
    try {
      const kept = new Set(
        await runs.renew(
          held.map(({ run }) => run),
          leaseMs,
        ),
      )
      for (const { run, controller, lease } of held)
        if (kept.has(run.runId)) lease.until = renewedAt + leaseMs
        else controller.abort()
      leaveLater(renewedAt)
    } catch (error) {
      onError(error)
    }
    if (active.size > 0 && !isStopped) renewLater()
  }

  return {
    wake,
    underWay: () => active.size,
    drain,
    interrupt(isOver) {
      for (const { run, controller } of active.values()) if (isOver(run)) controller.abort()
    },
    async stop() {
      drain()
      isStopped = true
      const cancelGrace = after(stopGraceMs, interruptAll)
      await Promise.all([...active.values()].map(({ done }) => done))
      await ending
      cancelGrace()
      cancelRenewal()
      cancelLeaving()
    },
  }
}
