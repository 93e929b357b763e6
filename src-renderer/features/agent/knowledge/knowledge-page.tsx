import { MessageCircleQuestionMark, Upload } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { KnowledgeFile, KnowledgeMatch } from '#shared/model/platform/knowledge.ts'
import { useOverlays } from '../../../overlays.tsx'
import { Delayed } from '../../../ui/delayed.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { DropCover, useFileDrop } from '../../../ui/file-drop.tsx'
import { useFilteredList } from '../../../ui/filtered-list.tsx'
import { formatBytes, formatCount, formatNumber } from '../../../ui/format.ts'
import { KeyButton } from '../../../ui/keys.tsx'
import { ListFilters } from '../../../ui/list-filters.tsx'
import list from '../../../ui/list-page.module.css'
import { ListTable, ListTableSkeleton } from '../../../ui/list-table.tsx'
import { MasterDetail } from '../../../ui/master-detail.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { useSearchState } from '../../../ui/search-state.ts'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { useNarrow } from '../../../ui/use-narrow.ts'
import { AgentFrame } from '../agent-frame.tsx'
import { type Scope, useAgent } from '../use-agent.ts'
import { DropCard, RefusedCard } from './drop-card.tsx'
import { fileColumns } from './file-columns.tsx'
import { FilePane, NoFilePane } from './file-pane.tsx'
import classes from './knowledge.module.css'
import { fileList } from './select-files.ts'
import { TryQuestion } from './try-question.tsx'
import { useDeleteFile, useFiles } from './use-files.ts'

const path = '/agent/knowledge'
const { group } = fileList
const hints = { n: 'add files', t: 'try a question', updown: 'select', space: 'read', backspace: 'delete' }
const noFiles: readonly KnowledgeFile[] = []

/** The files that the agent may answer from. Changes apply at once. */
export function KnowledgePage() {
  const { scope } = useAgent()
  return scope === null ? (
    <AgentFrame path={path} hints={hints}>
      {null}
    </AgentFrame>
  ) : (
    <Files key={`${scope.workspaceId}/${scope.agentId}`} scope={scope} />
  )
}

