import { SegmentedControl } from '@mantine/core'
import { FileText } from 'lucide-react'
import { optionsOf } from '../../ui/options-of.ts'
import classes from './import-dialog.module.css'
import { TargetSelect } from './target-select.tsx'
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
      <TargetSelect label="Into" size="sm" connectionId={props.connectionId} onChange={props.onTarget} />
    </div>
  )
}
