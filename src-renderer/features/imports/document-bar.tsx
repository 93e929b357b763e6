import { Button, FileButton, SegmentedControl } from '@mantine/core'
import { FileText } from 'lucide-react'
import { useRef } from 'react'
import { ImportFormat } from '#shared/model/import-preview.ts'
import { formatBytes } from '../../ui/format.ts'
import { Keys } from '../../ui/keys.tsx'
import classes from './import-dialog.module.css'
import { formatLabels } from './import-words.ts'
import { TargetSelect } from './target-select.tsx'
import type { ImportSource } from './use-import-source.ts'

const accepted = '.json,.yaml,.yml,.txt,.sh,application/json,application/yaml,text/plain'

/** Where it goes, what it is and where it comes from. */
export function DocumentBar(props: {
  readonly source: ImportSource
  readonly bytes: number
  readonly connectionId: string | null
  readonly onTarget: (connectionId: string | null) => void
  readonly onFormat: (format: ImportFormat) => void
  readonly onFile: (file: File) => void
  readonly onPaste: () => void
}) {
  const { bytes } = props
  const { fileName, format } = props.source
  const reset = useRef<() => void>(null)
  return (
    <div className={`row ${classes.bar}`}>
      <span className="sm t2" aria-hidden="true">
        Into
      </span>
      <TargetSelect connectionId={props.connectionId} onChange={props.onTarget} />
      <SegmentedControl
        aria-label="Format"
        data={ImportFormat.options.map(value => ({ value, label: formatLabels[value] }))}
        value={format}
        onChange={value => props.onFormat(ImportFormat.parse(value))}
      />
      <span className={`row sm ${classes.file}`}>
        {fileName !== null && (
          <>
            <FileText size={14} className="t3" aria-hidden="true" />
            <span className="w5 cut" title={fileName}>
              {fileName}
            </span>
          </>
        )}
        {bytes > 0 && <span className="t3 num nowrap">{formatBytes(bytes)}</span>}
      </span>
      <FileButton
        accept={accepted}
        resetRef={reset}
        inputProps={{ 'aria-label': 'File to import' }}
        onChange={file => {
          if (file !== null) props.onFile(file)
          // The same file may be chosen again once it has been changed.
          reset.current?.()
        }}
      >
        {button => <Button {...button}>Choose file</Button>}
      </FileButton>
      <Button rightSection={<Keys keys="mod+v" />} onClick={props.onPaste}>
        Paste
      </Button>
    </div>
  )
}
