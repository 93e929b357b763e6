import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { runLabel } from '../../entities/run/run-labels.ts'
import { StatusIcon, statusColor } from '../../entities/run/status-icon.tsx'
import { useWorkflowName } from '../../entities/workflow/use-workflows.ts'
import { Fact } from '../../ui/fact.tsx'
import { formatCount } from '../../ui/format.ts'
import classes from './detail.module.css'

const mostShown = 5

/** Returns the runs that an event started, newest first; undefined until they are loaded. */
export function useEventRuns(eventId: string) {
  const { data } = useQuery(api.runs.list.queryOptions({ input: { eventId, limit: 200 } }))
  return data?.runs
}

/** The runs that an event started, each with a link, and a link to a new workflow for such events. */
export function EventRuns(props: { readonly eventId: string; readonly eventName: string }) {
  const { eventId, eventName } = props
  const { connectionId } = useCurrentConnection()
  const runs = useEventRuns(eventId)
  const nameOf = useWorkflowName()
  if (runs === undefined) return null
  return (
    <Fact name="Runs">
      <ul aria-label="Runs of this event">
        {runs.slice(0, mostShown).map(run => (
          <li key={run.runId} className={`row ${classes.run}`}>
            <StatusIcon status={run.status} isNamed />
            <Link className="link cut" to="/workflows/runs" search={{ event: eventId, run: run.runId }}>
              {nameOf(run.workflowId)}
            </Link>
            <span className={`nowrap ${statusColor(run.status)}`}>{runLabel(run)}</span>
          </li>
        ))}
      </ul>
      {runs.length > mostShown && (
        <>
          <Link className="link" to="/workflows/runs" search={{ event: eventId }}>
            All {formatCount(runs.length, 'run')}
          </Link>
          {' · '}
        </>
      )}
      {runs.length === 0 && 'None · '}
      <Link className="link" to="/workflows/new" search={{ connectionId, eventName, eventId }}>
        Start a workflow
      </Link>
      {' · '}
      <Link className="link" to="/story/$id" params={{ id: eventId }}>
        Show the story
      </Link>
    </Fact>
  )
}
