import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { ClaimedRun, EndedPending, EndedRun } from '#main/storage/runs.ts'
import { failureOf } from './decide-at-once.ts'
import { type Control, type ExecutionParts, execute, RunLeft } from './execute.ts'

export type RunnerParts = Omit<ExecutionParts, 'onChange'> & {
  /** Ends the run of a fan-out that needs no execution; returns null for any other. */
  readonly decide: (run: ClaimedRun) => EndedRun | null
  /** Called after each change of a run; with null after changes of several. */
  readonly onChange: (runId: string | null) => void
  /** Calls back after so many milliseconds; returns what cancels it. */
  readonly after: (delayMs: number, callback: () => void) => () => void
}

export type Runner = {
  /** Claims runs that are due now or become due. */
  wake(): void
  /** Interrupts active runs and the requests they are making. It cancels those whose workflow was deleted. */
  interrupt(isOver: (run: ClaimedRun) => boolean): void
  /** Claims no more, waits for the steps under way, and interrupts those that take longer than the grace period. */
  stop(): Promise<void>
}

/** Maximum number of runs that execute in parallel, over all lanes. */
const maxActive = 256
/** How many are claimed at once while events arrive: an event waits until those that end together are stored. */
const claimsWhileBusy = 64
const busyForMs = 1000
const leaseMs = 30_000
const renewMs = 10_000
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
  const active = new Map<string, { run: ClaimedRun; controller: AbortController; done: Promise<void> }>()
  let isClaiming = false
  let isWoken = false
  let isStopped = false
  let busyUntil = 0
  let cancelSleep = () => {}
  let cancelRenewal = () => {}
  /** The newest `endAll`. */
  let ending: Promise<void> = Promise.resolve()

  function wake(): void {
    if (isStopped) return
    isWoken = true
    if (!isClaiming) void claimAll()
  }

  async function claimAll(): Promise<void> {
    isClaiming = true
    cancelSleep()
    let sleepMs = idleMs
    try {
      while (isWoken && !isStopped && active.size < maxActive) {
        isWoken = false
        const room = Math.min(maxActive - active.size, clock() < busyUntil ? claimsWhileBusy : maxActive)
        const { runs: claimed, nextDueAt } = await runs.claim(room, leaseMs)
        if (runs.isAppending()) busyUntil = clock() + busyForMs
        await beginAll(claimed)
        if (claimed.length === room) isWoken = true
        if (nextDueAt !== null) sleepMs = Math.min(idleMs, Math.max(0, nextDueAt - clock()))
      }
    } catch (error) {
      onError(error)
    } finally {
      isClaiming = false
    }
    if (!isStopped) cancelSleep = after(sleepMs, wake)
  }

  /** Begins runs. Those of fan-outs that need no execution end together instead. */
  async function beginAll(claimed: readonly ClaimedRun[]): Promise<void> {
    const ended: (ClaimedRun & { startedAt: number; ended: EndedRun })[] = []
    for (const run of claimed) {
      // Claims of pending runs are not durable, so they can be left.
      if (isStopped) return
      const end = run.isPending === true ? await slices.run(() => decide(run)) : null
      if (end === null) begin(run)
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
      const failure = kept[index] === true ? failureOf(run.ended) : null
      if (failure !== null) parts.onFailed(run, failure)
    }
    parts.onChange(null)
    wake()
  }

  /** Makes the claim of a run durable before its first effect. */
  async function executeDurably(run: ClaimedRun, control: Control): Promise<void> {
    if (run.isPending === true && !(await runs.record(run, []))) return
    await execute(parts, run, control)
  }

  function begin(run: ClaimedRun): void {
    const controller = new AbortController()
    const control = { signal: controller.signal, isStopping: () => isStopped, slices }
    // Begins once the run is among the active ones, so that it can be interrupted from its first step on.
    const done = Promise.resolve()
      .then(() => executeDurably(run, control))
      .catch(error => {
        if (!(error instanceof RunLeft)) onError(error)
      })
      .then(() => {
        active.delete(run.runId)
        parts.onChange(run.runId)
        wake()
      })
    if (active.size === 0) {
      cancelRenewal()
      renewLater()
    }
    active.set(run.runId, { run, controller, done })
    parts.onChange(run.runId)
  }

  function renewLater(): void {
    cancelRenewal = after(renewMs, () => void renew())
  }

  async function renew(): Promise<void> {
    const held = [...active.values()]
    try {
      const kept = new Set(
        await runs.renew(
          held.map(({ run }) => run),
          leaseMs,
        ),
      )
      for (const { run, controller } of held) if (!kept.has(run.runId)) controller.abort()
    } catch (error) {
      onError(error)
    }
    if (active.size > 0 && !isStopped) renewLater()
  }

  return {
    wake,
    interrupt(isOver) {
      for (const { run, controller } of active.values()) if (isOver(run)) controller.abort()
    },
    async stop() {
      isStopped = true
      cancelSleep()
      const interruptAll = () => {
        for (const { controller } of active.values()) controller.abort()
      }
      const cancelGrace = after(stopGraceMs, interruptAll)
      await Promise.all([...active.values()].map(({ done }) => done))
      await ending
      cancelGrace()
      cancelRenewal()
    },
  }
}
