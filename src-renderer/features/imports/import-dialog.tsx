import { FocusTrap, Modal, Switch } from '@mantine/core'
import { useBlocker, useNavigate } from '@tanstack/react-router'
import { FileText, X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import type { ServerTargets } from '#shared/model/import-server.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import { useImportIntake } from '../../entities/import-document/use-import-intake.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import type { ImportRequest } from '../../overlays.tsx'
import { Delayed } from '../../ui/delayed.tsx'
import { useFileDrop } from '../../ui/file-drop.tsx'
import { useReturnFocus } from '../../ui/focus.ts'
import type { JsonEditorHandle } from '../../ui/json-editor.tsx'
import { Note } from '../../ui/note.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { chosenPart, nothingUnchecked, selectionOf } from './choice.ts'
import { type Done, DoneStep } from './done-step.tsx'
import classes from './import-dialog.module.css'
import { ImportCover } from './import-drop-target.tsx'
import { DiscardDialog, Foot, SourceStatus, type Step, Steps, Working } from './import-foot.tsx'
import { importLabel } from './import-labels.ts'
import { constantsOf, type Fillings, nothingFilled } from './operations.ts'
import { type Filled, PlaceholdersStep } from './placeholders-step.tsx'
import type { AskedAuth } from './preview-sign-in.tsx'
import { PreviewStep } from './preview-step.tsx'
import { hostsOf } from './preview-variables.tsx'
import { SourceBar } from './source-bar.tsx'
import { sourceStateOf } from './source-state.ts'
import { SourceStep } from './source-step.tsx'
import { useApplyImport, useImportPreview } from './use-import-preview.ts'
import { type ImportSource, useImportSource } from './use-import-source.ts'

/** Takes all servers that operations need. */
const allServers: ServerTargets = {}

/** Imports a text in steps: the document, placeholders if its paths have any, the preview, the result. */
export default function ImportDialog(props: {
  readonly request: ImportRequest
  readonly onClose: () => void
}) {
  useReturnFocus()
  const { request, onClose } = props
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const [step, setStep] = useState<Step>('document')
  const [connectionId, setConnectionId] = useState(request.connectionId ?? null)
  const [done, setDone] = useState<Done | null>(null)
  const [isAsking, setIsAsking] = useState(false)
  /** Whether to go on when the text is checked. */
  const [isGoingOn, setIsGoingOn] = useState(false)
  /** The key of the values and the host that the user has allowed. */
  const [consent, setConsent] = useState<string | null>(null)
  const [unchecked, setUnchecked] = useState(nothingUnchecked)
  const [useBaseUrl, setUseBaseUrl] = useState(true)
  const [keepsAddress, setKeepsAddress] = useState(true)
  const [fillings, setFillings] = useState<Fillings>(nothingFilled)
  const [auth, setAuth] = useState<AskedAuth>(undefined)
  const [servers, setServers] = useState(allServers)
  /** Those of the preview. */
  const [constants, setConstants] = useState<Constants>({})
  const editor = useRef<JsonEditorHandle>(null)
  const consentBox = useRef<HTMLInputElement>(null)

  function forgetChoices(): void {
    setUnchecked(nothingUnchecked)
    setFillings(nothingFilled)
    setConstants({})
    setAuth(undefined)
    setServers(allServers)
  }
  const { source, note, way, setWay, replace, type, url } = useImportSource(request, forgetChoices)
  const isBlank = source.text.trim() === '' || (way === 'url' && !url.isFetched)
  const target = {
    connectionId,
    workspaceId: connectionId === null ? (workspace?.workspaceId ?? null) : null,
    useBaseUrl,
    placeholders: constants,
    ...(auth !== undefined && { auth }),
    servers,
  }
  const apply = useApplyImport({
    done(made) {
      setDone(made)
      setStep('done')
    },
    refused: () => setStep('document'),
  })
  // Its own import must not start another preview.
  const state = useImportPreview(source, target, !apply.isPending && done === null)
  const { preview } = state
  const chosen = preview === null ? null : chosenPart(preview, unchecked)
  // A change made elsewhere may have made the document invalid.
  const isPreviewed = step === 'placeholders' || step === 'preview'
  const shown: Step = isPreviewed && preview?.valid !== true ? 'document' : step
  const hasPlaceholders = preview !== null && preview.placeholders.length > 0

  const intake = useImportIntake({
    isBlank,
    isOpen: shown === 'document',
    files: request.files,
    onText(text, fileName) {
      replace(text, fileName)
      forgetChoices()
      setStep('document')
      editor.current?.focus()
    },
  })
  const at = sourceStateOf({ isReading: intake.isReading, isFetching: url.isFetching, isBlank, state })
  const isOver = useFileDrop(files => void intake.takeFiles(files), shown !== 'done')

  const toConsent = chosen === null || hostsOf(chosen).length === 0 ? null : consentKey(chosen)
  const needsConsent = toConsent !== null && consent !== toConsent
  const label = chosen === null ? null : importLabel(chosen)
  const previewHint =
    label === null
      ? preview !== null && importLabel(preview) !== null
        ? 'Nothing is ticked.'
        : 'It contains nothing new.'
      : needsConsent
        ? 'Tick the box to allow sending the values of variables.'
        : 'Nothing is written until you import. The import is all or nothing.'

  function fetchIt(...next: Parameters<typeof url.fetch>): void {
    // It is about another document.
    intake.forget()
    url.fetch(...next)
  }
  function goOn(): void {
    if (way === 'url' && !url.isFetched) {
      fetchIt()
      setIsGoingOn(true)
      return
    }
    if (intake.isReading) {
      setIsGoingOn(true)
      return
    }
    if (isBlank) return
    const isAwaited = !state.isCurrent && state.error === null
    if (isAwaited && (state.isChecking || preview === null || preview.valid)) setIsGoingOn(true)
    else if (state.isCurrent && preview?.valid === true)
      setStep(shown === 'document' && hasPlaceholders ? 'placeholders' : 'preview')
    else editor.current?.nextProblem()
  }
  function keep(filled: Filled): void {
    setFillings(filled.fillings)
    setUnchecked(filled.unchecked)
  }
  function importIt(): void {
    if (needsConsent) consentBox.current?.focus()
    else if (preview !== null && chosen !== null && label !== null && state.isCurrent && !apply.isPending) {
      const only = selectionOf(preview, unchecked)
      apply.mutate({
        input: { text: source.text, ...(keepsAddress && sourceOf(source)), only, ...target },
        preview: chosen,
      })
    }
  }
  function openConnection(): void {
    if (done === null) return
    onClose()
    void navigate({
      to: '/connections/$connectionId',
      params: { connectionId: done.result.connectionId },
    })
  }
  function goBack(): void {
    setStep('document')
    // The editor can be focused only when it is visible.
    requestAnimationFrame(() => editor.current?.focus())
  }
  function goTo(place: { readonly line: number; readonly column: number }): void {
    setStep('document')
    if (way === 'url') setWay('paste')
    requestAnimationFrame(() => editor.current?.goTo(place))
  }

  const settle = useEffectEvent(() => {
    setIsGoingOn(false)
    goOn()
  })
  const isSettled = !intake.isReading && !isBlank && (state.isCurrent || state.error !== null)
  useEffect(() => {
    if (isGoingOn && isSettled) settle()
  }, [isGoingOn, isSettled])
  useEffect(() => {
    if (url.error !== null || intake.refusal !== null) setIsGoingOn(false)
  }, [url.error, intake.refusal])

  const wouldLose = source.isTyped && step !== 'done'
  function close(): void {
    if (apply.isPending) return
    if (wouldLose) setIsAsking(true)
    else onClose()
  }
  useBlocker({
    disabled: !wouldLose,
    enableBeforeUnload: wouldLose,
    shouldBlockFn: () => {
      setIsAsking(true)
      return true
    },
  })

  const act = { document: goOn, placeholders: goOn, preview: importIt, done: openConnection }[shown]
  useShortcut(
    { keys: 'mod+enter', label: 'Go on', group: 'Dialog' },
    act,
    !isAsking && shown !== 'placeholders',
  )
  useShortcut(
    { keys: 'f8', label: 'Next problem', group: 'Dialog' },
    () => editor.current?.nextProblem(),
    shown === 'document' && !isAsking,
  )
  useShortcut({ keys: 'escape', label: 'Close', group: 'Dialog' }, () =>
    isAsking ? setIsAsking(false) : close(),
  )

  return (
    <Modal.Root opened onClose={close} size={980} centered closeOnEscape={false} xOffset={16} yOffset={16}>
      <Modal.Overlay />
      <Modal.Content classNames={{ content: classes.content ?? '' }}>
        <FocusTrap.InitialFocus
          onFocus={({ relatedTarget: before, currentTarget }) => {
            // It gets the focus twice, the second time after the user may have focused a field of the dialog.
            const dialog = currentTarget.closest('[role="dialog"]')
            if (before instanceof HTMLElement && dialog?.contains(before) === true) before.focus()
            else editor.current?.focus()
          }}
        />
        <div className={classes.head}>
          <Modal.Title className="h2">Import</Modal.Title>
          <Steps
            step={shown}
            steps={['document', ...(hasPlaceholders ? (['placeholders'] as const) : []), 'preview', 'done']}
          />
          <span className="push" />
          {shown !== 'document' && source.fileName !== null && (
            <span className={`row sm t2 ${classes.headFile}`}>
              <FileText className="t3" />
              <span className="cut">{source.fileName}</span>
            </span>
          )}
          <Modal.CloseButton aria-label="Close" className={classes.close} icon={<X />} />
        </div>
        <Modal.Body className={classes.body} data-hidden={shown !== 'document' || undefined}>
          {note}
          <SourceBar
            source={source}
            way={way}
            onWay={setWay}
            connectionId={connectionId}
            onTarget={target => {
              setConnectionId(target)
              // What it means to keep a sign-in, or a server, depends on the connection.
              setAuth(undefined)
              setServers(allServers)
            }}
          />
          {intake.refusal !== null && (
            <div className={classes.refusal}>
              <Note tone="bad">{intake.refusal}</Note>
            </div>
          )}
          <SourceStep
            source={source}
            way={way}
            url={{ ...url, fetch: fetchIt }}
            state={state}
            at={at}
            editor={editor}
            urlChoices={
              <Switch
                label="Keep the address"
                description="Importing again then fetches the document from it. The header is kept only if its value is a variable."
                checked={keepsAddress}
                onChange={event => setKeepsAddress(event.currentTarget.checked)}
              />
            }
            onFile={file => void intake.takeFiles([file])}
            onPaste={() => void intake.pasteFromClipboard()}
            onType={text => {
              intake.forget()
              type(text)
              // The text may have other servers now.
              setServers(allServers)
            }}
            goTo={goTo}
            goToNext={() => editor.current?.nextProblem()}
          />
        </Modal.Body>
        {shown === 'document' && (
          <Foot
            status={<SourceStatus at={at} state={state} />}
            back={{ label: 'Cancel', keys: 'escape', run: close }}
            on={{
              label: hasPlaceholders ? 'Choose operations' : 'Preview',
              run: goOn,
              isDisabled:
                way === 'url' && !url.isFetched
                  ? url.fields.url.trim() === ''
                  : isBlank || state.issues.some(({ severity }) => severity === 'error'),
              isBusy: isGoingOn,
            }}
          />
        )}
        {shown === 'placeholders' && preview !== null && (
          <PlaceholdersStep
            preview={preview}
            initial={{ fillings, unchecked }}
            onBack={filled => {
              keep(filled)
              goBack()
            }}
            onFill={filled => {
              keep(filled)
              // The preview has to be that of the constants.
              setConstants(constantsOf(filled.fillings))
              setIsGoingOn(true)
            }}
            isBusy={isGoingOn}
            onCancel={() => setIsGoingOn(false)}
            hasKeys={!isAsking}
          />
        )}
        {shown === 'preview' && preview !== null && (
          <>
            <PreviewStep
              preview={preview}
              unchecked={unchecked}
              onCheck={setUnchecked}
              useBaseUrl={useBaseUrl}
              onUseBaseUrl={setUseBaseUrl}
              hasConsent={!needsConsent}
              onConsent={given => setConsent(given ? toConsent : null)}
              consentRef={consentBox}
              asked={auth}
              onAsk={setAuth}
              servers={servers}
              onServers={setServers}
              connectionId={connectionId}
              goTo={goTo}
            />
            <Foot
              status={
                apply.isPending ? (
                  <Delayed ms={500}>
                    <Working what="Importing" />
                  </Delayed>
                ) : (
                  <span className="t2">{previewHint}</span>
                )
              }
              back={{
                label: 'Back',
                run: () => (hasPlaceholders ? setStep('placeholders') : goBack()),
              }}
              on={{
                label: label ?? 'Import',
                run: importIt,
                isDisabled: needsConsent || label === null || !state.isCurrent,
                isBusy: apply.isPending,
              }}
            />
          </>
        )}
        {shown === 'done' && done !== null && (
          <>
            <DoneStep done={done} onClose={onClose} />
            <Foot
              status={null}
              back={{ label: 'Close', keys: 'escape', run: close }}
              on={{ label: 'Open connection', run: openConnection }}
            />
          </>
        )}
        {isOver && <ImportCover into={connectionId === null ? 'a new connection' : 'this connection'} />}
        {isAsking && <DiscardDialog onKeep={() => setIsAsking(false)} onDiscard={onClose} />}
      </Modal.Content>
    </Modal.Root>
  )
}

/** Where a text was fetched, for the import that keeps its source. */
function sourceOf({ fetched }: ImportSource) {
  return fetched === null ? {} : { url: fetched.url, header: fetched.header ?? null }
}

/** Identifies a consent: to send these values to these hosts. */
function consentKey({ environmentVariables }: Pick<ImportPreview, 'environmentVariables'>): string {
  return environmentVariables.map(({ name, host }) => `${name} ${host}`).join(' ')
}
