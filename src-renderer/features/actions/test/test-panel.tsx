import { Button, SegmentedControl } from '@mantine/core'
import { SquareTerminal } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Action } from '#shared/model/action.ts'
import { inputsOf } from '#shared/model/parameter.ts'
import { exactArguments } from '../../../client/exact-arguments.ts'
import { readArguments, valuesOf } from '../../../entities/action/argument-values.ts'
import { useBrokenTexts } from '../../../entities/action/use-broken-texts.ts'
import { useTypedArguments } from '../../../entities/action/use-typed-arguments.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { curlForCall } from '../../../entities/snippet/call-as-curl.ts'
import { copyWithToast } from '../../../ui/copy-with-toast.ts'
import { Delayed } from '../../../ui/delayed.tsx'
import { EmptyState, ErrorState } from '../../../ui/empty-state.tsx'
import { Note } from '../../../ui/note.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { fieldsOf } from '../action-draft.ts'
import { partsOfCall, urlOfCall } from '../called-url.ts'
import { SaveAsCase, type SavingState } from '../cases/save-as-case.tsx'
import type { Cases } from '../cases/use-cases.ts'
import { PreviewView } from '../preview/preview-view.tsx'
import { previewOf } from '../preview/request-preview.ts'
import type { DraftForm } from '../use-action-draft.ts'
import { useActionPlace } from '../use-action-place.ts'
import { ArgumentForm } from './argument-form.tsx'
import { argumentProblems } from './call-problems.ts'
import { BaseUrlForm, CallProblem, Waiting } from './no-result.tsx'
import { shownTest } from './shown-test.ts'
import classes from './test.module.css'
import { TestResult } from './test-result.tsx'
import { type TestCall, useOlderTest, useTests } from './use-test-call.ts'

