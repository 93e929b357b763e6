import { Switch } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { WorkflowFigures } from '#shared/model/workflow-figures.ts'
import { RelativeTime, Unknown } from '../../ui/badges.tsx'
import { formatDuration, formatNumber } from '../../ui/format.ts'
import { HourBars } from '../../ui/hour-bars.tsx'
import table from '../../ui/list-table.module.css'
import { Pill } from '../../ui/pill.tsx'
import { statusWords } from '../runs/run-words.ts'
import { statusColor } from '../runs/status-icon.tsx'
import { stepsInWords, triggerWords } from './select-workflows.ts'
import { useSwitchWorkflow } from './use-update-workflow.ts'
import type { WorkflowRow } from './use-workflows.ts'
import { WorkflowMenu } from './workflow-menu.tsx'
import classes from './workflow-table.module.css'

type Props = {
  readonly row: WorkflowRow
  readonly isSelected: boolean
  readonly onSelect: (workflowId: string) => void
}

/** A row of the list: the workflow, its runs and its switch. */
export const WorkflowTableRow = memo(function WorkflowTableRow({ row, isSelected, onSelect }: Props) {
  const { workflowId, name, enabled, trigger, connectionName, figures, status } = row
  const switchWorkflow = useSwitchWorkflow()
  return (
    <tr
      className={table.row}
      data-workflow={workflowId}
      data-selected={isSelected || undefined}
      data-off={!enabled || undefined}
      onFocus={() => onSelect(workflowId)}
    >
      <td>
        <div className="col">
          <Link
            to="/workflows/$workflowId"
            params={{ workflowId }}
            className={`${table.open} cut`}
            title={name.length > 24 ? name : undefined}
          >
            {name}
          </Link>
          <span className="sm t3 cut">{stepsInWords(row)}</span>
        </div>
      </td>
      <td className={classes.trigger}>
        <div className="col">
          <span className={trigger.eventName === null ? 'cut' : `mono cut ${classes.code}`}>
            {triggerWords(trigger)}
          </span>
          <span className="sm t3 cut">
            {connectionName === null ? 'Any connection' : (connectionName ?? <Unknown />)}
          </span>
        </div>
      </td>
      <td>{status.label === '–' ? <Unknown /> : <Pill tone={status.tone}>{status.label}</Pill>}</td>
      <td className={classes.day}>
        <div className={`row ${table.above}`} style={{ gap: 12 }}>
          {figures === undefined ? (
            <Unknown />
          ) : (
            <>
              <HourBars hours={runsByHour(figures)} words={runWords} />
              <span className={`num sm t2 ${table.count}`}>{formatNumber(figures.last24h)}</span>
            </>
          )}
        </div>
      </td>
      <td className={classes.last}>
        <LastRun figures={figures} />
      </td>
      <td className={`${classes.p95} ${table.number}`}>
        {figures === undefined ? (
          <Unknown />
        ) : figures.p95Ms === null ? (
          <span className="t3">none</span>
        ) : (
          formatDuration(figures.p95Ms)
        )}
      </td>
      <td>
        <div className={`${table.switches} ${table.above}`}>
          <Switch
            aria-label={`Enable ${name}`}
            checked={enabled}
            onChange={event => switchWorkflow(workflowId, event.currentTarget.checked)}
          />
          <WorkflowMenu workflow={row} />
        </div>
      </td>
    </tr>
  )
})

const runWords = { of: 'Runs', good: 'succeeded', bad: 'failed' }

const runsByHour = ({ hours }: WorkflowFigures) =>
  hours.map(({ succeeded, failed }) => ({ good: succeeded, bad: failed }))

function LastRun({ figures }: { readonly figures: WorkflowFigures | undefined }) {
  if (figures === undefined) return <Unknown />
  const { lastRun } = figures
  if (lastRun === null) return <span className="t3">never</span>
  return (
    <div className="col">
      <span className={`cut ${table.above}`}>
        <RelativeTime at={lastRun.at} />
      </span>
      <span className={`sm ${statusColor(lastRun.status)}`}>{statusWords[lastRun.status]}</span>
    </div>
  )
}
