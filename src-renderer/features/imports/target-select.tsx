import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../client/client.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'

const newOne = 'new'

/** Chooses where an import goes: a new connection of the workspace, or one that is there. */
export function TargetSelect(props: {
  readonly connectionId: string | null
  readonly onChange: (connectionId: string | null) => void
}) {
  const { connectionId, onChange } = props
  const { workspace } = useWorkspace()
  const { data: connections = [] } = useQuery(api.connections.list.queryOptions({ input: {} }))
  const [isOpen, setIsOpen] = useState(false)
  const offered = connections.filter(
    one => one.workspaceId === workspace?.workspaceId || one.connectionId === connectionId,
  )
  const names = offered.map(({ name }) => name)
  // Two connections may have one name; their ids tell them apart.
  const labelOf = (one: { readonly name: string; readonly connectionId: string }) =>
    names.indexOf(one.name) === names.lastIndexOf(one.name)
      ? one.name
      : `${one.name} (${one.connectionId.slice(-6)})`
  return (
    <Select
      aria-label="Into"
      size="sm"
      w={230}
      searchable
      selectFirstOptionOnChange
      allowDeselect={false}
      nothingFoundMessage="No connection is called that"
      maxDropdownHeight={280}
      comboboxProps={{ width: 300, position: 'bottom-start' }}
      data={[
        { value: newOne, label: `New connection in ${workspace?.name ?? '…'}` },
        ...(offered.length === 0
          ? []
          : [
              {
                group: 'Connections',
                items: offered.map(one => ({ value: one.connectionId, label: labelOf(one) })),
              },
            ]),
      ]}
      value={connectionId ?? newOne}
      onChange={value => onChange(value === newOne ? null : value)}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      onKeyDown={event => {
        // It closes the list, and not the dialog as well.
        if (event.key === 'Escape' && isOpen) event.preventDefault()
      }}
    />
  )
}
