import type { StepAttempt } from '#shared/model/run.ts'
import { isStepType } from '#shared/workflows/steps/kinds.ts'
import { Method, StatusCode } from '../../ui/badges.tsx'
import type { ActionsOf } from '../action/use-actions.ts'
import { viewOf } from '../workflow/steps/views.ts'
import { errorLabel } from './run-labels.ts'
import type { StepRow } from './timeline.ts'

/** The status of a response or the code of an error, and what the error says. */
export function AttemptOutcome({ attempt: { error, endedAt } }: { readonly attempt: StepAttempt }) {
  if (error === null) return endedAt === null ? null : <span className="sm t3">succeeded</span>
  return (
    <>
      <StatusCode status={null} text={errorLabel(error.code)} />
      <span className="sm t3 cut" title={error.message}>
        {error.message}
      </span>
    </>
  )
}

/** Shows what a step does, or why it was not taken. */
export function StepDetail({ row, actionsOf }: { readonly row: StepRow; readonly actionsOf: ActionsOf }) {
  const { step, detail, attempt } = row
  if (attempt?.error != null)
    return (
      <span className="row sm">
        <AttemptOutcome attempt={attempt} />
      </span>
    )
  if (detail !== null)
    return (
      <span className="sm t3 cut" title={detail}>
        {detail}
      </span>
    )
  if (step === null) {
    const { type } = row
    return <span className="sm t3 cut">{isStepType(type) ? viewOf({ type }).name : type}</span>
  }
  const target = viewOf(step).target(step, id => id, actionsOf)
  if (target === null) return null
  return (
    <span className="sm t3 row">
      {target.method !== undefined && <Method method={target.method} />}
      <code className="cut">{target.name}</code>
    </span>
  )
}