function Files({ scope }: { readonly scope: Scope }) {
  const { data, error, isPending, refetch, add, uploads, refused, dismiss } = useFiles(scope)
  const [place, change] = useSearchState(path)
  const isNarrow = useNarrow()
  const overlays = useOverlays()
  const askToDelete = useDeleteFile()
  const chooser = useRef<HTMLInputElement>(null)
  const files = data ?? noFiles
  const read = (file: string | undefined) => change({ file })
  const state = useFilteredList(fileList, {
    all: files,
    isPending,
    place,
    change,
    open: ({ fileId }) => read(fileId),
  })
  const opened = files.find(({ fileId }) => fileId === place.file)
  const shown = isNarrow ? opened : (state.selected ?? opened)
  const isOver = useFileDrop(dropped => add(dropped), overlays.current === null)
  const choose = () => chooser.current?.click()

  useShortcut({ keys: 'n', label: 'Add files', group }, choose)
  const one = (state.selected ?? opened) !== undefined
  const target = state.selected ?? opened
  useShortcut({ keys: 'space', label: 'Read what the agent reads', group }, () => readText(), one)
  const remove = () => target && askToDelete(target)
  useShortcut({ keys: 'backspace', label: 'Delete the file', group }, remove, one)
  useShortcut({ keys: 'delete', label: 'Delete the file', group }, remove, one)

  const [isTrying, setIsTrying] = useState(false)
  const [question, setQuestion] = useState('')
  /** Where the file that was opened from a passage begins. */
  const [start, setStart] = useState({ fileId: '', index: 0 })
  const questionField = useRef<HTMLInputElement>(null)
  const isEmpty = data?.length === 0
  const canTry = data !== undefined && !isEmpty
  const isTryShown = canTry && (isTrying || (shown === undefined && !isNarrow))
  const shownId = shown?.fileId
  // biome-ignore lint/correctness/useExhaustiveDependencies: another file takes the place of the question
  useEffect(() => setIsTrying(false), [shownId])
  const wantsQuestion = useRef(false)
  function tryQuestion(): void {
    wantsQuestion.current = true
    setIsTrying(true)
    focusQuestion()
  }
  function focusQuestion(): void {
    if (!wantsQuestion.current || questionField.current === null) return
    wantsQuestion.current = false
    questionField.current.select()
  }
  useEffect(focusQuestion)
  useShortcut({ keys: 't', label: 'Try a question', group }, tryQuestion, canTry)
  function readMatch({ fileId, index }: KnowledgeMatch): void {
    setStart({ fileId, index })
    setIsTrying(false)
    state.select(fileId)
    read(fileId)
  }

  /** Set until the text that is wanted is on the screen. */
  const wantsText = useRef(false)
  function readText(): void {
    wantsText.current = true
    setIsTrying(false)
    if (target !== undefined) read(target.fileId)
    focusText()
  }
  function focusText(): void {
    const text = document.querySelector<HTMLElement>('[data-file-text]')
    if (!wantsText.current || text === null) return
    wantsText.current = false
    text.focus()
  }
  useEffect(focusText)

  function goBack(): void {
    if (!isTryShown) {
      if (opened !== undefined) state.select(opened.fileId)
      read(undefined)
    }
    setIsTrying(false)
  }
  const needLook = files.filter(({ warnings }) => warnings.length > 0).length
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return (
    <AgentFrame
      path={path}
      actions={
        <>
          {canTry && (
            <KeyButton keys="t" icon={MessageCircleQuestionMark} onClick={tryQuestion}>
              Try a question
            </KeyButton>
          )}
          <KeyButton variant="filled" keys="n" icon={Upload} onClick={choose}>
            Add files
          </KeyButton>
        </>
      }
      hints={hints}
      foot={
        data !== undefined && (
          <span className="num">
            {formatCount(files.length, 'file')}
            {files.length > 0 && ` · ${formatBytes(bytes)}`}
            {needLook > 0 && ` · ${formatNumber(needLook)} ${needLook === 1 ? 'needs' : 'need'} a look`}
          </span>
        )
      }
    >
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept=".pdf,.docx,.txt,.csv"
        aria-label="Files to add"
        onChange={({ currentTarget }) => {
          add([...(currentTarget.files ?? [])])
          // The same file can then be chosen again.
          currentTarget.value = ''
        }}
      />
      {isOver && (
        <DropCover title="Drop to add to the agent’s knowledge">
          PDF, DOCX, TXT or CSV, each of at most 50 MiB.
        </DropCover>
      )}
      <MasterDetail
        name={`agent:${path}`}
        lead={opened !== undefined || isTryShown ? 'file' : 'files'}
        back={{ label: 'Back to the files', group, go: goBack }}
        panes={[
          {
            id: 'files',
            content: (
              <section className={classes.files} aria-label="Files" data-scroll-room>
                <div className={list.intro}>
                  <h2>Knowledge base</h2>
                  <p className="t2">Files the agent may answer from.</p>
                </div>
                <DropCard uploads={uploads} />
                {refused.map(file => (
                  <RefusedCard key={file.id} file={file} onDismiss={() => dismiss(file.id)} />
                ))}
                {error !== null && data === undefined ? (
                  <QueryState query={{ error, refetch }} failed="The files cannot be shown" />
                ) : isEmpty ? (
                  <EmptyState title="No files yet">
                    Add price lists, manuals or answers to common questions. The agent searches them when a
                    customer asks.
                  </EmptyState>
                ) : (
                  <>
                    <ListFilters
                      list={fileList}
                      search={state.search}
                      table={state.table}
                      onEnter={state.openFirst}
                    />
                    {isPending ? (
                      <Delayed>
                        <ListTableSkeleton label="Loading files" columns={fileColumns} />
                      </Delayed>
                    ) : state.search.rows.length === 0 ? (
                      <EmptyState title="No file matches">
                        <button type="button" className="link" onClick={state.search.clear}>
                          Show all {formatNumber(files.length)}
                        </button>
                      </EmptyState>
                    ) : (
                      <ListTable
                        ref={state.table}
                        label="Files"
                        columns={fileColumns}
                        rows={state.search.rows}
                        idOf={fileList.idOf}
                        selectedId={shown?.fileId ?? null}
                        onSelect={state.select}
                        isWindowed={false}
                        isCompact
                      />
                    )}
                  </>
                )}
              </section>
            ),
          },
          {
            id: 'file',
            size: 340,
            min: 280,
            content:
              isTryShown || (shown === undefined && !isEmpty) ? (
                <TryQuestion
                  scope={scope}
                  question={question}
                  onQuestion={setQuestion}
                  onRead={readMatch}
                  field={questionField}
                />
              ) : shown === undefined ? (
                <NoFilePane onAdd={choose} />
              ) : (
                <FilePane file={shown} start={start.fileId === shown.fileId ? start.index : 0} />
              ),
          },
        ]}
      />
    </AgentFrame>
  )
}
