import { FocusTrap, Modal } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileText, Link, X } from 'lucide-react'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { ImportComparison, ImportSource, ImportUpdate } from '#shared/model/import-comparison.ts'
import type { DocumentSource } from '#shared/model/import-source.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { useImportIntake } from '../../../entities/import-document/use-import-intake.ts'
import { Delayed } from '../../../ui/delayed.tsx'
import { useStoredFields } from '../../../ui/draft/use-stored-fields.tsx'
import { ErrorState } from '../../../ui/empty-state.tsx'
import { useFileDrop } from '../../../ui/file-drop.tsx'
import { useReturnFocus } from '../../../ui/focus.ts'
import type { JsonEditorHandle } from '../../../ui/json-editor.tsx'
import { problemOf } from '../../../ui/problem.ts'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { toastDone, toastProblem } from '../../../ui/toasts.tsx'
import { useUndo } from '../../../ui/undo.tsx'
import type { VirtualListHandle } from '../../../ui/virtual-list.tsx'
import dialog from '../import-dialog.module.css'
import { ImportCover } from '../import-drop-target.tsx'
import { Foot, Steps, Working } from '../import-foot.tsx'
import { noUrl, type UrlFields, urlFields, wantedOf } from '../use-import-source.ts'
import { DifferenceStep } from './difference-step.tsx'
import { DoneStep, madeOf } from './done-step.tsx'
import {
  choiceOf,
  initialSelection,
  type Row,
  rowsOf,
  type Selection,
  takeLabel,
  tickedEntry,
  tickedSection,
  withEntries,
} from './selection.ts'
import { SourceStep, type Way } from './source-step.tsx'

type Step = 'source' | 'difference' | 'done'
type Document = { readonly text: string } | DocumentSource | Record<never, never>

/** A comparison with the document that it was made with. */
type Compared = { readonly comparison: ImportComparison; readonly document: Document }

/** Compares a connection with its document again, and takes what the user chooses. */
export default function ReimportDialog(props: {
  readonly connectionId: string
  readonly onClose: () => void
}) {
  const { connectionId, onClose } = props
  const input = { connectionId }
  // What another window has imported meanwhile must be known.
  const {
    data: kept,
    error,
    refetch,
  } = useQuery({ ...api.imports.source.queryOptions({ input }), gcTime: 0 })
  if (kept !== undefined) return <Steppers {...props} kept={kept} />
  return (
    <Modal opened onClose={onClose} title="Import again">
      {error === null ? (
        <Delayed ms={500}>
          <Working what="Reading its source" />
        </Delayed>
      ) : (
        <ErrorState title="The source was not read" error={error} onRetry={() => void refetch()} />
      )}
    </Modal>
  )
}

