import { useConnectionChoice } from '../../entities/connection/use-connections.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'

const newOne = 'new'

/** Chooses the target of an import: a new connection of the workspace, or an existing one. */
export function TargetSelect(props: {
  readonly label: string
  readonly size: 'xs' | 'sm'
  readonly connectionId: string | null
  readonly onChange: (connectionId: string | null) => void
}) {
  const { connectionId, onChange, label, size } = props
  const { workspace } = useWorkspace()
  const { rows: offered, onTyped } = useConnectionChoice(connectionId)
  const names = offered.map(({ name }) => name)
  // Connections with the same name are distinguished by their ids.
  const labelOf = (one: { readonly name: string; readonly connectionId: string }) =>
    names.indexOf(one.name) === names.lastIndexOf(one.name)
      ? one.name
      : `${one.name} (${one.connectionId.slice(-6)})`
  return (
    <SearchSelect
      aria-label={label}
      size={size}
      w={230}
      nothingFoundMessage="No connection has this name"
      maxDropdownHeight={280}
      comboboxProps={{ width: 300, position: 'bottom-start' }}
      data={[
        { value: newOne, label: `New connection in ${workspace?.name ?? '…'}` },
        {
          group: 'Connections',
          items: offered.map(one => ({ value: one.connectionId, label: labelOf(one) })),
        },
      ]}
      value={connectionId ?? newOne}
      onTyped={onTyped}
      onChange={value => onChange(value === newOne ? null : value)}
    />
  )
}
