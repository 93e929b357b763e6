import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../../client/client.ts'
import type { StepFigures } from './builder-context.ts'

/** Returns how often a workflow and its steps ran. Null: not known, as of a new workflow. */
export function useFigures(workflowId: string | null) {
  const input = workflowId === null ? skipToken : { workflowId }
  const { data: figures } = useQuery(api.workflows.steps.queryOptions({ input }))
  const { data: counts } = useQuery(api.runs.counts.queryOptions({ input }))
  const steps = useMemo(
    () =>
      figures === undefined ? null : new Map<string, StepFigures>(figures.steps.map(one => [one.key, one])),
    [figures],
  )
  const ended = counts && counts.succeeded + counts.failed + counts.cancelled
  return {
    steps,
    /** Runs that have ended or not. */
    runs: counts && ended !== undefined ? ended + counts.queued + counts.waiting + counts.running : null,
    ended: ended ?? null,
    succeeded: counts?.succeeded ?? null,
  }
}

export type Figures = ReturnType<typeof useFigures>