function Steppers(props: {
  readonly connectionId: string
  readonly kept: ImportSource | null
  readonly onClose: () => void
}) {
  useReturnFocus()
  const { connectionId, kept, onClose } = props
  const navigate = useNavigate()
  const offerUndo = useUndo()
  const [step, setStep] = useState<Step>('source')
  const [way, setWay] = useState<Way>(kept !== null && kept.url === null ? 'text' : 'url')
  const [text, setText] = useState('')
  const { values: fields, ...stored } = useStoredFields<UrlFields>(
    `import-again/${connectionId}`,
    urlFields,
    { ...noUrl, url: kept?.url ?? '' },
    text.trim() === '' ? [] : ['the document'],
  )
  const [compared, setCompared] = useState<Compared | null>(null)
  const [selection, setSelection] = useState<Selection>(new Map())
  const [selectedKey, setSelectedKey] = useState<string | null>(null)
  const [done, setDone] = useState<ImportUpdate | null>(null)
  const [isUndone, setIsUndone] = useState(false)
  /** Whether to compare when the file is read. */
  const [isGoingOn, setIsGoingOn] = useState(false)
  const editor = useRef<JsonEditorHandle>(null)
  const list = useRef<VirtualListHandle>(null)
  const abort = useRef<AbortController>(null)

  const comparison = compared?.comparison ?? null
  const rows = useMemo(() => (comparison === null ? [] : rowsOf(comparison)), [comparison])
  const selected = rows.find(({ key }) => key === selectedKey) ?? null

  const compare = useMutation({
    mutationFn: async (document: Document) => {
      const controller = new AbortController()
      abort.current = controller
      const { signal } = controller
      return { document, comparison: await client.imports.compare({ connectionId, ...document }, { signal }) }
    },
    gcTime: 0,
    onSuccess(found) {
      const first = rowsOf(found.comparison)
      setCompared(found)
      setSelection(initialSelection(found.comparison, Date.now()))
      const shown = first.find(row => row.section === 'changed' && row.entry !== undefined) ?? first[1]
      setSelectedKey(shown?.key ?? null)
      setStep('difference')
      requestAnimationFrame(() => list.current?.focus())
    },
  })
  const error = abort.current?.signal.aborted === true ? null : compare.error
  // The form of the address has no place for the lines of a document.
  const isOfAddress = way === 'url' && error !== null && problemOf(error).code !== 'invalid_document'

  const update = useMutation({
    mutationFn: ({ comparison: { hash, updatedAt }, document }: Compared) =>
      client.imports.update({
        ...{ connectionId, ...document, hash, ifUpdatedAt: updatedAt },
        ...(comparison === null ? { apply: [] } : choiceOf(comparison, selection)),
      }),
    gcTime: 0,
    async onSuccess(result) {
      setDone(result)
      setStep('done')
      await queries.invalidateQueries({ queryKey: api.connections.key() })
    },
    onError(problem) {
      const isOld = problemOf(problem).code === 'changed_meanwhile'
      toastProblem('Nothing was changed', problem, isOld ? again : undefined)
    },
  })
  const undo = async () => {
    await client.imports.undo({ connectionId })
    setIsUndone(true)
  }
  function takeBack(): void {
    if (isUndone) return
    undo().then(
      () => toastDone('The import was taken back'),
      problem => toastProblem('The import was not taken back', problem),
    )
  }

  const wanted = wantedOf(fields)
  const isKept = (next: DocumentSource) => next.url === kept?.url && next.header === undefined
  const isBlankWith = ({ url }: DocumentSource) => (way === 'text' ? text.trim() === '' : url === '')
  const isBlank = isBlankWith(wanted)
  function compareIt(next = wanted): void {
    if (intake.isReading) {
      setIsGoingOn(true)
      return
    }
    if (isBlankWith(next) || compare.isPending) return
    compare.mutate(way === 'text' ? { text } : isKept(next) ? {} : next)
  }
  function again(): void {
    if (compared !== null) compare.mutate(compared.document)
  }
  const start = useEffectEvent(() => {
    if (kept?.url != null) compareIt()
  })
  useEffect(() => start(), [])

  const label = comparison === null ? null : takeLabel(comparison, selection)
  const isNothing = rows.length === 0
  const takes =
    label ?? (isNothing ? (kept === null ? 'Keep as its document' : 'Close') : 'Keep everything as it is')
  function take(): void {
    if (isNothing && kept !== null) onClose()
    else if (compared !== null && !update.isPending) update.mutate(compared)
  }
  function close(): void {
    if (update.isPending) return
    abort.current?.abort()
    onClose()
    if (done !== null && !isUndone && madeOf(done) > 0)
      offerUndo({ done: 'Import taken over', undone: 'The import was taken back', undo })
  }
  function openConnection(): void {
    close()
    void navigate({ to: '/connections/$connectionId', params: { connectionId } })
  }
  function goTo(by: 1 | -1): void {
    const entries = rows.filter(({ entry }) => entry !== undefined)
    const at = entries.findIndex(({ key }) => key === selectedKey)
    const next = entries.at((at + by + entries.length) % Math.max(1, entries.length))
    if (next !== undefined) setSelectedKey(next.key)
  }
  function toggle(row: Row): void {
    const { section, entry } = row
    const isAll =
      (entry === undefined ? tickedSection(selection, rows, section) : tickedEntry(selection, row)) === 'all'
    const wanted = entry === undefined ? rows.filter(other => other.section === section) : [row]
    setSelection(withEntries(selection, wanted, !isAll))
  }

  const intake = useImportIntake({
    isBlank: text.trim() === '',
    isOpen: step === 'source',
    files: undefined,
    onText(given) {
      setText(given)
      setWay('text')
      editor.current?.focus()
    },
  })
  const isOver = useFileDrop(files => void intake.takeFiles(files), step === 'source')
  const settle = useEffectEvent(() => {
    setIsGoingOn(false)
    if (intake.refusal === null) compareIt()
  })
  useEffect(() => {
    if (isGoingOn && !intake.isReading) settle()
  }, [isGoingOn, intake.isReading])

  const act = { source: () => compareIt(), difference: take, done: openConnection }[step]
  const group = 'Dialog'
  const isListed = step === 'difference' && !isNothing
  useShortcut({ keys: 'mod+enter', label: 'Go on', group }, act)
  useShortcut({ keys: 'f8', label: 'Next change', group }, () => goTo(1), isListed)
  useShortcut({ keys: 'shift+f8', label: 'Previous change', group }, () => goTo(-1), isListed)
  useShortcut(
    { keys: 'space', label: 'Take it, or not', group },
    () => selected !== null && toggle(selected),
    isListed,
  )
  useShortcut({ keys: 'mod+z', label: 'Take the import back', group }, takeBack, step === 'done')
  useShortcut({ keys: 'escape', label: 'Close', group }, close)

  return (
    <Modal.Root opened onClose={close} size={980} centered closeOnEscape={false} xOffset={16} yOffset={16}>
      <Modal.Overlay />
      <Modal.Content classNames={{ content: dialog.content ?? '' }}>
        <FocusTrap.InitialFocus />
        <div className={dialog.head}>
          <Modal.Title className="h2">Import again</Modal.Title>
          <Steps step={step} steps={['source', 'difference', 'done']} />
          <span className="push" />
          {step !== 'source' && comparison !== null && (
            <DocumentName url={wanted.url} way={way} of={comparison} />
          )}
          <Modal.CloseButton aria-label="Close" className={dialog.close} icon={<X />} />
        </div>
        <Modal.Body className={dialog.body}>
          {step === 'source' && stored.note}
          {step === 'source' && (
            <SourceStep
              kept={kept}
              way={way}
              onWay={setWay}
              url={{
                fields,
                change(next) {
                  stored.change(next)
                  compare.reset()
                },
                isFetched: false,
                isFetching: compare.isPending,
                error: isOfAddress ? error : null,
                fetch: (next = {}) => compareIt(wantedOf({ ...fields, ...next })),
              }}
              text={text}
              onText={given => {
                intake.forget()
                setText(given)
              }}
              onFile={file => void intake.takeFiles([file])}
              onPaste={() => void intake.pasteFromClipboard()}
              refusal={intake.refusal}
              error={isOfAddress ? null : error}
              editor={editor}
            />
          )}
          {step === 'difference' && comparison !== null && (
            <DifferenceStep
              comparison={comparison}
              rows={rows}
              selected={selected}
              onSelect={({ key }) => setSelectedKey(key)}
              selection={selection}
              onSelectionChange={setSelection}
              onStep={goTo}
              listRef={list}
            />
          )}
          {step === 'done' && done !== null && <DoneStep done={done} isUndone={isUndone} />}
        </Modal.Body>
        {step === 'source' && (
          <Foot
            status={
              compare.isPending ? (
                <Delayed ms={300}>
                  <Working what="Comparing" onCancel={() => abort.current?.abort()} />
                </Delayed>
              ) : (
                <span className="t2">Your own edits are kept, and nothing is deleted.</span>
              )
            }
            back={{ label: 'Cancel', keys: 'escape', run: close }}
            on={{
              label: 'Compare',
              run: () => compareIt(),
              isDisabled: isBlank,
              isBusy: isGoingOn || compare.isPending,
            }}
          />
        )}
        {step === 'difference' && (
          <Foot
            status={
              update.isPending ? (
                <Delayed ms={500}>
                  <Working what="Importing" />
                </Delayed>
              ) : (
                <span className="t2">{isNothing ? '' : footWords}</span>
              )
            }
            back={{ label: 'Back', run: () => setStep('source') }}
            on={{ label: takes, run: take, isBusy: update.isPending }}
          />
        )}
        {step === 'done' && (
          <Foot
            status={null}
            back={
              isUndone || done === null || madeOf(done) === 0
                ? { label: 'Close', keys: 'escape', run: close }
                : { label: 'Take it back', keys: 'mod+z', run: takeBack }
            }
            on={{ label: 'Open connection', run: openConnection }}
          />
        )}
        {isOver && <ImportCover into="this comparison" />}
      </Modal.Content>
    </Modal.Root>
  )
}

const footWords = 'Own edits are kept unless you check them.'

/** Names the document: “api.example.com/openapi.json, version 2.2”. */
function DocumentName(props: { readonly url: string; readonly way: Way; readonly of: ImportComparison }) {
  const { url, way, of } = props
  const name = way === 'url' ? url.replace(/^https?:\/\//i, '') : null
  const version = of.documentVersion === null ? null : `version ${of.documentVersion}`
  const words = [name, version].filter(part => part !== null).join(', ')
  if (words === '') return null
  return (
    <span className={`row sm t2 ${dialog.headFile}`} title={words}>
      {name === null ? <FileText size={14} className="t3" /> : <Link size={14} className="t3" />}
      <span className="cut">{words}</span>
    </span>
  )
}
