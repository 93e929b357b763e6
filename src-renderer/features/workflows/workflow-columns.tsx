import { Link } from '@tanstack/react-router'
import type { WorkflowFigures } from '#shared/model/workflow-figures.ts'
import { namesOf } from '#shared/workflows/takes.ts'
import { statusLabels } from '../../entities/run/run-labels.ts'
import { statusColor } from '../../entities/run/status-icon.tsx'
import type { WorkflowRow } from '../../entities/workflow/use-workflows.ts'
import { RelativeTime, Unknown } from '../../ui/badges.tsx'
import { formatDuration } from '../../ui/format.ts'
import { DayBars } from '../../ui/hour-bars.tsx'
import table from '../../ui/list-table.module.css'
import type { ListColumn } from '../../ui/list-table.tsx'
import { Pill } from '../../ui/pill.tsx'
import { WriteSwitch } from '../../ui/write-button.tsx'
import { stepsInWords, triggerWords } from './select-workflows.ts'
import { useSwitchWorkflow } from './use-update-workflow.ts'
import { WorkflowMenu } from './workflow-menu.tsx'
import classes from './workflow-table.module.css'

type Cell = { readonly row: WorkflowRow }

/** The columns of the list: the workflow, its runs and its switch. */
export const workflowColumns: readonly ListColumn<WorkflowRow>[] = [
  { head: 'Name', cell: NameCell, skeleton: [null, 44] },
  {
    head: 'Starts on',
    width: 164,
    className: classes.trigger,
    cell: TriggerCell,
    skeleton: [84, 104],
  },
  { head: 'Status', card: 'side', width: 162, cell: StatusCell, skeleton: [92] },
  { head: 'Last 24 hours', card: 'half', width: 190, className: classes.day, cell: DayCell, skeleton: [158] },
  {
    head: 'Last run',
    card: 'half',
    width: 118,
    className: classes.last,
    cell: LastRunCell,
    skeleton: [64, 56],
  },
  {
    head: 'p95',
    card: 'none',
    width: 76,
    className: classes.p95,
    isNumber: true,
    title: '95 of 100 successful runs take no longer',
    cell: P95Cell,
    skeleton: [],
  },
  { head: 'Enabled', isHeadHidden: true, card: 'none', width: 92, cell: ControlsCell, skeleton: [28] },
]

function NameCell({ row }: Cell) {
  const { workflowId, name } = row
  return (
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
  )
}

function TriggerCell({ row: { trigger, connectionName } }: Cell) {
  return (
    <div className="col">
      <span
        className={namesOf(trigger) === null ? 'cut' : `mono cut ${classes.code}`}
        title={trigger.eventNames && triggerWords(trigger)}
      >
        {triggerWords(trigger)}
      </span>
      <span className="sm t3 cut">
        {connectionName === null ? 'Any connection' : (connectionName ?? <Unknown />)}
      </span>
    </div>
  )
}

function StatusCell({ row: { status } }: Cell) {
  return status.label === '–' ? <Unknown /> : <Pill tone={status.tone}>{status.label}</Pill>
}

function DayCell({ row: { figures } }: Cell) {
  return <DayBars hours={figures && runsByHour(figures)} words={runWords} sum={figures?.last24h} />
}

const runWords = { of: 'Runs', good: 'succeeded', bad: 'failed' }

const runsByHour = ({ hours }: WorkflowFigures) =>
  hours.map(({ succeeded, failed }) => ({ good: succeeded, bad: failed }))

function LastRunCell({ row: { figures } }: Cell) {
  if (figures === undefined) return <Unknown />
  const { lastRun } = figures
  if (lastRun === null) return <span className="t3">never</span>
  return (
    <div className="col">
      <span className={`cut ${table.above}`}>
        <RelativeTime at={lastRun.at} />
      </span>
      <span className={`sm ${statusColor(lastRun.status)}`}>{statusLabels[lastRun.status]}</span>
    </div>
  )
}

function P95Cell({ row: { figures } }: Cell) {
  if (figures === undefined) return <Unknown />
  return figures.p95Ms === null ? <span className="t3">none</span> : formatDuration(figures.p95Ms)
}

function ControlsCell({ row }: Cell) {
  const { workflowId, name, enabled } = row
  const switchWorkflow = useSwitchWorkflow()
  return (
    <div className={`${table.switches} ${table.above}`}>
      <WriteSwitch
        aria-label={`Enable ${name}`}
        checked={enabled}
        onChange={event => switchWorkflow(workflowId, event.currentTarget.checked)}
      />
      <WorkflowMenu workflow={row} />
    </div>
  )
}
