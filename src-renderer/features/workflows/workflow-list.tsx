import { useNavigate } from '@tanstack/react-router'
import { Download, Plus } from 'lucide-react'
import { useWorkflowRows } from '../../entities/workflow/use-workflow-rows.ts'
import type { WorkflowState } from '../../entities/workflow/workflow-states.ts'
import { useOverlays } from '../../overlays.tsx'
import { ErrorState } from '../../ui/empty-state.tsx'
import { FilteredList, useFilteredList } from '../../ui/filtered-list.tsx'
import { formatCount } from '../../ui/format.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { Body, type Hints, Top, useTitle } from '../../ui/page.tsx'
import { useSearchState } from '../../ui/search-state.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { FirstWorkflow } from './first-workflow.tsx'
import { workflowList } from './select-workflows.ts'
import { UnhandledEventList } from './unhandled-events.tsx'
import { useSwitchWorkflow } from './use-update-workflow.ts'
import { workflowColumns } from './workflow-columns.tsx'

const { group } = workflowList

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
  const [place, change] = useSearchState('/workflows')
  const navigate = useNavigate()
  const switchWorkflow = useSwitchWorkflow()
  const list = useFilteredList(workflowList, {
    all,
    isPending,
    place,
    change,
    open: ({ workflowId }) => void navigate({ to: '/workflows/$workflowId', params: { workflowId } }),
  })
  const { selected } = list
  const one = selected !== undefined
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
  const { filter = '', status } = place
  const counted = all.flatMap(({ figures }) => figures ?? [])
  const runs = counted.reduce((sum, { last24h }) => sum + last24h, 0)
  return (
    <FilteredList
      state={list}
      about="Each workflow starts on an event and runs its steps in order."
      columns={workflowColumns}
      none={{
        title:
          counted.length < all.length && status !== undefined
            ? 'The runs of the workflows are not known'
            : noneTitle(filter, status),
        detail: filter !== '' && 'The filter searches names, events, connections and steps.',
      }}
      hints={hints}
      figures={counted.length === all.length && ` · ${formatCount(runs, 'run')} in 24 hours`}
    >
      {!isPending && <UnhandledEventList overview={overview} />}
    </FilteredList>
  )
}

const hints: Hints = {
  updown: 'select',
  enter: 'open',
  e: 'enable or disable',
  n: 'new workflow',
  r: 'its runs',
}

function noneTitle(filter: string, status: WorkflowState | undefined): string {
  if (filter !== '') return `No workflow matches “${filter}”`
  if (status === 'failing') return 'No workflow is failing'
  return status === 'waiting' ? 'No run is waiting' : 'No workflow is disabled'
}
