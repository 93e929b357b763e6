import { ActionIcon, Menu } from '@mantine/core'
import { Copy, CopyPlus, Ellipsis, FlaskConical, Trash2 } from 'lucide-react'
import type { Action } from '#shared/model/action.ts'
import type { ActionCommands } from './use-action-commands.ts'

/** What else can be done with an action. */
export function ActionMenu(props: {
  readonly action: Action
  readonly all: readonly Action[]
  readonly commands: ActionCommands
  /** Left out where the test is in sight. */
  readonly onTest?: () => void
  readonly size?: 'xs' | 'sm'
  readonly tabIndex?: number
}) {
  const { action, all, commands, onTest, size = 'sm', tabIndex } = props
  return (
    <Menu position="bottom-end" width={184}>
      <Menu.Target>
        <ActionIcon
          size={size}
          aria-label={`More for ${action.name}`}
          title={`More for ${action.name}`}
          tabIndex={tabIndex}
        >
          <Ellipsis size={14} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onTest !== undefined && (
          <Menu.Item leftSection={<FlaskConical size={14} aria-hidden="true" />} onClick={onTest}>
            Test
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<Copy size={14} aria-hidden="true" />}
          onClick={() => void commands.copyToolName(action.toolName)}
        >
          Copy tool name
        </Menu.Item>
        <Menu.Item
          leftSection={<CopyPlus size={14} aria-hidden="true" />}
          onClick={() => void commands.duplicate(action, all)}
        >
          Duplicate
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          className="bad"
          leftSection={<Trash2 size={14} aria-hidden="true" />}
          onClick={() => void commands.remove(action)}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
