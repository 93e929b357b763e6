import { ActionIcon, Menu } from '@mantine/core'
import { CopyPlus, Ellipsis, SlidersHorizontal, Trash2, Upload } from 'lucide-react'
import type { Workflow } from '#shared/model/workflow.ts'
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
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon size="sm" aria-label={`More for ${saved.name}`} title={`More for ${saved.name}`}>
          <Ellipsis />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<SlidersHorizontal />} onClick={onSettings}>
          Settings
        </Menu.Item>
        <Menu.Item leftSection={<CopyPlus />} onClick={() => duplicate.mutate(saved)}>
          Duplicate
        </Menu.Item>
        <Menu.Item leftSection={<Upload />} onClick={() => void exportWorkflow(saved)}>
          Export as JSON
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Trash2 color="var(--cc-bad)" />} color="var(--cc-bad)" onClick={onDelete}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
