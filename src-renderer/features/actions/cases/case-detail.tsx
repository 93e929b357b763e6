import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CopyPlus, Pencil, Play } from 'lucide-react'
import { differenceText, fieldName, shownValue } from '#shared/cases/words.ts'
import type { Case, CaseDifference } from '#shared/model/case.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { ClockTime } from '../../../ui/badges.tsx'
import { JsonBlock } from '../../../ui/code-block.tsx'
import { useTransientFocus } from '../../../ui/focus.ts'
import { formatCount, formatMs } from '../../../ui/format.ts'
import { formatJson } from '../../../ui/format-json.ts'
import { KeyButton } from '../../../ui/keys.tsx'
import { BackButton } from '../../../ui/master-detail.tsx'
import { deleteEntry, MoreMenu } from '../../../ui/more-menu.tsx'
import pane from '../../../ui/pane.module.css'
import { WriteButton } from '../../../ui/write-button.tsx'
import { CaseMark } from './case-mark.tsx'
import { expectedRows, isCaseNewer } from './case-rows.ts'
import { useDifferences } from './case-runs.ts'
import { CaseTable } from './case-table.tsx'
import classes from './cases.module.css'
import { type FieldOf, useKeptAnswer } from './kept-answer.ts'
import type { CaseCommands } from './use-case-commands.ts'
import { stateOf } from './use-cases.ts'

/** A case: how its newest answer differs, its arguments, and what it expects beside what it got. */
export function CaseDetail(props: {
  readonly one: Case
  readonly commands: CaseCommands
  readonly isRunning: boolean
  readonly onEdit: () => void
  readonly onRun: () => void
}) {
  const { one, commands, isRunning, onEdit, onRun } = props
  const { name, last } = one
  const known = useDifferences(one)
  const answer = useKeptAnswer(last?.callId ?? null)
  return (
    <section className={classes.detail} aria-label={`Case ${name}`}>
      <div className={pane.bar}>
        <BackButton />
        {isRunning && <CaseMark state="running" />}
        <h3 className="h3 cut">{name}</h3>
        <span className="push" />
        <KeyButton variant="subtle" icon={Pencil} keys="e" onClick={onEdit}>
          Edit
        </KeyButton>
        <WriteButton icon={Play} keys="mod+enter" onClick={onRun}>
          Run
        </WriteButton>
        <MoreMenu
          name={name}
          width={180}
          entries={[
            {
              ...{ icon: CopyPlus, label: 'Duplicate', also: 'case', isWriting: true },
              run: () => void commands.duplicate(one),
            },
            deleteEntry(() => void commands.remove(one)),
          ]}
        />
      </div>
      <div className={classes.body}>
        <div className={classes.section} role="status">
          <Finding one={one} known={known} answer={answer} commands={commands} />
        </div>
        <div className={classes.section}>
          <h4 className="h3">Arguments</h4>
          <JsonBlock label="Arguments" text={shownArguments(one)} wrap />
        </div>
        <div className={classes.section}>
          <CaseTable
            rows={expectedRows(one, known)}
            answer={answer}
            isAnswered={last !== null && last.reason !== 'not_called'}
          />
        </div>
      </div>
    </section>
  )
}

/** The longest arguments that are shown in a line, which may wrap. */
const longestLine = 160

function shownArguments({ argumentsText, arguments: args }: Case): string {
  const text = argumentsText ?? JSON.stringify(args)
  const lines = formatJson(text)
  // A string has no line break of its own.
  return text.length > longestLine ? lines : lines.replace(/\n */g, ' ')
}

/** Says in its first line how the newest result is. */
function Finding(props: {
  readonly one: Case
  readonly known: readonly CaseDifference[] | null
  readonly answer: FieldOf | null
  readonly commands: CaseCommands
}) {
  const { one, known, answer, commands } = props
  const { last } = one
  if (last === null)
    return (
      <p className="row sm t2">
        <CaseMark state="waiting" />
        Not run yet.
      </p>
    )
  const { difference, error, callId } = last
  const state = stateOf(one)
  const old = last.isOld && (
    <p className="sm t2">Old: the {isCaseNewer(one) ? 'case' : 'action'} has changed since. Run it again.</p>
  )
  if (last.ok)
    return (
      <div className={classes.passed}>
        <CaseMark state={state} />
        <div className="grow">
          <p className="sm">
            {last.isOld ? 'The answer was as expected.' : 'The answer is as expected.'}{' '}
            <span className="t2 num">
              {last.status} · {formatMs(last.totalMs)} · <ClockTime at={last.at} />
            </span>
          </p>
          {old}
        </div>
        {callId !== null && <ShowAnswer callId={callId} label="Show answer" />}
      </div>
    )
  return (
    <div className={classes.finding} data-old={last.isOld || undefined}>
      {difference === null ? (
        <>
          <h4 className="h3">There was no answer</h4>
          <p className="sm t2">
            {error?.message} <code>{error?.code}</code>
          </p>
        </>
      ) : (
        <>
          <h4 className="h3">
            <DifferenceTitle difference={difference} />
          </h4>
          <p className="sm t2">{othersText(known)}</p>
        </>
      )}
      {old}
      <div className={classes.ways}>
        {difference !== null && !isCaseNewer(one) && (
          <ExpectFromNowOn one={one} difference={difference} answer={answer} commands={commands} />
        )}
        {callId !== null && (
          <ShowAnswer callId={callId} label={difference === null ? 'Show call' : 'Show answer'} />
        )}
      </div>
    </div>
  )
}

function DifferenceTitle({ difference }: { readonly difference: CaseDifference }) {
  const text = differenceText(difference)
  const name = fieldName(difference.path)
  return (
    <>
      <code>{name}</code>
      {text.slice(name.length)}
    </>
  )
}

function othersText(known: readonly CaseDifference[] | null): string {
  if (known === null) return 'The first field that differs. Whether others do is not kept: run it again.'
  return known.length === 1 ? 'The only field that differs.' : `${formatCount(known.length, 'field')} differ.`
}

/** Changes the rule to what the answer had, if that is known with all its digits. */
function ExpectFromNowOn(props: {
  readonly one: Case
  readonly difference: CaseDifference
  readonly answer: FieldOf | null
  readonly commands: CaseCommands
}) {
  const { one, difference, answer, commands } = props
  const { path, rule, actual } = difference
  // The button disappears with what it changes.
  const transient = useTransientFocus()
  if (rule !== 'equals' || actual === undefined) return null
  const valueText = path === '$status' ? JSON.stringify(actual) : (answer?.(path) ?? null)
  if (valueText === null) return null
  const shown = shownValue(actual)
  return (
    <span {...transient}>
      <WriteButton onClick={() => void commands.expect(one, difference, valueText)}>
        Expect {shown.length > 24 ? 'this value' : shown} from now on
      </WriteButton>
    </span>
  )
}

function ShowAnswer({ callId, label }: { readonly callId: string; readonly label: string }) {
  const { connectionId } = useCurrentConnection()
  return (
    <Button
      variant="subtle"
      renderRoot={rootProps => (
        <Link
          to="/connections/$connectionId/activity"
          params={{ connectionId }}
          search={{ item: callId }}
          {...rootProps}
        />
      )}
    >
      {label}
    </Button>
  )
}
