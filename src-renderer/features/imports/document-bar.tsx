import { FileText } from 'lucide-react'
import type { Recognized } from '#shared/model/import-preview.ts'
import { useConnectionChoice } from '../../entities/connection/use-connections.ts'
import { ChooseFile } from '../../entities/import-document/choose-file.tsx'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { formatBytes } from '../../ui/format.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import classes from './import-dialog.module.css'
import { formatInWords } from './import-words.ts'
import type { ImportSource } from './use-import-source.ts'

const accepted = '.json,.yaml,.yml,.txt,.sh,application/json,application/yaml,text/plain'

/** Chooses the target and the source of an import. */
export function DocumentBar(props: {
  readonly source: ImportSource
  readonly bytes: number
  readonly recognized: Recognized | null
  readonly connectionId: string | null
  readonly onTarget: (connectionId: string | null) => void
  readonly onFile: (file: File) => void
  readonly onPaste: () => void
}) {
  const { bytes, recognized } = props
  const { fileName } = props.source
  return (
    <div className={`row ${classes.bar}`}>
      <span className="sm t2" aria-hidden="true">
        Into
      </span>
      <TargetSelect connectionId={props.connectionId} onChange={props.onTarget} />
      <span className={`row sm ${classes.file}`}>
        {fileName !== null && (
          <>
            <FileText className="t3" />
            <span className="w5 cut" title={fileName}>
              {fileName}
            </span>
          </>
        )}
        {recognized !== null && <span className="nowrap">{formatInWords(recognized)}</span>}
        {bytes > 0 && <span className="t3 num nowrap">{formatBytes(bytes)}</span>}
      </span>
      <ChooseFile accept={accepted} onFile={props.onFile} />
      <KeyButton keys="mod+v" onClick={props.onPaste}>
        Paste
      </KeyButton>
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
