import { Menu } from '@mantine/core'
import { CopyPlus, SlidersHorizontal, Upload } from 'lucide-react'
import type { Workflow } from '#shared/model/workflow.ts'
import { DeleteItem, MoreMenu } from '../../../ui/more-menu.tsx'
import { exportWorkflow, useDuplicateWorkflow } from '../use-update-workflow.ts'

type EditorMenuProps = {
  readonly saved: Workflow
  readonly onSettings: () => void
  readonly onDelete: () => void
}

/** Shows the less frequent actions for a saved workflow. */
export function EditorMenu({ saved, onSettings, onDelete }: EditorMenuProps) {
  const duplicate = useDuplicateWorkflow()
  return (
    <MoreMenu name={saved.name} width={220}>
      <Menu.Item leftSection={<SlidersHorizontal />} onClick={onSettings}>
        Settings
      </Menu.Item>
      <Menu.Item leftSection={<CopyPlus />} onClick={() => duplicate.mutate(saved)}>
        Duplicate
      </Menu.Item>
      <Menu.Item leftSection={<Upload />} onClick={() => void exportWorkflow(saved)}>
        Export as JSON
      </Menu.Item>
      <DeleteItem onClick={onDelete} />
    </MoreMenu>
  )
}
