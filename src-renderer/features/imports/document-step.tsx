import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { type ReactNode, type Ref, useMemo, useState } from 'react'
import type { ImportIssue } from '#shared/model/import-preview.ts'
import { ErrorState } from '../../ui/empty-state.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatNumber } from '../../ui/format.ts'
import { JsonEditor, type JsonEditorHandle } from '../../ui/json-editor.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import classes from './import-dialog.module.css'
import { partsInWords } from './import-words.ts'
import { countIssues, countsInWords, errorsFirst, headline, issueAt } from './issues.ts'
import type { PreviewState } from './use-import-preview.ts'
import type { ImportSource } from './use-import-source.ts'

/** The editor of the text, and the problems found in it. */
export function DocumentStep(props: {
  readonly source: ImportSource
  readonly state: PreviewState
  readonly onType: (text: string) => void
  readonly editor: Ref<JsonEditorHandle>
  readonly goTo: (issue: ImportIssue) => void
  readonly goToNext: () => void
}) {
  const { source, state } = props
  const { text } = source
  const { issues } = state
  const listed = useMemo(() => errorsFirst(issues), [issues])
  const [lastAt, setLastAt] = useState<ImportIssue | null>(null)
  const selected = listed.find(issue => lastAt !== null && isSame(issue, lastAt)) ?? listed[0] ?? null
  const isBlank = text.trim() === ''
  return (
    <div className={classes.two}>
      <div className={classes.editor}>
        <JsonEditor
          ref={props.editor}
          label="Text to import"
          value={text}
          onChange={props.onType}
          language={/^\s*[{[]/.test(text) ? 'json' : 'text'}
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
        {isBlank && <AcceptedFormats />}
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
      <p className="sm t3">Nothing is written before you have seen a preview.</p>
    </div>
  )
}

/** Lists the formats beside an empty editor. */
function AcceptedFormats() {
  return (
    <Aside title="What can be imported">
      <dl className={classes.takes}>
        <Fact name="Import document">
          JSON with a <code>connection</code>, <code>actions</code> or <code>events</code>. An export is an
          import document.
        </Fact>
        <Fact name="OpenAPI 3 or Swagger 2.0">JSON or YAML. Its operations become actions.</Fact>
        <Fact name="curl command">
          Becomes one action. Its credentials are replaced by variables and are not stored.
        </Fact>
      </dl>
    </Aside>
  )
}

/** Says that a text has no problems, or could not be checked. */
function Verdict({ state }: { readonly state: PreviewState }) {
  const { error, preview, checkAgain } = state
  if (error !== null)
    return (
      <div className={classes.asideBody}>
        <ErrorState title="The text was not checked" error={error} onRetry={checkAgain} />
      </div>
    )
  if (preview === null || !preview.valid) return null
  const parts = partsInWords(preview.actions.create.length, preview.eventTypes.create.length)
  return (
    <Aside title="No problems">
      <p className="row sm">
        <CircleCheck size={16} className="ok" />
        {parts === '' ? 'It contains nothing new.' : `${parts} to create.`}
      </p>
    </Aside>
  )
}

function Aside({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <div className={classes.asideHead}>
        <h3 className="h3">{title}</h3>
      </div>
      <div className={classes.asideBody}>{children}</div>
    </>
  )
}

/** Lists the problems with their places. Pressing one goes to its place. */
function IssueList(props: {
  readonly issues: readonly ImportIssue[]
  readonly selected: ImportIssue | null
  readonly onChoose: (issue: ImportIssue) => void
  readonly onNext: () => void
}) {
  const { issues, selected } = props
  return (
    <>
      <div className={classes.asideHead}>
        <h3 className="h3 num">{countsInWords(countIssues(issues))}</h3>
        <span className="push" />
        <KeyButton variant="subtle" size="xs" keys="f8" onClick={props.onNext}>
          Next
        </KeyButton>
      </div>
      <ol className={`scroll ${classes.issues}`}>
        {issues.map(issue => (
          <li key={`${issue.line}:${issue.column} ${issue.path} ${issue.message}`}>
            <button
              type="button"
              className={classes.issue}
              aria-current={issue === selected || undefined}
              title={issue.message}
              onClick={() => props.onChoose(issue)}
            >
              {issue.severity === 'error' ? (
                <CircleX size={16} className="bad" role="img" aria-label="Error" />
              ) : (
                <TriangleAlert size={16} className="warn" role="img" aria-label="Warning" />
              )}
              <span className="col">
                <span>{headline(issue.message)}</span>
                {issue.path !== '' && <code className={`t3 ${classes.path}`}>{issue.path}</code>}
                <span className="xs num t3">
                  Line {formatNumber(issue.line)}, column {formatNumber(issue.column)}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}
