import { useQueries } from '@tanstack/react-query'
import type { Method } from '#shared/model/action.ts'
import { type ActionStep, type HttpStep, type Step, walkSteps } from '#shared/model/workflow.ts'
import { api } from '../../client/client.ts'

/** Returns the method of a step's call; null until it is known, or for an action that is gone. */
export type MethodOf = (step: ActionStep | HttpStep) => Method | null

const noSteps: readonly Step[] = []

/** Returns a function that knows the method of each call of a workflow. */
export function useMethods(steps: readonly Step[] | null): MethodOf {
  const called = new Set(
    Array.from(walkSteps(steps ?? noSteps), ({ step }) =>
      step.type === 'action' ? step.connectionId : null,
    ),
  )
  called.delete(null)
  const connectionIds = [...called].filter(id => id !== null)
  const answers = useQueries({
    queries: connectionIds.map(connectionId => api.actions.list.queryOptions({ input: { connectionId } })),
  })
  return step => {
    if (step.type === 'http') return step.method
    const actions = answers[connectionIds.indexOf(step.connectionId)]?.data
    return actions?.find(({ toolName }) => toolName === step.toolName)?.method ?? null
  }
}
