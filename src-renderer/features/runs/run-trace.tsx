import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Run, RunDetails } from '#shared/model/run.ts'
import classes from './runs.module.css'
import { type TraceStage, traceOf } from './trace.ts'
import { useRunsPlace } from './use-runs-place.ts'

/** The way of the event, from its request to the calls, with a link to each stage. */
export function RunTrace(props: {
  readonly run: RunDetails
  /** All runs of the event; undefined until they are loaded. */
  readonly ofEvent: readonly Run[] | undefined
  readonly now: number
  readonly hasWorkflow: boolean
  readonly onCalls: () => void
}) {
  const { run, ofEvent, now, hasWorkflow, onCalls } = props
  const { connectionId, eventId, workflowId, runId } = run
  const { search } = useRunsPlace()
  const others = ofEvent?.filter(other => other.runId !== runId) ?? []

  function linkOf({ id, title, tone }: TraceStage): ReactNode {
    if (id === 'request' && eventId !== null && connectionId !== null)
      return (
        <Link
          className="link"
          to="/connections/$connectionId/activity"
          params={{ connectionId }}
          search={{ item: eventId }}
        >
          {title}
        </Link>
      )
    if (id === 'trigger' && hasWorkflow)
      return (
        <Link className="link" to="/workflows/$workflowId" params={{ workflowId }}>
          {title}
        </Link>
      )
    if (id === 'calls' && tone !== 'off')
      return (
        <button type="button" className="link" onClick={onCalls}>
          {title}
        </button>
      )
    const [other, ...more] = others
    if (id === 'others' && other !== undefined && eventId !== null)
      return (
        <Link
          className="link"
          to="/workflows/runs"
          search={more.length === 0 ? { ...search, run: other.runId } : { event: eventId, run: runId }}
        >
          {title}
        </Link>
      )
    return <span className="w5">{title}</span>
  }
  return (
    <div className={classes.section}>
      <ol className={classes.trace} aria-label="From the request to the calls">
        {traceOf(run, ofEvent, now).map(stage => (
          <li key={stage.id} data-tone={stage.tone}>
            <div className="cut">{linkOf(stage)}</div>
            <div className="t3 num cut">{stage.isName ? <code>{stage.detail}</code> : stage.detail}</div>
          </li>
        ))}
      </ol>
    </div>
  )
}
