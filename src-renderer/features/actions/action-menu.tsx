import { Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Bot, Copy, CopyPlus, FlaskConical, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Action } from '#shared/model/action.ts'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { deleteEntry, type MenuEntry, MoreMenu } from '../../ui/more-menu.tsx'
import { copyToolName } from '../../ui/tool-name.tsx'
import { WriteSwitch } from '../../ui/write-button.tsx'
import type { ActionCommands } from './use-action-commands.ts'

/** The menu of an action. */
export function ActionMenu(props: {
  readonly action: Action
  readonly commands: ActionCommands
  /** Adds the entry “Test”, in a row of the table. */
  readonly onTest?: () => void
  /** Further entries, in the editor. */
  readonly more?: readonly MenuEntry[]
  readonly size?: 'xs' | 'sm'
  readonly tabIndex?: number
}) {
  const { action, commands, onTest, more = [], size, tabIndex } = props
  const isInRow = onTest !== undefined
  const [isOpened, setIsOpened] = useState(false)
  const { connectionId } = useCurrentConnection()
  const { data: tools } = useQuery(
    api.tools.list.queryOptions({ input: { connectionId }, enabled: !isInRow || isOpened }),
  )
  /** The name under which assistants call it, if they get it. */
  const name = tools?.find(({ actionId }) => actionId === action.actionId)?.name
  return (
    <MoreMenu
      name={action.name}
      size={size}
      width={216}
      tabIndex={tabIndex}
      isInRow={isInRow}
      onOpen={() => setIsOpened(true)}
      entries={[
        ...(onTest === undefined ? [] : [{ icon: FlaskConical, label: 'Test', run: onTest }]),
        ...more,
        {
          ...{ icon: Copy, label: 'Copy tool name' },
          run: () => void commands.copyToolName(action.toolName),
        },
        ...(name === undefined
          ? []
          : [{ icon: Bot, label: 'Copy name for assistants', run: () => copyToolName(name) }]),
        {
          ...{ icon: CopyPlus, label: 'Duplicate', also: 'action', isWriting: true },
          run: () => void commands.duplicate(action),
        },
        deleteEntry(() => void commands.remove(action)),
      ]}
    />
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
      <WriteSwitch
        aria-label={`Enable ${props.name}`}
        checked={props.isEnabled}
        onChange={event => props.onChange(event.currentTarget.checked)}
        tabIndex={props.tabIndex}
      />
    </span>
  )
}
