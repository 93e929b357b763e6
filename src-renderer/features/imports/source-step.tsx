import { CircleCheck, CircleX, FileText, TriangleAlert } from 'lucide-react'
import { type ReactNode, type Ref, useMemo, useState } from 'react'
import type { ImportIssue } from '#shared/model/import-preview.ts'
import { ChooseFile } from '../../entities/import-document/choose-file.tsx'
import { ImportText } from '../../entities/import-document/import-text.tsx'
import { Delayed } from '../../ui/delayed.tsx'
import { ErrorState } from '../../ui/empty-state.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatBytes, formatNumber } from '../../ui/format.ts'
import type { JsonEditorHandle } from '../../ui/json-editor.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { Note } from '../../ui/note.tsx'
import classes from './import-dialog.module.css'
import { partsLabel } from './import-labels.ts'
import { countIssues, countsInWords, errorsFirst, headline, issueAt } from './issues.ts'
import { RecognizedCard } from './recognized-card.tsx'
import type { SourceState } from './source-state.ts'
import own from './source-step.module.css'
import { UrlForm } from './url-form.tsx'
import type { PreviewState } from './use-import-preview.ts'
import type { ImportSource, SourceWay, UrlSource } from './use-import-source.ts'

const accepted = '.json,.yaml,.yml,.txt,.sh,application/json,application/yaml,text/plain'

/** The text or its address, what was recognized, and the problems found in it. */
export function SourceStep(props: {
  readonly source: ImportSource
  readonly way: SourceWay
  readonly url: UrlSource
  readonly state: PreviewState
  readonly at: SourceState
  readonly onType: (text: string) => void
  readonly onFile: (file: File) => void
  readonly onPaste: () => void
  readonly editor: Ref<JsonEditorHandle>
  readonly goTo: (issue: ImportIssue) => void
  readonly goToNext: () => void
  /** Further choices about a document that is fetched. */
  readonly urlChoices?: ReactNode
}) {
  const { source, state, at, way, url } = props
  const { text, fetched, fileName } = source
  const { issues, preview, bytes } = state
  const listed = useMemo(() => errorsFirst(issues), [issues])
  const [lastAt, setLastAt] = useState<ImportIssue | null>(null)
  const selected = listed.find(issue => lastAt !== null && isSame(issue, lastAt)) ?? listed[0] ?? null
  const isBlank = text.trim() === ''
  const hasEditor = way === 'paste' || (way === 'file' && !isBlank)
  const recognized = at === 'checked' ? (preview?.recognized ?? null) : null
  return (
    <div className={classes.two}>
      <div className={own.left} data-scrolls={!hasEditor || undefined}>
        {way === 'url' && (
          <div className={own.address}>
            <UrlForm source={url}>{props.urlChoices}</UrlForm>
          </div>
        )}
        <div className={classes.editor} hidden={!hasEditor}>
          <ImportText
            fileName={fileName}
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
        <div className={own.drop} data-alone={(way === 'file' && isBlank) || undefined}>
          <FileText className="t3" />
          <span className="grow">Drop a file anywhere here</span>
          <KeyButton keys="mod+v" onClick={props.onPaste}>
            Paste
          </KeyButton>
          <ChooseFile accept={accepted} onFile={props.onFile} />
        </div>
        {!hasEditor && (
          <div className={own.safe}>
            <Note>
              Nothing in the document is run. Secrets in it are replaced by variables that you fill in the
              preview.
            </Note>
          </div>
        )}
      </div>
      <aside className={classes.aside} aria-label="Problems">
        {recognized !== null && (
          <RecognizedCard recognized={recognized} bytes={bytes} tookMs={fetched?.tookMs ?? null} />
        )}
        {at === 'checked' && listed.length > 0 ? (
          <IssueList
            issues={listed}
            selected={selected}
            onChoose={issue => {
              setLastAt(issue)
              props.goTo(issue)
            }}
            onNext={props.goToNext}
          />
        ) : (
          <Verdict at={at} state={state} fileName={fileName} />
        )}
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
        <Fact name="Custom Connection">JSON, as exported here</Fact>
        <Fact name="OpenAPI 3.0, 3.1, 3.2">JSON or YAML</Fact>
        <Fact name="Swagger 2.0">JSON or YAML</Fact>
        <Fact name="Postman 2.1">Collection</Fact>
        <Fact name="curl">One command, pasted</Fact>
      </dl>
    </Aside>
  )
}

const workWords = { reading: 'Reading', fetching: 'Fetching', checking: 'Checking' }

/** Says what happens to a text without problems so far. */
function Verdict(props: {
  readonly at: SourceState
  readonly state: PreviewState
  readonly fileName: string | null
}) {
  const { at, state, fileName } = props
  const { error, preview, bytes, checkAgain } = state
  switch (at) {
    case 'blank':
      return <AcceptedFormats />
    case 'reading':
    case 'fetching':
    case 'checking':
      // A short text is checked before anybody could read this.
      return (
        <Delayed ms={500}>
          <Aside title={workWords[at]}>
            <dl className={classes.takes}>
              {fileName !== null && at === 'checking' && <Fact name="File">{fileName}</Fact>}
              {at === 'checking' && bytes > 0 && <Fact name="Size">{formatBytes(bytes)}</Fact>}
            </dl>
            <p className="sm t2">Its format, its operations and its problems appear here.</p>
          </Aside>
        </Delayed>
      )
    case 'failed':
      return (
        <div className={classes.asideBody}>
          <ErrorState title="The text was not checked" error={error} onRetry={checkAgain} />
        </div>
      )
    case 'unchecked':
      return (
        <Aside title="Not checked">
          <p className="sm t2">Its format, its operations and its problems appear here once it is checked.</p>
        </Aside>
      )
    case 'checked': {
      if (preview === null) return null
      const parts = partsLabel(preview.actions.create.length, preview.eventTypes.create.length)
      return (
        <Aside title="No problems">
          <p className="row sm">
            <CircleCheck size={16} className="ok" />
            {parts === '' ? 'It contains nothing new.' : `${parts} to create.`}
          </p>
        </Aside>
      )
    }
  }
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
                {/* What to import instead matters as much as what this is. */}
                <span>{issue.code === 'format_not_read' ? issue.message : headline(issue.message)}</span>
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