/** Sends real calls of an action, and shows their results. */
export function TestPanel(props: {
  /** Null for a new action, which the first request creates. */
  readonly action: Action | null
  readonly form: DraftForm
  readonly call: TestCall
  /** The id of the shown test, or null for the newest. */
  readonly shownTest: string | null
  readonly onShowTest: (callId: string | null) => void
  readonly cases: Cases
  readonly saving: SavingState
  readonly onSaving: (state: SavingState) => void
}) {
  const { action, form, call, onShowTest } = props
  const actionId = action?.actionId ?? null
  const connection = useCurrentConnection()
  const place = useActionPlace()
  const newest = useTests(actionId)
  const older = useOlderTest(props.shownTest, newest.tests, call.fresh)
  const tests = older.test === null ? newest.tests : [...newest.tests, older.test]
  const isReading = newest.isReading || older.isReading
  const [typed, setTyped] = useTypedArguments(actionId ?? 'new')
  const resultPane = useRef<HTMLDivElement>(null)
  const baseUrlField = useRef<HTMLInputElement>(null)
  const [attempted, setAttempted] = useState(false)
  const { broken, onBroken } = useBrokenTexts()
  /** Null shows the answer once there is one. */
  const [view, setView] = useState<'before' | 'answer' | null>(null)

  // A test saves the draft first, so the form is of the draft.
  const fields = fieldsOf(form.draft)
  const parameters = inputsOf(fields.parameters)
  const values = typed ?? valuesOf(parameters, tests[0] === undefined ? {} : exactArguments(tests[0]))
  const read = readArguments(parameters, values)
  const shown = older.isReading ? null : shownTest(tests, props.shownTest, call.fresh)
  const refused = shown?.result.error == null ? null : argumentProblems(shown.result.error, parameters)
  // A value that is given is checked at once; what is missing, when it is sent.
  const isShown = (name: string) => attempted || Object.hasOwn(read.given, name)
  const wrong = [...read.problems].filter(([name]) => isShown(name))
  const problems = new Map([...(attempted || refused === null ? [] : refused), ...wrong])
  const controls = { problems: read.refused, onBroken }
  const { baseUrl } = connection
  const url = baseUrl === null ? null : urlOfCall(baseUrl, fields, read.given)
  const host = url === null ? 'the external system' : new URL(url).host

  /** Focuses the field of an argument, or of the part of it that does not fit. */
  function goTo(name: string): void {
    const paths = [...read.refused.keys(), ...broken].filter(path => path.startsWith(`${name}.`))
    const fields = [...paths, name].map(path =>
      document.querySelector(`[data-argument="${CSS.escape(path)}"]`),
    )
    const input = fields
      .find(field => field !== null)
      ?.querySelector('input, select, [contenteditable="true"]')
    if (input instanceof HTMLElement) input.focus()
  }

  async function send(): Promise<void> {
    if (call.isPending) return
    // Without a base URL nothing can be sent, and nothing is recorded.
    if (baseUrl === null) {
      flushSync(() => onShowTest(null))
      baseUrlField.current?.focus()
      return
    }
    flushSync(() => setAttempted(true))
    if (read.arguments === null || broken.size > 0) {
      const [first] = [...read.problems.keys(), ...broken]
      flushSync(() => setView('before'))
      goTo(first ?? '')
      return
    }
    const given = read.arguments
    if (actionId === null) {
      // The editor of the created action replaces this one, and sends.
      await form.save({ beforeOpening: created => call.sendOnceOpen(created.actionId, given) })
      return
    }
    if (form.isDirty && (await form.save()) === null) return
    setAttempted(false)
    setView(null)
    onShowTest(null)
    // In a small window the result is below the arguments.
    resultPane.current?.scrollIntoView({ block: 'start' })
    call.send(given)
  }
  useShortcut({ keys: 'mod+enter', label: 'Send the request', group: 'Action' }, () => void send())

  function copyCurl(): void {
    const { headers, body } = partsOfCall(fields, read.arguments ?? {})
    const text = curlForCall({ method: fields.method, url: url ?? fields.path, headers, body })
    void copyWithToast(text, 'curl command', 'It reads the signing secret from CC_SIGNING_SECRET.')
  }

  const isAnswered = isReading || call.isPending || call.error !== null || shown !== null
  const shownView = view ?? (isAnswered || call.wasCancelled || baseUrl === null ? 'answer' : 'before')
  const [selectedPath, setSelectedPath] = useState<string | null>(null)
  const record = shownView === 'answer' ? tests.find(({ callId }) => callId === shown?.callId) : undefined
  const response = shown?.result.response ?? null
  const answered =
    action === null || record === undefined || response === null || call.isPending
      ? null
      : { action, record, response }
  const lastResult = (
    <Button variant="subtle" onClick={call.dismiss}>
      Show the last result
    </Button>
  )
  return (
    <>
      <div className={classes.url}>
        <CalledUrl baseUrl={baseUrl} url={url} path={fields.path} />
        <span className="push" />
        <SegmentedControl
          size="xs"
          aria-label="Request or answer"
          value={shownView}
          onChange={setView}
          data={optionsOf({ before: 'Before sending', answer: 'Answer' })}
        />
        <Button
          size="xs"
          variant="subtle"
          leftSection={<SquareTerminal />}
          onClick={copyCurl}
          disabled={url === null}
        >
          Copy as curl
        </Button>
        {action !== null && (
          <SaveAsCase
            answered={answered}
            selectedPath={selectedPath}
            cases={props.cases}
            state={props.saving}
            onChange={props.onSaving}
          />
        )}
      </div>
      {!connection.enabled && (
        <Note>
          This connection is disabled. You can send a test, but the assistant cannot call the action.
        </Note>
      )}
      <div className={classes.test}>
        <ArgumentForm
          parameters={parameters}
          method={fields.method}
          host={host}
          values={values}
          given={read.given}
          form={controls}
          problems={problems}
          warnings={read.warnings}
          isPending={call.isPending}
          before={actionId === null ? 'Create' : form.isDirty ? 'Save' : null}
          onChange={setTyped}
          onSend={() => void send()}
        />
        <div className={classes.result} ref={resultPane}>
          {shownView === 'before' ? (
            <PreviewView
              preview={previewOf(connection, fields, read.given)}
              wrong={[...new Set([...wrong.map(([name]) => name), ...[...broken].map(rootOf)])]}
              onGoTo={goTo}
            />
          ) : call.isPending ? (
            <Delayed ms={500}>
              <Waiting host={host} timeoutMs={connection.timeoutMs} onCancel={call.cancel} />
            </Delayed>
          ) : call.error !== null ? (
            <ErrorState
              title="The test could not be started"
              error={call.error}
              onRetry={() => void send()}
              actions={lastResult}
            />
          ) : call.wasCancelled && props.shownTest === null ? (
            <EmptyState
              title="Cancelled"
              actions={
                <>
                  <Button onClick={() => void send()}>Send again</Button>
                  {shown !== null && lastResult}
                </>
              }
            >
              The request may have reached {host} and been carried out there.
            </EmptyState>
          ) : baseUrl === null && props.shownTest === null ? (
            <BaseUrlForm path={fields.path} inputRef={baseUrlField} />
          ) : shown === null ? (
            !isReading && (
              <EmptyState title="Not tested yet">
                The response appears here with its status, its timing and its body. You can map fields of the
                body for the assistant.
              </EmptyState>
            )
          ) : shown.result.response === null && shown.result.error !== null ? (
            <CallProblem
              test={shown}
              tests={tests}
              onShowTest={onShowTest}
              onAgain={() => void send()}
              onDefinition={() => place.setPanel('definition')}
            />
          ) : (
            <TestResult
              test={shown}
              tests={tests}
              form={form}
              onShowTest={onShowTest}
              onSelect={setSelectedPath}
              onUseArguments={record => setTyped(valuesOf(parameters, exactArguments(record)))}
            />
          )}
        </div>
      </div>
    </>
  )
}

/** Returns the argument that a path is in; of the whole object as JSON, its name. */
const rootOf = (path: string) => (path === '' ? 'JSON' : (path.split('.')[0] ?? path))

function CalledUrl(props: {
  readonly baseUrl: string | null
  readonly url: string | null
  readonly path: string
}) {
  const { baseUrl, url, path } = props
  if (baseUrl === null || url === null)
    return <code className={`${classes.called} t3 cut`}>{`no base URL ${path}`}</code>
  // A placeholder without a value is shown as it is written.
  const shown = url.replaceAll('%7B', '{').replaceAll('%7D', '}')
  const rest = shown.startsWith(baseUrl) ? shown.slice(baseUrl.length) : null
  return (
    <code className={`${classes.called} cut`} title={shown}>
      {rest === null ? (
        shown
      ) : (
        <>
          <span className="t3">{baseUrl}</span>
          {rest}
        </>
      )}
    </code>
  )
}
