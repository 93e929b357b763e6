import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import type { UnhandledEvents } from '#shared/model/workflow-figures.ts'
import { useConnectionsById } from '../../entities/connection/use-connections.ts'
import type { useWorkflowOverview } from '../../entities/workflow/use-workflows.ts'
import { ClockTime, Unknown } from '../../ui/badges.tsx'
import { formatNumber } from '../../ui/format.ts'
import table from '../../ui/list-table.module.css'
import { TableHead } from '../../ui/list-table.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import { useSwitchWorkflow } from './use-update-workflow.ts'
import classes from './workflow-table.module.css'

const columns = [
  { head: 'Event' },
  { head: 'Connection', width: 240, className: classes.connection },
  { head: 'Received', width: 76, isNumber: true },
  { head: 'Last', width: 124, className: classes.lastAt },
  { head: 'Workflow', width: 132, isHeadHidden: true },
]

/** Lists the events of the last 24 hours that no workflow takes, each with the way to one. */
export function UnhandledEventList({
  overview,
}: {
  readonly overview: ReturnType<typeof useWorkflowOverview>
}) {
  const { data } = overview
  const connectionOf = useConnectionsById(data?.untakenEvents.map(({ connectionId }) => connectionId) ?? [])
  const list = useRef<HTMLTableElement>(null)
  useShortcut(
    { keys: 'w', label: 'Go to the events that start nothing', group: 'Workflows' },
    () => list.current?.querySelector('button')?.focus(),
    data !== undefined && data.untakenEvents.length > 0,
  )
  if (data === undefined)
    return <QueryState query={overview} failed="The runs and the received events cannot be shown" />
  if (data.untakenEvents.length === 0) return null
  return (
    <section className={classes.unhandled}>
      <div className={classes.unhandledHead}>
        <h3 className="h3" id="unhandled-events">
          Events that start nothing
        </h3>
        <span className="sm t3">received in the last 24 hours, taken by no workflow</span>
      </div>
      <table ref={list} className={table.table} aria-labelledby="unhandled-events">
        <TableHead columns={columns} />
        <tbody>
          {data.untakenEvents.map(events => (
            <UnhandledRow
              key={`${events.connectionId} ${events.eventName}`}
              events={events}
              name={connectionOf?.(events.connectionId)?.name}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function UnhandledRow({
  events,
  name,
}: {
  readonly events: UnhandledEvents
  readonly name: string | undefined
}) {
  const { connectionId, eventName, received, lastAt, declared, disabledWorkflowId } = events
  const navigate = useNavigate()
  const switchWorkflow = useSwitchWorkflow()
  return (
    <tr>
      <td data-head="Event">
        <div className="row">
          <code className={`cut ${classes.code}`}>{eventName}</code>
          {disabledWorkflowId !== null && <span className="sm t3 nowrap">its workflow is disabled</span>}
          {!declared && <span className="sm warn nowrap">Not declared</span>}
        </div>
      </td>
      <td data-head="Connection" className={`${classes.connection} cut`}>
        {name ?? <Unknown />}
      </td>
      <td data-head="Received" data-card="half" className={table.number}>
        {formatNumber(received)}
      </td>
      <td data-head="Last" data-card="half" className={`num ${classes.lastAt}`}>
        <ClockTime at={lastAt} />
      </td>
      <td data-head="Workflow" data-card="side" className={classes.start}>
        {disabledWorkflowId !== null ? (
          <WriteButton
            size="xs"
            aria-label={`Enable workflow on ${eventName}`}
            onClick={() => switchWorkflow(disabledWorkflowId, true)}
          >
            Enable workflow
          </WriteButton>
        ) : (
          <Button
            size="xs"
            aria-label={`New workflow on ${eventName}`}
            onClick={() => void navigate({ to: '/workflows/new', search: { connectionId, eventName } })}
          >
            New workflow
          </Button>
        )}
      </td>
    </tr>
  )
}
