import { SegmentedControl } from '@mantine/core'
import { X } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import type { Run, RunCounts, RunStatus } from '#shared/model/run.ts'
import { webhookWorkflowId } from '#shared/platform/webhook-workflow.ts'
import { statusLabels } from '../../entities/run/run-labels.ts'
import { useWorkflows } from '../../entities/workflow/use-workflows.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { Counted } from '../../ui/badges.tsx'
import { FilterMenus } from '../../ui/filter-menus.tsx'
import { formatMinute } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { periodNames, periodOf, periods } from './periods.ts'
import classes from './runs.module.css'
import { useRunsPlace } from './use-runs-place.ts'

const segments = ['failed', 'waiting', 'running', 'succeeded'] as const satisfies readonly RunStatus[]

/** The filters of the runs: status, text, workflow, event and period. */
export function RunFilters(props: {
  readonly counts: RunCounts | undefined
  /** The loaded runs, whose event names can be chosen. */
  readonly runs: readonly Run[]
  readonly list: RefObject<{ focus(): void } | null>
  /** At the end of the last row. */
  readonly children?: ReactNode
}) {
  const { counts, runs, list, children } = props
  const place = useRunsPlace()
  const { status, text, event } = place
  // A status without a segment gets one if a link asks for it.
  const shown =
    segments.some(one => one === status) || status === undefined ? segments : [...segments, status]
  return (
    <div className={classes.filters}>
      <SegmentedControl
        aria-label="Status"
        value={status ?? 'all'}
        onChange={value => place.set({ status: shown.find(one => one === value) })}
        data={[
          { value: 'all', label: 'All' },
          ...shown.map(value => ({
            value,
            label: (
              <Counted
                label={statusLabels[value]}
                count={value === 'succeeded' ? undefined : counts?.[value]}
              />
            ),
          })),
        ]}
      />
      <SearchField
        className={undefined}
        value={text}
        onChange={value => place.set({ text: value })}
        label="Search runs"
        placeholder="Order number, run ID, any text"
        does="Search the runs"
        group="Runs"
        list={list}
      />
      <div className="row">
        <FilterMenus
          filters={place.filters}
          place={place.search}
          change={place.set}
          usual={{ since: place.usualSince }}
          options={useOptions(runs)}
        />
        {children}
      </div>
      {event !== undefined && (
        <div className="row sm">
          <span className="t3">Runs of event</span>
          <code className="cut w5">{event}</code>
          <IconButton
            size="xs"
            icon={X}
            label="Show the runs of all events"
            onClick={() => {
              place.set({ event: undefined })
              list.current?.focus()
            }}
          />
        </div>
      )}
    </div>
  )
}

/** Returns the choices of the menus. The names of events are those of the loaded runs and those that workflows start on. */
function useOptions(runs: readonly Run[]) {
  const { workflow, eventName, since } = useRunsPlace()
  const { workspace } = useWorkspace()
  const { data = [] } = useWorkflows()
  const webhookId = webhookWorkflowId(workspace?.workspaceId ?? '')
  const hasWebhook = workflow === webhookId || (workspace !== null && workspace.webhook !== null)
  const names = new Set([
    ...(eventName === undefined ? [] : [eventName]),
    ...runs.map(run => run.eventName),
    ...data.flatMap(({ trigger }) =>
      trigger.eventName === null || trigger.eventName.endsWith('.*') ? [] : [trigger.eventName],
    ),
  ])
  return {
    workflow: [
      ...data.map(({ workflowId, name }) => ({ value: workflowId, label: name })),
      ...(hasWebhook ? [{ value: webhookId, label: 'Webhook' }] : []),
    ],
    eventName: [...names].sort().map(value => ({ value, label: value })),
    since: [
      ...(periodOf(since) === null ? [{ value: since, label: `Since ${formatMinute(since)}` }] : []),
      ...periodNames.map(value => ({ value, label: periods[value].label })),
    ],
  }
}
