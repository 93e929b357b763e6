import { ActionIcon, Menu, Switch, Tooltip } from '@mantine/core'
import { Copy, CopyPlus, Ellipsis, FlaskConical, Trash2, TriangleAlert } from 'lucide-react'
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
          <Ellipsis />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onTest !== undefined && (
          <Menu.Item leftSection={<FlaskConical />} onClick={onTest}>
            Test
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Copy />} onClick={() => void commands.copyToolName(action.toolName)}>
          Copy tool name
        </Menu.Item>
        <Menu.Item leftSection={<CopyPlus />} onClick={() => void commands.duplicate(action, all)}>
          Duplicate
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item className="bad" leftSection={<Trash2 />} onClick={() => void commands.remove(action)}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** A triangle beside a name, with what to look at. */
export function AttentionMark({ attention }: { readonly attention: readonly string[] }) {
  if (attention.length === 0) return null
  const words = attention.join(' ')
  return (
    <Tooltip label={words} multiline maw={320}>
      <span className="warn" style={{ display: 'inline-flex', flex: 'none' }}>
        <TriangleAlert />
        <span className="sr">{words}</span>
      </span>
    </Tooltip>
  )
}

/** Whether the assistant may use an action; applies at once. */
export function EnableSwitch(props: {
  readonly name: string
  readonly isEnabled: boolean
  readonly onChange: (isEnabled: boolean) => void
  readonly tabIndex?: number
}) {
  return (
    // A click on the switch is none on the row that it stands in.
    // biome-ignore lint/a11y/noStaticElementInteractions: it takes no click, it keeps one
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <span onClick={event => event.stopPropagation()} style={{ display: 'inline-flex', padding: '4px 0' }}>
      <Switch
        aria-label={`Enable ${props.name}`}
        checked={props.isEnabled}
        onChange={event => props.onChange(event.currentTarget.checked)}
        tabIndex={props.tabIndex}
      />
    </span>
  )
}
