import type { Run, RunStatus } from '#shared/model/run.ts'
import { formatCount } from '../../ui/format.ts'

export type TraceTone = 'ok' | 'warn' | 'bad' | 'acc' | 'off'

/** The tone of each status, of runs and of their steps. */
export const statusTones: Readonly<Record<RunStatus, TraceTone>> = {
  queued: 'off',
  running: 'acc',
  waiting: 'warn',
  succeeded: 'ok',
  failed: 'bad',
  cancelled: 'off',
}

type Summary = { readonly detail: string; readonly tone: TraceTone }

const worstFirst: readonly RunStatus[] = ['failed', 'waiting', 'running', 'queued', 'succeeded', 'cancelled']

/** Returns the statuses of runs in words, the worst first, and its tone: “1 failed, 1 succeeded”. */
export function sumUp(runs: readonly Pick<Run, 'status'>[]): Summary {
  const found = worstFirst.flatMap(status => {
    const count = runs.filter(run => run.status === status).length
    return count === 0 ? [] : [{ status, count }]
  })
  const worst = found[0]?.status ?? 'queued'
  return {
    detail: found.length === 1 ? worst : found.map(({ status, count }) => `${count} ${status}`).join(', '),
    tone: statusTones[worst],
  }
}

/**
 * Returns the runs of an event as the last stage of its way: “2 runs”, “1 waiting, 1 succeeded”.
 *
 * @param isDuplicate whether a workflow matched, but had a run with the same key.
 */
export function runsStage(
  runs: readonly Pick<Run, 'status'>[],
  isDuplicate = false,
): Summary & { readonly name: string } {
  const none = isDuplicate ? 'a duplicate' : 'no workflow matched'
  if (runs.length === 0) return { name: 'No runs', detail: none, tone: 'off' }
  return { name: formatCount(runs.length, 'run'), ...sumUp(runs) }
}
