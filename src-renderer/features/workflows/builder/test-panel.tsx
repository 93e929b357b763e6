import { Checkbox } from '@mantine/core'
import { CircleCheck, CircleDashed, CircleX, Copy, RotateCw } from 'lucide-react'
import { useId, useState } from 'react'
import type { Condition } from '#shared/model/condition.ts'
import { kindOf } from '#shared/workflows/steps/kinds.ts'
import { SetMissingVariables } from '../../../entities/environment/set-missing-variables.tsx'
import { conditionText } from '../../../entities/workflow/condition-labels.ts'
import { TemplateText } from '../../../entities/workflow/steps/template-text.tsx'
import { stepTitle } from '../../../entities/workflow/steps/views.ts'
import { StatusCode } from '../../../ui/badges.tsx'
import { JsonBlock } from '../../../ui/code-block.tsx'
import { copyWithToast } from '../../../ui/copy-with-toast.ts'
import { cssVariables } from '../../../ui/css-variables.ts'
import { ErrorState } from '../../../ui/empty-state.tsx'
import { Fact } from '../../../ui/fact.tsx'
import { formatClock, formatMs } from '../../../ui/format.ts'
import { formatJson } from '../../../ui/format-json.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { JsonEditor } from '../../../ui/json-editor.tsx'
import { useFocusList } from '../../../ui/keyboard-list.ts'
import { BackButton } from '../../../ui/master-detail.tsx'
import { Note } from '../../../ui/note.tsx'
import pane from '../../../ui/pane.module.css'
import { Pill } from '../../../ui/pill.tsx'
import { SearchSelect } from '../../../ui/search-select.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { useBuilder } from './builder-context.ts'
import { dataOf, type SampleEvent } from './sample.ts'
import classes from './test-panel.module.css'
import { effectsOf, outcomeText, type TestRow, testRows } from './test-rows.ts'
import type { ChosenEvent } from './use-chosen-event.ts'
import { type TestRun, type TestRuns, useCall } from './use-test-run.ts'

/** Runs the workflow with an event, and shows what each step did. */
export function TestPanel(props: {
  readonly chosen: ChosenEvent
  readonly tests: TestRuns
  readonly dryRun: boolean
  readonly onDryRun: (dryRun: boolean) => void
  readonly isBusy: boolean
  readonly onRun: () => void
}) {
  const { chosen, tests, dryRun, onDryRun, isBusy, onRun } = props
  const { last, error, isPending } = tests
  return (
    <section className={classes.test} aria-label="Test run">
      <div className={pane.bar}>
        <BackButton />
        <h2 className="h2">Test run</h2>
        {last !== null && !isPending && <Outcome last={last} />}
        {isPending && <span className="sm t3">Running…</span>}
        <span className="push" />
        {last !== null && (
          <IconButton isWriting icon={RotateCw} label="Run again" loading={isBusy} onClick={onRun} />
        )}
      </div>
      <div className="scroll" data-scroll-room>
        <div className={classes.testForm}>
          <EventPicker {...chosen} />
          <CalledOut isDryRun={dryRun} />
          <Checkbox
            size="xs"
            label="Dry run: fill in every template and send nothing"
            checked={dryRun}
            onChange={event => onDryRun(event.currentTarget.checked)}
          />
        </div>
        {error !== null && !isPending ? (
          <ErrorState title="The test did not run" error={error} onRetry={onRun} />
        ) : last === null ? (
          <p className={`${classes.nothing} sm t3`}>
            Nothing has been tested yet. Each step appears here with its duration, input and output.
          </p>
        ) : (
          <Result key={last.run.runId} last={last} />
        )}
      </div>
    </section>
  )
}

const words = { succeeded: 'Succeeded', failed: 'Failed', cancelled: 'Cancelled' } as const

function Outcome({ last: { run } }: { readonly last: TestRun }) {
  const { status, startedAt, endedAt, dryRun } = run
  const word = status in words ? words[status as keyof typeof words] : 'Not finished'
  const ms = startedAt === null || endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt)
  return (
    <>
      <Pill tone={status === 'succeeded' ? 'ok' : status === 'failed' ? 'bad' : 'mute'}>
        {dryRun ? `${word}, dry run` : word}
      </Pill>
      {ms !== null && <span className="sm t2 num">{formatMs(ms)}</span>}
    </>
  )
}

