import type { ClaimedRun, EndedRun, RunStore } from '#main/storage/runs.ts'

/** The workflows of each event. The runs of the first two are carried out, and the others only decide. */
export const workflowIds = Array.from({ length: 20 }, (_, index) => `wf_${index}`)
const carriedOut = workflowIds.slice(0, 2)

export function decide({ workflowId, startedAt }: ClaimedRun): EndedRun | null {
  if (carriedOut.includes(workflowId) || startedAt === null) return null
  return { state: 'succeeded', endedAt: startedAt, error: null, discard: false, steps: [] }
}

/**
 * Claims runs and ends them. Returns whether there were any, decided ones aside.
 *
 * @param onClaimed is called with those that are claimed. @param onEnded is called with the id of each that has ended.
 */
export async function workOn(
  runs: RunStore,
  onClaimed: (claimed: readonly ClaimedRun[]) => void,
  onEnded: (runId: string) => void,
): Promise<boolean> {
  const { runs: claimed, nextDueAt } = await runs.claim(30, 10_000, decide)
  onClaimed(claimed)
  await Promise.all(
    claimed.map(async run => {
      const end = { state: 'succeeded', endedAt: run.startedAt ?? 0, error: null, discard: false } as const
      if ((await runs.record(run, [])) && (await runs.finish(run, end))) onEnded(run.runId)
    }),
  )
  return claimed.length > 0 || nextDueAt !== null
}
