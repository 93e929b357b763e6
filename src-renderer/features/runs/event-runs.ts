import type { Run } from '#shared/model/run.ts'
import { formatCount } from '../../ui/format.ts'
import { sumUp, type TraceStage } from './trace.ts'

/** Returns the runs of an event as the last stage of its way: “2 runs”, “1 waiting, 1 succeeded”. */
export function runsStage(
  runs: readonly Pick<Run, 'status'>[],
): Pick<TraceStage, 'detail' | 'tone'> & { readonly name: string } {
  if (runs.length === 0) return { name: 'No runs', detail: 'no workflow matched', tone: 'off' }
  return { name: formatCount(runs.length, 'run'), ...sumUp(runs) }
}
