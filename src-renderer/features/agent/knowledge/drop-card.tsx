import { Progress } from '@mantine/core'
import { Upload as UploadIcon, X } from 'lucide-react'
import { formatCount } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { kindOfName } from './kinds.ts'
import classes from './knowledge.module.css'
import type { RefusedFile, Upload } from './uploads.ts'

/** Says where files can be dropped, and shows those on their way. */
export function DropCard({ uploads }: { readonly uploads: readonly Upload[] }) {
  const current = uploads.find(({ progress }) => progress !== null)
  return (
    <div className={classes.drop}>
      <span className={classes.tile}>
        <UploadIcon />
      </span>
      <div className="col grow">
        <span className="w5">Drop files anywhere in this window</span>
        <span className="sm t3">PDF, DOCX, TXT or CSV, one or many at a time</span>
      </div>
      {current !== undefined && <Sending upload={current} others={uploads.length - 1} />}
    </div>
  )
}

function Sending({ upload, others }: { readonly upload: Upload; readonly others: number }) {
  const percent = Math.round((upload.progress ?? 0) * 100)
  // The service reads a file after it has arrived.
  const state = percent === 100 ? 'Reading…' : `${percent} %`
  return (
    <div className={classes.sending}>
      <span className="row sm">
        <span className="cut">{upload.name}</span>
        <span className="push num t3">{state}</span>
      </span>
      <Progress size={4} value={percent} aria-label={`Adding ${upload.name}`} />
      {others > 0 && <span className="sm t3">{formatCount(others, 'more file', 'more files')} waiting</span>}
    </div>
  )
}

/** A file that was not added: why, and what to do. */
export function RefusedCard(props: { readonly file: RefusedFile; readonly onDismiss: () => void }) {
  const { name, reason } = props.file
  return (
    <div className={classes.refused} role="alert">
      <span className={classes.kind} data-bad>
        {kindOfName(name)}
      </span>
      <div className="col">
        <span className="row">
          <b className="w6 cut">{name}</b>
          <span className={`sm t3 ${classes.whole}`}>was not added</span>
        </span>
        <span className="sm t2">{reason}</span>
      </div>
      <IconButton size="xs" icon={X} label={`Dismiss ${name}`} onClick={props.onDismiss} />
    </div>
  )
}
