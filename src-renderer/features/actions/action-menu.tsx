import { Menu, Switch, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Bot, Copy, CopyPlus, FlaskConical, Trash2, TriangleAlert } from 'lucide-react'
import type { Action } from '#shared/model/action.ts'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { copyToolName } from '../../ui/tool-name.tsx'
import type { ActionCommands } from './use-action-commands.ts'

/** The menu of an action. */
export function ActionMenu(props: {
  readonly action: Action
  readonly commands: ActionCommands
  /** Adds the item “Test”. */
  readonly onTest?: () => void
  readonly size?: 'xs' | 'sm'
  readonly tabIndex?: number
}) {
  const { action, commands, onTest, size, tabIndex } = props
  return (
    <MoreMenu name={action.name} size={size} width={216} tabIndex={tabIndex}>
      {onTest !== undefined && (
        <Menu.Item leftSection={<FlaskConical />} onClick={onTest}>
          Test
        </Menu.Item>
      )}
      <Menu.Item leftSection={<Copy />} onClick={() => void commands.copyToolName(action.toolName)}>
        Copy tool name
      </Menu.Item>
      <CopyForAssistants actionId={action.actionId} />
      <Menu.Item leftSection={<CopyPlus />} onClick={() => void commands.duplicate(action)}>
        Duplicate
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item className="bad" leftSection={<Trash2 />} onClick={() => void commands.remove(action)}>
        Delete
      </Menu.Item>
    </MoreMenu>
  )
}

/** Copies the name under which assistants call the action; nothing if they do not get it. */
function CopyForAssistants({ actionId }: { readonly actionId: string }) {
  const { connectionId } = useCurrentConnection()
  const { data: tools } = useQuery(api.tools.list.queryOptions({ input: { connectionId } }))
  const name = tools?.find(tool => tool.actionId === actionId)?.name
  if (name === undefined) return null
  return (
    <Menu.Item leftSection={<Bot />} onClick={() => copyToolName(name)}>
      Copy name for assistants
    </Menu.Item>
  )
}

/** A triangle beside a name, with what needs attention as its tooltip. */
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

/** Allows the assistant to call an action, or forbids it. Applies at once. */
export function EnableSwitch(props: {
  readonly name: string
  readonly isEnabled: boolean
  readonly onChange: (isEnabled: boolean) => void
  readonly tabIndex?: number
}) {
  return (
    // A click on the switch must not select its row.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only stops a click
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