/** Chooses a received event, a declared sample, or one that is typed. */
function EventPicker({ event, events, isReading, isEmpty, choose, type, note }: ChosenEvent) {
  const { nameOf } = useBuilder()
  const now = useNow()
  const received = events.filter(({ receivedAt }) => receivedAt !== null)
  const samples = events.filter(({ kind }) => kind === 'sample')
  const labelOf = (one: SampleEvent) =>
    one.receivedAt !== null
      ? `${one.eventName} ${one.subject ?? ''} · ${formatClock(one.receivedAt, now)}, ${one.kind === 'stored' ? 'stored' : 'in memory'}`
      : `${one.eventName} · declared sample of ${nameOf(one.connectionId)}`
  const group = (name: string, events: readonly SampleEvent[]) =>
    events.length === 0
      ? []
      : [{ group: name, items: events.map(one => ({ value: one.id, label: labelOf(one) })) }]
  return (
    <>
      {note}
      <SearchSelect
        size="sm"
        aria-label="Event for the test run"
        maxDropdownHeight={300}
        value={isReading ? null : event.id}
        placeholder={isReading ? 'Reading the events…' : undefined}
        data={
          isReading
            ? []
            : [
                ...group('Received events', received),
                ...group('Declared samples', samples),
                { group: 'Other', items: [{ value: 'typed', label: 'Typed here' }] },
              ]
        }
        onChange={id => id !== null && choose(id)}
      />
      {isEmpty && !isReading && (
        <p className="sm t3">
          There is no received event and no declared sample. Type event data to preview each template.
        </p>
      )}
      {event.kind === 'typed' && !isReading && (
        <>
          <JsonEditor
            label="Data of the event"
            value={event.dataText}
            minLines={4}
            maxLines={14}
            foot={false}
            onChange={type}
          />
          {dataOf(event.dataText) === null && (
            <p className="sm bad">The data of an event is a JSON object, such as {'{"order_id": "1"}'}.</p>
          )}
        </>
      )}
    </>
  )
}

/** Says which steps really call out, so that a test surprises nobody. */
function CalledOut({ isDryRun }: { readonly isDryRun: boolean }) {
  const { draft, nameOf } = useBuilder()
  const { calls, notifies } = effectsOf(draft.steps, nameOf)
  if (isDryRun || (calls.length === 0 && !notifies))
    return (
      <p className="sm t3">
        {isDryRun ? 'Nothing is sent.' : 'No step calls another system.'} Waits are skipped.
      </p>
    )
  return (
    <Note tone={calls.length > 0 ? 'warn' : 'mute'}>
      {calls.length > 0 && (
        <>
          A test sends real requests: <b>{calls.join(', ')}</b>.{' '}
        </>
      )}
      {notifies && (calls.length > 0 ? 'It also shows notifications. ' : 'A test shows notifications. ')}
      Waits are skipped, and nothing is retried.
    </Note>
  )
}

const signs = {
  succeeded: <CircleCheck size={16} className="ok" aria-label="Succeeded" />,
  failed: <CircleX size={16} className="bad" aria-label="Failed" />,
  other: <CircleDashed size={16} className="t3" aria-label="Not taken" />,
}

/** The steps of a run with their times, and what the chosen one was given and returned. */
function Result({ last }: { readonly last: TestRun }) {
  const { run, steps } = last
  const rows = testRows(steps, run)
  const hasFailed = run.status === 'failed'
  const [chosen, setChosen] = useState<string | null>(null)
  const telling =
    rows.find(({ ran }) => ran?.status === 'failed') ??
    rows.findLast(({ ran, step }) => ran !== undefined && kindOf(step).does === 'call') ??
    rows.findLast(({ ran }) => ran !== undefined)
  const shown = rows.find(({ id }) => id === chosen) ?? telling
  const { listProps } = useFocusList<HTMLOListElement>('button:not(:disabled)')
  const total = Math.max(1, ...rows.map(({ startMs, ms }) => (startMs ?? 0) + (ms ?? 0)))
  return (
    <>
      {hasFailed && run.error !== null && run.steps.every(({ status }) => status !== 'failed') && (
        <div className={classes.testForm}>
          <Note tone="bad">{run.error.message}</Note>
        </div>
      )}
      {run.fits !== null && <Fits fits={run.fits} when={last.trigger.when} />}
      <ol {...listProps}>
        {rows.map(row => (
          <TimelineRow
            key={row.id}
            row={row}
            run={run}
            total={total}
            isChosen={row === shown}
            onChoose={() => setChosen(row.id)}
          />
        ))}
      </ol>
      {shown !== undefined && shown.ran !== undefined && <StepResult row={shown} runId={run.runId} />}
    </>
  )
}

