import { type Ref, useMemo, useState } from 'react'
import type { ImportIssue } from '#shared/model/import-preview.ts'
import { JsonEditor, type JsonEditorHandle } from '../../ui/json-editor.tsx'
import { Verdict, WhatItTakes } from './document-aside.tsx'
import classes from './import-dialog.module.css'
import { IssueList } from './issue-list.tsx'
import { errorsFirst, issueAt } from './issues.ts'
import type { PreviewState } from './use-import-preview.ts'
import type { ImportSource } from './use-import-source.ts'

/** The text to import, and what is to be said of it. */
export function DocumentStep(props: {
  readonly source: ImportSource
  readonly state: PreviewState
  readonly onType: (text: string) => void
  readonly editor: Ref<JsonEditorHandle>
  readonly goTo: (issue: ImportIssue) => void
  readonly goToNext: () => void
}) {
  const { source, state } = props
  const { text, format } = source
  const { issues } = state
  const listed = useMemo(() => errorsFirst(issues), [issues])
  const [lastAt, setLastAt] = useState<ImportIssue | null>(null)
  const selected = listed.find(issue => lastAt !== null && isSame(issue, lastAt)) ?? listed[0] ?? null
  const isBlank = text.trim() === ''
  const isJson = format === 'document' || (format === 'openapi' && /^\s*[{[]/.test(text))
  return (
    <div className={classes.two}>
      <div className={classes.editor}>
        <JsonEditor
          ref={props.editor}
          label="Text to import"
          value={text}
          onChange={props.onType}
          language={isJson ? 'json' : 'text'}
          problems={issues}
          onCursor={place => {
            const at = issueAt(issues, place)
            if (at !== null) setLastAt(at)
          }}
          autoFocus
          foot={false}
          frame={false}
        />
        {isBlank && <Hint />}
      </div>
      <aside className={classes.aside} aria-label="Problems">
        {isBlank && <WhatItTakes />}
        {!isBlank && listed.length > 0 && (
          <IssueList
            issues={listed}
            selected={selected}
            onChoose={issue => {
              setLastAt(issue)
              props.goTo(issue)
            }}
            onNext={props.goToNext}
          />
        )}
        {!isBlank && listed.length === 0 && <Verdict state={state} />}
      </aside>
    </div>
  )
}

const isSame = (one: ImportIssue, other: ImportIssue) =>
  one.line === other.line && one.column === other.column && one.message === other.message

function Hint() {
  return (
    <div className={classes.hint} aria-hidden="true">
      <p className="w5">Drop a file here, paste, or type</p>
      <p className="sm t3">Nothing is written before you have seen what will be made.</p>
    </div>
  )
}
