import type { ReactNode } from 'react'
import type { Issue } from '#shared/model/issue.ts'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { useFileDrop } from '../../ui/file-drop.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Note } from '../../ui/note.tsx'
import { ChooseFile } from './choose-file.tsx'
import { ImportText } from './import-text.tsx'
import { useImportIntake } from './use-import-intake.ts'

/** The height of the dialog without the editor, and of one of the editor's lines. */
const elsewherePx = 330
const linePx = 19

/** The browser never stores a document. */
const nothing = {}

/** Imports a JSON document: a file that is chosen or dropped, or a text that is pasted or typed. */
export function JsonImportDialog(props: {
  readonly title: string
  readonly submitLabel: string
  readonly editorLabel: string
  /** Says which document is expected, and what an import changes. */
  readonly description: ReactNode
  readonly text: string
  readonly onText: (text: string) => void
  /** Files dropped before the dialog opened. */
  readonly files?: readonly File[] | undefined
  readonly issues: readonly Issue[]
  readonly isDisabled: boolean
  readonly isBusy: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  /** Notes below the editor. */
  readonly children?: ReactNode
}) {
  const { text, onText, files, issues, isDisabled, isBusy } = props
  const missing = text.trim() === '' ? [] : ['the document']
  const { note } = useStoredFields(`import/${props.title}`, nothing, nothing, missing)
  const intake = useImportIntake({ isBlank: text.trim() === '', isOpen: true, files, onText })
  useFileDrop(dropped => void intake.takeFiles(dropped))
  const lines = Math.floor((window.innerHeight - elsewherePx) / linePx)
  return (
    <FormDialog
      title={props.title}
      size={720}
      submitLabel={props.submitLabel}
      keys="mod+enter"
      enterSubmits={false}
      isDisabled={isDisabled}
      isBusy={isBusy}
      foot={
        <ChooseFile
          accept=".json,application/json"
          onFile={file => void intake.takeFiles([file])}
          size="md"
          style={{ marginRight: 'auto' }}
        />
      }
      onSubmit={props.onSubmit}
      onClose={props.onClose}
    >
      {note}
      <p className="sm t2">{props.description}</p>
      <ImportText
        fileName={null}
        label={props.editorLabel}
        value={text}
        onChange={onText}
        problems={issues.map(({ severity = 'error', ...issue }) => ({ ...issue, severity }))}
        minLines={6}
        maxLines={Math.max(6, Math.min(20, lines))}
        autoFocus
      />
      {intake.refusal !== null && <Note tone="bad">{intake.refusal}</Note>}
      {props.children}
    </FormDialog>
  )
}