/** Says whether the event would start a run. */
function Fits({ fits, when }: { readonly fits: boolean; readonly when: Condition | undefined }) {
  return (
    <div className={classes.fits}>
      {fits ? (
        <CircleCheck size={16} className="ok" aria-hidden />
      ) : (
        <CircleX size={16} className="t3" aria-hidden />
      )}
      <span className="col">
        <span className="w5">{fits ? 'Trigger fits' : 'Trigger does not fit: the event starts no run'}</span>
        {when !== undefined && (
          <span className="sm t3 cut">
            <TemplateText text={conditionText(when)} />
          </span>
        )}
      </span>
    </div>
  )
}

function TimelineRow(props: {
  readonly row: TestRow
  readonly run: TestRun['run']
  /** Milliseconds of the whole run. */
  readonly total: number
  readonly isChosen: boolean
  readonly onChoose: () => void
}) {
  const { row, run, total, isChosen, onChoose } = props
  const { nameOf } = useBuilder()
  const { ran, startMs, ms } = row
  const outcome = outcomeText(row, run, nameOf)
  const sign = ran?.status === 'succeeded' || ran?.status === 'failed' ? ran.status : 'other'
  return (
    <li>
      <button
        type="button"
        className={classes.timelineRow}
        data-chosen={isChosen || undefined}
        aria-pressed={isChosen}
        disabled={ran === undefined}
        onClick={onChoose}
      >
        {signs[sign]}
        <span className="col">
          <span className="w5 cut">
            <RowTitle row={row} />
          </span>
          <span className="sm t3 cut" title={outcome}>
            {outcome}
          </span>
        </span>
        <span
          className={classes.bar}
          style={cssVariables({
            '--from': `${((startMs ?? 0) / total) * 100}%`,
            '--share': `${((ms ?? 0) / total) * 100}%`,
          })}
        >
          {ms !== null && <i />}
        </span>
        <span className="sm t2 num">{ms === null ? '' : formatMs(ms)}</span>
      </button>
    </li>
  )
}

function RowTitle({ row: { step, item } }: { readonly row: TestRow }) {
  const { actionsOf } = useBuilder()
  const name = stepTitle(step, actionsOf)
  return item === '' ? name : `${name}, item ${item}`
}

/** Shows the input and the output of a step. */
function StepResult({ row, runId }: { readonly row: TestRow; readonly runId: string }) {
  const attempt = row.ran?.attempts.at(-1)
  const call = useCall(attempt?.callId ?? null)
  if (attempt === undefined) return null
  const { input, output, absent, error, shortened } = attempt
  const path = row.ran?.path ?? ''
  return (
    <div className={classes.result}>
      {absent.length > 0 && (
        <Note tone="warn">
          No value in this event: <b>{absent.map(name => `{{${name}}}`).join(', ')}</b>. An empty text was
          used.
        </Note>
      )}
      {error !== null && (
        <Note tone="bad">
          {error.message} <code>{error.code}</code>
        </Note>
      )}
      {call?.error != null && (
        <div className="row" style={{ flexWrap: 'wrap' }}>
          <SetMissingVariables error={call.error} again="Run the test again to use it." />
        </div>
      )}
      {row.ran?.private && <Note>Private: not kept.</Note>}
      {shortened && <Note>Input or output is longer than 256 KiB and was not kept.</Note>}
      <Part title="Input" value={input} />
      <Part title="Output" value={output} status={call?.response?.status} />
      <dl className={`${classes.runFacts} facts sm`}>
        {kindOf(row.step).does === 'call' && (
          <Fact name="Idempotency key">
            <code>{`${runId}.${path}`}</code>
          </Fact>
        )}
        <dt>Attempts</dt>
        <dd className="num">{attempt.attempt}. A test makes one.</dd>
      </dl>
    </div>
  )
}

function Part(props: {
  readonly title: string
  readonly value: unknown
  readonly status?: number | undefined
}) {
  const { title, value, status } = props
  const id = useId()
  if (value === null || value === undefined) return null
  const text = formatJson(JSON.stringify(value) ?? '')
  return (
    <section className={classes.io} aria-labelledby={id}>
      <div className="row">
        <h3 id={id} className="h3">
          {title}
        </h3>
        {status !== undefined && <StatusCode status={status} />}
        <span className="push" />
        <IconButton
          icon={Copy}
          size="xs"
          label={`Copy ${title.toLowerCase()}`}
          onClick={() => copyWithToast(text, title)}
        />
      </div>
      <JsonBlock label={title} text={text} wrap />
    </section>
  )
}
