import { useNavigate } from '@tanstack/react-router'
import { ListChecks, SquarePen } from 'lucide-react'
import type { WorkflowRow } from '../../entities/workflow/use-workflows.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { formatCount } from '../../ui/format.ts'
import { deleteEntry, MoreMenu } from '../../ui/more-menu.tsx'
import { useDeleteWorkflow, useWorkflowEntries } from './use-update-workflow.ts'

/** The menu of a workflow in the list. */
export function WorkflowMenu({ workflow }: { readonly workflow: WorkflowRow }) {
  const { workflowId, name } = workflow
  const navigate = useNavigate()
  const workflowEntries = useWorkflowEntries()
  const remove = useDeleteWorkflow(() => {})
  const askToDelete = () =>
    confirmDialog({
      title: `Delete ${name}?`,
      children: deletionInWords(workflow),
      confirm: 'Delete workflow',
      onConfirm: () => remove.mutate(workflow),
    })
  return (
    <MoreMenu
      name={name}
      size="xs"
      width={232}
      isInRow
      entries={[
        {
          ...{ icon: SquarePen, label: 'Open', keys: 'enter' },
          run: () => void navigate({ to: '/workflows/$workflowId', params: { workflowId } }),
        },
        {
          ...{ icon: ListChecks, label: 'Show its runs', keys: 'r' },
          run: () => void navigate({ to: '/workflows/runs', search: { workflow: workflowId } }),
        },
        ...workflowEntries(workflow),
        deleteEntry(askToDelete),
      ]}
    />
  )
}

/** Says what a deletion means. */
export function deletionInWords({ figures }: Pick<WorkflowRow, 'figures'>): string {
  const open = figures === undefined ? null : figures.queued + figures.waiting + figures.running
  const cancelled =
    open === null
      ? 'Runs that have not ended are cancelled.'
      : open === 0
        ? ''
        : `${formatCount(open, 'run')} that ${open === 1 ? 'has' : 'have'} not ended ${open === 1 ? 'is' : 'are'} cancelled.`
  return `Events no longer start this workflow. ${cancelled} Ended runs are kept. This cannot be undone.`.replace(
    '  ',
    ' ',
  )
}
