import { Button, Menu, SegmentedControl } from '@mantine/core'
import { ChevronDown, X } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import type { Run, RunCounts, RunStatus } from '#shared/model/run.ts'
import { webhookWorkflowId } from '#shared/platform/webhook-workflow.ts'
import { statusWords } from '../../entities/run/run-words.ts'
import { useWorkflows } from '../../entities/workflow/use-workflows.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { Counted } from '../../ui/badges.tsx'
import { ChoiceItems } from '../../ui/choice-items.tsx'
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
                label={statusWords[value]}
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
        {!place.isOfOne && <WorkflowFilter />}
        <EventFilter runs={runs} />
        <PeriodFilter />
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

function WorkflowFilter() {
  const { workflow, set } = useRunsPlace()
  const { workspace } = useWorkspace()
  const { data = [] } = useWorkflows()
  const webhookId = webhookWorkflowId(workspace?.workspaceId ?? '')
  const hasWebhook = workflow === webhookId || (workspace !== null && workspace.webhook !== null)
  return (
    <Filter
      name="Workflow"
      value={workflow ?? ''}
      onChange={value => set({ workflow: value === '' ? undefined : value })}
      options={[
        { value: '', label: 'Any workflow' },
        ...data.map(({ workflowId, name }) => ({ value: workflowId, label: name })),
        ...(hasWebhook ? [{ value: webhookId, label: 'Webhook' }] : []),
      ]}
    />
  )
}

/** The names of the loaded runs, and those that the workflows start on. */
function EventFilter({ runs }: { readonly runs: readonly Run[] }) {
  const { eventName, set } = useRunsPlace()
  const { data = [] } = useWorkflows()
  const names = new Set([
    ...(eventName === undefined ? [] : [eventName]),
    ...runs.map(run => run.eventName),
    ...data.flatMap(({ trigger }) =>
      trigger.eventName === null || trigger.eventName.endsWith('.*') ? [] : [trigger.eventName],
    ),
  ])
  return (
    <Filter
      name="Event"
      value={eventName ?? ''}
      onChange={value => set({ eventName: value === '' ? undefined : value })}
      options={[
        { value: '', label: 'Any event' },
        ...[...names].sort().map(value => ({ value, label: value })),
      ]}
    />
  )
}

function PeriodFilter() {
  const { since, usualSince, set } = useRunsPlace()
  const isOwn = periodOf(since) === null
  return (
    <Filter
      name="Period"
      value={since}
      onChange={value => set({ since: value === usualSince ? undefined : value })}
      options={[
        ...(isOwn ? [{ value: since, label: `Since ${formatMinute(since)}` }] : []),
        ...periodNames.map(value => ({ value, label: periods[value].label })),
      ]}
    />
  )
}

/** A choice of one, as a button that shows it. */
function Filter(props: {
  readonly name: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly { readonly value: string; readonly label: string }[]
}) {
  const { name, value, onChange, options } = props
  const label = options.find(option => option.value === value)?.label ?? value
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="xs" className={classes.filter} rightSection={<ChevronDown size={12} />} title={label}>
          <span className="sr">{name}: </span>
          <span className="cut">{label}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        <ChoiceItems value={value} onChoose={onChange} options={options} />
      </Menu.Dropdown>
    </Menu>
  )
}
