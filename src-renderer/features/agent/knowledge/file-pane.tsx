import { Button } from '@mantine/core'
import { Copy, Trash2 } from 'lucide-react'
import type { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import { copyWithToast } from '../../../ui/copy-with-toast.ts'
import { Fact } from '../../../ui/fact.tsx'
import { formatBytes, formatCount, formatMinute } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { BackButton } from '../../../ui/master-detail.tsx'
import { Note } from '../../../ui/note.tsx'
import { FileText } from './file-text.tsx'
import classes from './knowledge.module.css'
import { ReadingChoice } from './reading-choice.tsx'
import { lengthOf } from './select-files.ts'
import { useDeleteFile } from './use-files.ts'

/** A file: what is known of it, and what the agent reads in it. */
export function FilePane(props: {
  readonly file: KnowledgeFile
  /** The passage to begin with. */
  readonly start: number
}) {
  const { file, start } = props
  const askToDelete = useDeleteFile()
  return (
    <section className={classes.pane} aria-label={file.name}>
      <div className={classes.bar}>
        <BackButton />
        <h2 className="h2 cut" title={file.name}>
          {file.name}
        </h2>
        <span className="push" />
        <IconButton icon={Trash2} label="Delete the file" onClick={() => askToDelete(file)} />
      </div>
      <Facts file={file} />
      <FileText key={`${file.fileId}/${start}`} file={file} start={start} />
    </section>
  )
}

function Facts({ file }: { readonly file: KnowledgeFile }) {
  const { kind, detail, nameFits, characters, sha256, warnings } = file
  const length = lengthOf(file)
  const copy = () => void copyWithToast(sha256, 'SHA-256')
  return (
    <>
      <dl className={classes.facts}>
        <dt>Added</dt>
        <dd className="num">{formatMinute(file.addedAt)}</dd>
        <dt>Size</dt>
        <dd className="num">{[formatBytes(file.bytes), length].filter(part => part !== null).join(', ')}</dd>
        <dt>Text found</dt>
        <dd className="num">{formatCount(characters, 'character')}</dd>
        <Fact name="Contents">
          {detail}, {nameFits ? 'as its name says' : `although its name does not end in .${kind}`}
        </Fact>
        {(file.kind === 'txt' || file.kind === 'csv') && <ReadingChoice file={file} />}
        <dt>SHA-256</dt>
        <dd className="row" style={{ gap: 4, height: 18 }}>
          <code className="cut" title={sha256}>
            {sha256.slice(0, 8)}…{sha256.slice(-6)}
          </code>
          <IconButton size="xs" icon={Copy} label="Copy SHA-256" onClick={copy} />
        </dd>
      </dl>
      {warnings.length > 0 && (
        <div className={classes.warnings}>
          {warnings.map(({ code, message }) => (
            <Note key={code} tone="warn">
              <p>{message}</p>
              <p className="t2">{advice[code]}</p>
            </Note>
          ))}
        </div>
      )}
    </>
  )
}

/** The advice for each warning. */
const advice: Readonly<Record<KnowledgeFile['warnings'][number]['code'], string>> = {
  no_text:
    'The agent finds no text in this file. Run text recognition (OCR) in a scanner app, then add the new file.',
  pages_without_text:
    'If these pages are scanned, run text recognition (OCR) in a scanner app, then add the new file.',
  uncertain_encoding: 'If letters look wrong, choose another encoding.',
  uncertain_separator: 'If columns look wrong, choose another separator.',
  lost_characters: 'The agent reads � instead of them. Choose another encoding, or save the file as UTF-8.',
  uneven_rows: 'The agent may read values in the wrong column. Correct the row, and add the file again.',
  open_quote: 'The agent may read several rows as one value. Close the quotation, and add the file again.',
  text_cut: 'The agent does not read the rest. Add it as a file of its own.',
  text_lost: 'The agent cannot find the lost part. Delete the file, and add it again.',
}

/** Says that there is no file. */
export function NoFilePane({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <section className={classes.pane} aria-label="File">
      <div className={classes.none}>
        <p className="t3">What the agent reads in a file is shown here.</p>
        <Button onClick={onAdd}>Add files</Button>
      </div>
    </section>
  )
}
