import { Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { CopyPlus, ListChecks, SquarePen, Upload } from 'lucide-react'
import type { WorkflowRow } from '../../entities/workflow/use-workflows.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { formatCount } from '../../ui/format.ts'
import { Keys } from '../../ui/keys.tsx'
import { DeleteItem, MoreMenu } from '../../ui/more-menu.tsx'
import { exportWorkflow, useDeleteWorkflow, useDuplicateWorkflow } from './use-update-workflow.ts'

/** The menu of a workflow in the list. */
export function WorkflowMenu({ workflow }: { readonly workflow: WorkflowRow }) {
  const { workflowId, name } = workflow
  const navigate = useNavigate()
  const duplicate = useDuplicateWorkflow()
  const remove = useDeleteWorkflow(() => {})
  return (
    <MoreMenu name={name} size="xs" width={232}>
      <Menu.Item
        leftSection={<SquarePen />}
        rightSection={<Keys keys="enter" />}
        onClick={() => void navigate({ to: '/workflows/$workflowId', params: { workflowId } })}
      >
        Open
      </Menu.Item>
      <Menu.Item
        leftSection={<ListChecks />}
        rightSection={<Keys keys="r" />}
        onClick={() => void navigate({ to: '/workflows/runs', search: { workflow: workflowId } })}
      >
        Show its runs
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item leftSection={<Upload />} onClick={() => void exportWorkflow(workflow)}>
        Export as JSON
      </Menu.Item>
      <Menu.Item leftSection={<CopyPlus />} onClick={() => duplicate.mutate(workflow)}>
        Duplicate
      </Menu.Item>
      <DeleteItem
        onClick={() =>
          confirmDialog({
            title: `Delete ${name}?`,
            children: deletionInWords(workflow),
            confirm: 'Delete workflow',
            onConfirm: () => remove.mutate(workflow),
          })
        }
      />
    </MoreMenu>
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
