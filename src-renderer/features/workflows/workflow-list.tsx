import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Download, Plus } from 'lucide-react'
import { useCallback, useRef, useState } from 'react'
import { useOverlays } from '../../shell/overlays.tsx'
import { Delayed } from '../../ui/delayed.tsx'
import { EmptyState, ErrorState } from '../../ui/empty-state.tsx'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { KeyButton } from '../../ui/keys.tsx'
import classes from '../../ui/list-page.module.css'
import { Body, Foot, type Hint, Top, useTitle } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { FirstWorkflow } from './first-workflow.tsx'
import { UntakenEventList } from './untaken-events.tsx'
import { useSwitchWorkflow } from './use-update-workflow.ts'
import { useWorkflowRows, type WorkflowRow } from './use-workflows.ts'
import { useWorkflowSearch, WorkflowFilters } from './workflow-filters.tsx'
import type { WorkflowState } from './workflow-status.ts'
import { WorkflowTable, type WorkflowTableHandle, WorkflowTableSkeleton } from './workflow-table.tsx'

const group = 'Workflows'

/** The workflows of the workspace and what their runs became, or three starters if there is none. */
export function WorkflowList() {
  useTitle('Workflows')
  const listed = useWorkflowRows()
  const { rows, error, isPending, refetch } = listed
  const navigate = useNavigate()
  const { open } = useOverlays()
  const newWorkflow = () => void navigate({ to: '/workflows/new' })
  const openImport = () => open({ kind: 'import-workflow' })
  useShortcut({ keys: 'n', label: 'New workflow', group }, newWorkflow)
  useShortcut({ keys: 'i', label: 'Import a workflow', group }, openImport)
  const failed = error !== null && rows.length === 0
  const isEmpty = !isPending && !failed && rows.length === 0
  return (
    <>
      <Top
        title="Workflows"
        actions={
          <>
            <KeyButton icon={Download} keys="i" onClick={openImport}>
              Import
            </KeyButton>
            {!isEmpty && (
              <KeyButton variant="filled" icon={Plus} keys="n" onClick={newWorkflow}>
                New workflow
              </KeyButton>
            )}
          </>
        }
      />
      {isEmpty ? (
        <FirstWorkflow />
      ) : failed ? (
        <Body>
          <ErrorState title="The workflows cannot be shown" error={error} onRetry={refetch} />
        </Body>
      ) : (
        <Listed listed={listed} />
      )}
    </>
  )
}

function Listed({ listed }: { readonly listed: ReturnType<typeof useWorkflowRows> }) {
  const { rows: all, isPending, overview } = listed
  const search = useWorkflowSearch(all, isPending)
  const { rows } = search
  const navigate = useNavigate()
  const switchWorkflow = useSwitchWorkflow()
  const table = useRef<WorkflowTableHandle>(null)
  const [wanted, select] = useState<string | null>(null)
  // Nothing is selected at first, so that a key never acts on a row that the user did not choose.
  const index = rows.findIndex(({ workflowId }) => workflowId === wanted)
  const selected = rows[index]
  const onSelect = useCallback((workflowId: string) => select(workflowId), [])
  useFocusAfterRemoval(rows.length, () => table.current?.focus())

  /** Selects the first row or the next one, or focuses the selected row if the focus is elsewhere. */
  function step(by: number) {
    const next = index === -1 ? 0 : table.current?.hasFocus() === true ? index + by : index
    const row = rows[Math.max(0, Math.min(rows.length - 1, next))]
    if (row === undefined) return
    select(row.workflowId)
    table.current?.focusRow(row.workflowId)
  }
  function openRow(row: WorkflowRow | undefined) {
    if (row === undefined) return
    void navigate({ to: '/workflows/$workflowId', params: { workflowId: row.workflowId } })
  }
  const some = { enabled: rows.length > 0 }
  const one = { enabled: selected !== undefined }
  useShortcut({ keys: 'arrowdown', label: 'Next workflow', group }, () => step(1), some)
  useShortcut({ keys: 'arrowup', label: 'Previous workflow', group }, () => step(-1), some)
  useShortcut({ keys: 'enter', label: 'Open it', group }, () => openRow(selected), one)
  useShortcut(
    { keys: 'e', label: 'Enable or disable it', group },
    () => selected && switchWorkflow(selected.workflowId, !selected.enabled),
    one,
  )
  useShortcut(
    { keys: 'r', label: 'Show its runs', group },
    () => selected && void navigate({ to: '/workflows/runs', search: { workflow: selected.workflowId } }),
    one,
  )

  const counted = all.flatMap(({ figures }) => figures ?? [])
  const runs = counted.reduce((sum, { last24h }) => sum + last24h, 0)
  return (
    <>
      <Body>
        <section className={classes.intro}>
          <h2>Workflows</h2>
          <p className="t2">Each one waits for an event, then runs its steps until they succeed.</p>
        </section>
        <WorkflowFilters search={search} table={table} onEnter={() => openRow(selected ?? rows[0])} />
        {isPending ? (
          <Delayed>
            <WorkflowTableSkeleton />
          </Delayed>
        ) : rows.length === 0 ? (
          <EmptyState
            title={
              counted.length < all.length && search.status !== undefined
                ? 'The runs of the workflows are not known'
                : noneTitle(search.filter, search.status)
            }
            actions={<Button onClick={search.clear}>Show all {formatNumber(all.length)}</Button>}
          >
            {search.filter !== '' && 'The filter searches names, events, connections and steps.'}
          </EmptyState>
        ) : (
          <WorkflowTable
            ref={table}
            rows={rows}
            selectedId={selected?.workflowId ?? null}
            onSelect={onSelect}
          />
        )}
        {!isPending && <UntakenEventList overview={overview} />}
      </Body>
      <Foot hints={selected === undefined ? beforeSelection : forSelection}>
        {!isPending && (
          <span className="num">
            {formatCount(all.length, 'workflow')}
            {counted.length === all.length && ` · ${formatCount(runs, 'run')} in 24 hours`}
          </span>
        )}
      </Foot>
    </>
  )
}

const beforeSelection: readonly Hint[] = [
  { keys: 'updown', does: 'select' },
  { keys: '/', does: 'filter' },
  { keys: 'n', does: 'new workflow' },
]
const forSelection: readonly Hint[] = [
  { keys: 'updown', does: 'select' },
  { keys: 'enter', does: 'open' },
  { keys: 'e', does: 'enable or disable' },
  { keys: 'n', does: 'new workflow' },
  { keys: 'r', does: 'its runs' },
]

function noneTitle(filter: string, status: WorkflowState | undefined): string {
  if (filter !== '') return `No workflow matches “${filter}”`
  if (status === 'failing') return 'No workflow is failing'
  return status === 'waiting' ? 'No run is waiting' : 'No workflow is disabled'
}
