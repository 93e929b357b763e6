import { SegmentedControl } from '@mantine/core'
import { FileText } from 'lucide-react'
import { useConnectionChoice } from '../../entities/connection/use-connections.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import { SearchSelect } from '../../ui/search-select.tsx'
import classes from './import-dialog.module.css'
import { type ImportSource, type SourceWay, sourceWays } from './use-import-source.ts'

/** Chooses how the document comes, and the target of the import. */
export function SourceBar(props: {
  readonly source: ImportSource
  readonly way: SourceWay
  readonly onWay: (way: SourceWay) => void
  readonly connectionId: string | null
  readonly onTarget: (connectionId: string | null) => void
}) {
  const { fileName } = props.source
  return (
    <div className={`row ${classes.bar}`}>
      <SegmentedControl
        aria-label="Source"
        data={optionsOf(sourceWays)}
        value={props.way}
        onChange={props.onWay}
      />
      <span className={`row sm ${classes.file}`}>
        {fileName !== null && (
          <>
            <FileText className="t3" />
            <span className="w5 cut" title={fileName}>
              {fileName}
            </span>
          </>
        )}
      </span>
      <span className={`sm t2 ${classes.into}`} aria-hidden="true">
        Into
      </span>
      <TargetSelect connectionId={props.connectionId} onChange={props.onTarget} />
    </div>
  )
}

const newOne = 'new'

/** Chooses the target of an import: a new connection of the workspace, or an existing one. */
function TargetSelect(props: {
  readonly connectionId: string | null
  readonly onChange: (connectionId: string | null) => void
}) {
  const { connectionId, onChange } = props
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
      aria-label="Into"
      size="sm"
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
