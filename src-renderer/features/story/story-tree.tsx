import { ChevronRight, CornerDownLeft } from 'lucide-react'
import { type KeyboardEvent, type Ref, useId } from 'react'
import type { ActionsOf } from '../../entities/action/use-actions.ts'
import { statusLabels } from '../../entities/run/run-labels.ts'
import { StatusIcon } from '../../entities/run/status-icon.tsx'
import { AttemptOutcome, StepDetail } from '../../entities/run/step-detail.tsx'
import { type Marks, TimeMarks } from '../../entities/run/time-marks.tsx'
import { attemptOf } from '../../entities/run/timeline.ts'
import { cssVariables, percent } from '../../ui/css-variables.ts'
import { formatClock, formatMs } from '../../ui/format.ts'
import { rowOfKey } from '../../ui/keyboard-list.ts'
import classes from './story.module.css'
import type { StoryRow } from './story-rows.ts'
import { tookWords } from './story-text.ts'
import { cutOf, shareOf, type TimeAxis, tickPlace, ticksOf } from './time-axis.ts'

type TreeProps = {
  readonly rows: readonly StoryRow[]
  readonly axis: TimeAxis
  readonly now: number
  readonly actionsOf: ActionsOf
  readonly chosen: string | null
  readonly onChoose: (id: string) => void
  /** Does what a click on a row does. */
  readonly onPress: (id: string) => void
  /** Shows the details of a row, or what a row without any leads to. */
  readonly onOpen: (id: string) => void
  readonly onFold: (direction: 'left' | 'right') => void
  readonly onToggle: (id: string) => void
  readonly ref: Ref<HTMLDivElement>
}

/** The request, the checks, the runs, their steps and calls on one time axis. */
export function StoryTree(props: TreeProps) {
  const { rows, axis, now, chosen, onChoose, onPress, onOpen, onFold, onToggle, ref } = props
  const id = useId()
  const selected = rows.findIndex(row => row.id === chosen)
  const cut = cutOf(axis)
  const nowShare = axis.now === null ? null : shareOf(axis, axis.now)

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.altKey && chosen !== null) {
      event.preventDefault()
      onOpen(chosen)
      return
    }
    if ((event.key === 'ArrowLeft' || event.key === 'ArrowRight') && !event.altKey) {
      event.preventDefault()
      onFold(event.key === 'ArrowLeft' ? 'left' : 'right')
      return
    }
    const row = rows[rowOfKey(event, selected, rows.length) ?? -1]
    if (row === undefined) return
    event.preventDefault()
    onChoose(row.id)
  }
  return (
    <div className={classes.story}>
      <div className={classes.head} aria-hidden="true">
        <span>What happened</span>
        <span className={`num ${classes.ticks}`} data-fixed>
          {ticksOf(axis).map(({ at, share, isSince }) => (
            <span
              key={at}
              className={classes.tick}
              data-at={tickPlace(share)}
              style={{ left: percent(share) }}
            >
              {isSince ? sinceWords(at - axis.parts[0].from) : formatClock(at, axis.parts[0].from)}
            </span>
          ))}
          {nowShare !== null && (
            <span
              className={classes.tick}
              data-now
              data-at={tickPlace(nowShare)}
              style={{ left: percent(nowShare) }}
            >
              now
            </span>
          )}
        </span>
        <span className={classes.took}>Took</span>
      </div>
      <div
        ref={ref}
        className={classes.rows}
        role="tree"
        aria-label="What happened, in order"
        aria-activedescendant={selected === -1 ? undefined : `${id}-${selected}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        {rows.map((row, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its row
          // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
          <div
            key={row.id}
            id={`${id}-${index}`}
            ref={row.id === chosen ? scrollTo : undefined}
            role="treeitem"
            aria-level={row.depth + 1}
            aria-selected={row.id === chosen}
            aria-expanded={row.isOpen ?? undefined}
            className={classes.row}
            data-kind={row.kind}
            style={cssVariables({ '--depth': String(Math.min(row.depth, 5)) })}
            onClick={() => onPress(row.id)}
          >
            <span className={classes.name}>
              <Chevron row={row} onToggle={onToggle} />
              {row.kind !== 'more' && <StatusIcon status={row.status} />}
              <span className={`${classes.title} ${row.depth === 0 ? 'w6' : ''}`}>{row.title}</span>
              <RowWords row={row} actionsOf={props.actionsOf} />
            </span>
            <span className={classes.lane} aria-hidden="true">
              {cut !== null && (
                <i
                  className={classes.cut}
                  style={{ left: percent(cut.start), width: percent(cut.end - cut.start) }}
                />
              )}
              <TimeMarks now={nowShare} {...marksOf(row, axis)} />
            </span>
            <span className={`num sm ${classes.took}`}>{tookWords(row, now)}</span>
          </div>
        ))}
      </div>
    </div>
  )
}

const scrollTo = (row: HTMLElement | null) => row?.scrollIntoView({ block: 'nearest' })

const sinceWords = (ms: number) => (ms === 0 ? '0' : formatMs(ms))

function Chevron({ row, onToggle }: { readonly row: StoryRow; readonly onToggle: (id: string) => void }) {
  if (row.kind === 'more') return <CornerDownLeft size={14} className="t3" aria-hidden="true" />
  if (row.isOpen === null) return <span className={classes.gapBefore} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys do the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys do the same
    <span
      className={classes.chevron}
      data-open={row.isOpen || undefined}
      onClick={event => {
        event.stopPropagation()
        onToggle(row.id)
      }}
    >
      <ChevronRight size={14} aria-hidden="true" />
    </span>
  )
}

/** The words beside the title of a row. */
function RowWords({ row, actionsOf }: { readonly row: StoryRow; readonly actionsOf: ActionsOf }) {
  if (row.kind === 'part' && row.row.kind === 'step')
    return <StepDetail row={row.row} actionsOf={actionsOf} />
  if (row.kind === 'part') {
    const attempt = attemptOf(row.row)
    return attempt === null ? null : <AttemptOutcome attempt={attempt} />
  }
  return (
    <>
      {row.kind === 'run' && (
        <span className="sm t3 cut" aria-hidden="true">
          {statusLabels[row.status].toLowerCase()}
        </span>
      )}
      {row.detail !== null && (
        <span className="sm t3 cut" title={row.detail}>
          {row.detail}
        </span>
      )}
    </>
  )
}

/** Returns the bar of a row, and the time until it is tried again. */
function marksOf(row: StoryRow, axis: TimeAxis): Marks {
  if (row.from === null) return {}
  const from = shareOf(axis, row.from)
  if (row.kind === 'part' && row.row.kind === 'next') return { next: from }
  // Attempts have bars of their own.
  if (row.kind === 'part' && attemptOf(row.row) === null) return {}
  const to = shareOf(axis, row.to ?? axis.now ?? row.from)
  const ok = row.kind === 'request' ? 'acc' : 'ok'
  const tone = row.hasFailed ? 'bad' : row.status === 'succeeded' ? ok : 'mute'
  return { bar: { from, to, tone }, ...(row.nextAt !== null && { until: shareOf(axis, row.nextAt) }) }
}
