import { Button } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, type Ref, useId, useState } from 'react'
import type { ActionsOf } from '../../entities/action/use-actions.ts'
import { StatusIcon } from '../../entities/run/status-icon.tsx'
import { AttemptOutcome, StepDetail } from '../../entities/run/step-detail.tsx'
import { type Marks, TimeMarks } from '../../entities/run/time-marks.tsx'
import { attemptOf, type TimelineRow } from '../../entities/run/timeline.ts'
import { cssVariables, percent } from '../../ui/css-variables.ts'
import { formatClock, formatCount, formatDuration, formatExact } from '../../ui/format.ts'
import { rowOfKey } from '../../ui/keyboard-list.ts'
import { type Axis, shareOf } from './axis.ts'
import classes from './runs.module.css'

/** Loops can make thousands of rows, which are shown when they are asked for. */
const mostRows = 200

type TimelineProps = {
  readonly rows: readonly TimelineRow[]
  readonly axis: Axis
  readonly now: number
  readonly actionsOf: ActionsOf
  /** Id of the row whose attempt is shown below. */
  readonly chosen: string | null
  readonly onChoose: (id: string) => void
  readonly ref?: Ref<HTMLDivElement>
}

/** The steps and their attempts on one time axis. */
export function RunTimeline(props: TimelineProps) {
  const { rows, axis, now, actionsOf, chosen, onChoose, ref } = props
  const [isWhole, setIsWhole] = useState(false)
  const id = useId()
  const shown = isWhole ? rows : rows.slice(0, mostRows)
  const selectable = shown.filter(row => attemptOf(row) !== null)
  const selected = shown.findIndex(row => row.id === chosen)

  function onKeyDown(event: KeyboardEvent): void {
    const at = selectable.findIndex(row => row.id === chosen)
    const row = selectable[rowOfKey(event, at, selectable.length) ?? -1]
    if (row === undefined) return
    event.preventDefault()
    onChoose(row.id)
    document.getElementById(`${id}-${shown.indexOf(row)}`)?.scrollIntoView({ block: 'nearest' })
  }
  const nowShare = axis.now === null ? null : shareOf(axis, axis.now)
  return (
    <div className={classes.timeline}>
      <div className={classes.head} aria-hidden="true">
        <span />
        <span>Steps</span>
        <span className={`num ${classes.ticks}`} data-fixed>
          {/* The two would overlap. */}
          {(nowShare === null || nowShare > 0.4) && (
            <span className={classes.tick}>{formatClock(axis.from, now)}</span>
          )}
          {nowShare !== null && (
            <span className={classes.tick} data-at="now" style={{ left: percent(Math.max(nowShare, 0.06)) }}>
              now
            </span>
          )}
        </span>
        <span className={classes.took}>Took</span>
      </div>
      <div
        ref={ref}
        className={classes.steps}
        role="listbox"
        aria-label="Steps and attempts"
        aria-activedescendant={selected === -1 ? undefined : `${id}-${selected}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        {shown.map((row, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names its row
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
          <div
            key={row.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={row.id === chosen}
            aria-disabled={attemptOf(row) === null || undefined}
            className={classes.row}
            data-kind={row.kind}
            style={cssVariables({ '--depth': String(Math.min(row.depth, 4)) })}
            onClick={() => attemptOf(row) !== null && onChoose(row.id)}
          >
            <Row row={row} now={now} actionsOf={actionsOf} />
            <span className={classes.lane} aria-hidden="true">
              <TimeMarks now={nowShare} {...marksOf(row, axis)} />
            </span>
            <span className={`num sm ${classes.took}`}>{tookOf(row, now)}</span>
          </div>
        ))}
      </div>
      {shown.length < rows.length && (
        <Button variant="subtle" onClick={() => setIsWhole(true)}>
          Show {formatCount(rows.length - shown.length, 'more row')}
        </Button>
      )}
    </div>
  )
}

/** Returns how long a row took, or when it begins; null for one that has no time. */
function tookOf(row: TimelineRow, now: number): string | null {
  if (row.kind === 'item') return null
  if (row.kind === 'next') {
    const leftMs = row.at - now
    return leftMs <= 0 ? 'due now' : `in ${formatDuration(leftMs)}`
  }
  if (row.from === null) return null
  const isOpen = row.kind === 'step' && (row.status === 'waiting' || row.status === 'running')
  return formatDuration(Math.max(0, (isOpen ? now : (row.to ?? now)) - row.from))
}

/** The marker and the words of a row. */
function Row({
  row,
  now,
  actionsOf,
}: Pick<TimelineProps, 'now' | 'actionsOf'> & { readonly row: TimelineRow }) {
  if (row.kind === 'step')
    return (
      <>
        <span className={classes.first}>
          <StatusIcon status={row.status} />
        </span>
        <span className={`col ${classes.name}`}>
          <span className="row">
            <span className={`cut ${row.status === 'ahead' || row.status === 'skipped' ? 't3' : 'w5'}`}>
              {row.title}
            </span>
            {row.number !== null && (
              <span className="num sm t3">
                <span className="sr">Step </span>
                {row.number}
              </span>
            )}
          </span>
          <StepDetail row={row} actionsOf={actionsOf} />
        </span>
      </>
    )
  if (row.kind === 'item')
    return (
      <>
        <span />
        <span className={`cut sm t3 ${classes.name}`}>{row.title}</span>
      </>
    )
  if (row.kind === 'next')
    return (
      <Line number={row.number}>
        <time className="num t2" dateTime={new Date(row.at).toISOString()} title={formatExact(row.at)}>
          {formatClock(row.at, now)}
        </time>
        <span className="warn cut">next attempt</span>
      </Line>
    )
  const { attempt } = row
  return (
    <Line number={attempt.attempt}>
      <time className="num t2" dateTime={attempt.startedAt} title={formatExact(attempt.startedAt)}>
        {formatClock(row.from, now)}
      </time>
      <AttemptOutcome attempt={attempt} />
    </Line>
  )
}

function Line({ number, children }: { readonly number: number; readonly children: ReactNode }) {
  return (
    <>
      <span className={`num sm t3 ${classes.first}`}>
        <span className="sr">Attempt </span>
        {number}
      </span>
      <span className={`row ${classes.name}`}>{children}</span>
    </>
  )
}

/** Returns the bar of an attempt, the time until the next one, or the next attempt. */
function marksOf(row: TimelineRow, axis: Axis): Marks {
  if (row.kind === 'item') return {}
  if (row.kind === 'next') return { next: shareOf(axis, row.at) }
  // The attempts have bars of their own.
  if (row.from === null || (row.kind === 'step' && row.attempt === null)) return {}
  const from = shareOf(axis, row.from)
  const to = shareOf(axis, row.to ?? axis.now ?? axis.to)
  const hasFailed = attemptOf(row)?.error != null
  const tone = hasFailed ? 'bad' : row.to === null ? 'warn' : 'ok'
  const nextAt = row.kind === 'attempt' ? row.nextAt : null
  return { bar: { from, to, tone }, ...(nextAt !== null && { until: shareOf(axis, nextAt) }) }
}
