import { Button } from '@mantine/core'
import { X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Brush } from '../../../ui/brush.tsx'
import { formatCount, formatMs, formatNumber } from '../../../ui/format.ts'
import { inWords } from '../../../ui/hour-bar-heights.ts'
import { WideBars } from '../../../ui/hour-bars.tsx'
import type { HistoryCall } from './call-row.tsx'
import { edgeOfTime, placeOfTime, type TimeBars, timeBars, timeOfShare } from './call-times.ts'
import classes from './history.module.css'

/** A range of times in milliseconds, from `from` and below `to`. */
export type ChosenTimes = { readonly from: number; readonly to: number }

const words = { of: 'Calls', good: 'succeeded', bad: 'failed' }

/** Summarizes calls: how many succeeded, and how long they took. */
export function HistoryHead(props: {
  readonly calls: readonly HistoryCall[]
  /** Whether these are all that are kept. */
  readonly isWhole: boolean
  readonly times: ChosenTimes | null
  readonly onTimes: (times: ChosenTimes | null) => void
  readonly onShowAll: () => void
  /** How many calls took a chosen time. */
  readonly shown: number
}) {
  const { calls, isWhole, times, onTimes, onShowAll, shown } = props
  // Of a call that was not sent, no time is measured.
  const timed = useMemo(() => calls.filter(({ totalMs }) => totalMs > 0), [calls])
  const bars = useMemo(() => timeBars(timed), [timed])
  const untimed = calls.length - timed.length
  const good = calls.filter(({ ok }) => ok).length
  const bad = calls.length - good
  return (
    <section className={classes.head} aria-label="Times and outcomes">
      <div className={classes.sums}>
        <span className="w5 num">
          {isWhole ? formatCount(calls.length, 'call') : `Newest ${formatCount(calls.length, 'call')}`}
        </span>
        <span className={classes.share} aria-hidden="true">
          {good > 0 && <i data-tone="ok" style={{ flexGrow: good }} />}
          {bad > 0 && <i data-tone="bad" style={{ flexGrow: bad }} />}
        </span>
        <span className="num nowrap">{formatNumber(good)} succeeded</span>
        <span className={`num nowrap ${bad === 0 ? 't3' : 'bad'}`}>{formatNumber(bad)} failed</span>
        {untimed > 0 && <span className="t3 num nowrap">{formatNumber(untimed)} without a time</span>}
        {times !== null && (
          <Button size="xs" className="push" rightSection={<X size={12} />} onClick={onShowAll}>
            <span className="num">
              {rangeInWords(times)} · {formatCount(shown, 'call')}
            </span>
            <span className="sr">, show all</span>
          </Button>
        )}
      </div>
      {bars === null ? (
        <p className="sm t3">None of these was sent, so there are no times.</p>
      ) : (
        <Times bars={bars} timed={timed} times={times} onTimes={onTimes} />
      )}
      <div className="sr" role="status">
        {times === null ? '' : `${formatCount(shown, 'call')}, ${rangeInWords(times)}`}
      </div>
    </section>
  )
}

function Times(props: {
  readonly bars: TimeBars
  readonly timed: readonly HistoryCall[]
  readonly times: ChosenTimes | null
  readonly onTimes: (times: ChosenTimes | null) => void
}) {
  const { bars, timed, times, onTimes } = props
  const { edges } = bars
  const parts = bars.bars.length
  const msAt = (edge: number) => roundMs(edges[edge] ?? 0)
  const shares = useMemo(
    () => [
      { name: 'p50', title: 'Half of the calls took no longer', ms: timeOfShare(timed, 0.5) ?? 0 },
      { name: 'p95', title: '95 of 100 calls took no longer', ms: timeOfShare(timed, 0.95) ?? 0 },
    ],
    [timed],
  )
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(share => Math.round(share * parts))
  const [pointed, setPointed] = useState<number | null>(null)
  const first = times === null ? 0 : Math.min(parts - 1, edgeOfTime(edges, times.from))
  const last = times === null ? parts : Math.max(first + 1, edgeOfTime(edges, times.to))
  const choose = (from: number, to: number) =>
    onTimes(
      from === 0 && to === parts
        ? null
        : {
            from: from === 0 ? 0 : (edges[from] ?? 0),
            to: to === parts ? Number.POSITIVE_INFINITY : (edges[to] ?? 0),
          },
    )
  const describe = (index: number) =>
    `${msAt(index)} to ${msAt(index + 1)} · ${inWords(bars.bars[index] ?? { good: 0, bad: 0 }, words)}`
  return (
    <div className={classes.times}>
      <div className={classes.shares}>
        {shares.map(({ name, title, ms }) => (
          <span key={name} title={title}>
            <span className="t3">{name}</span> <b className="num">{formatMs(ms)}</b>
          </span>
        ))}
        {pointed !== null && <span className="push t2 num cut">{describe(pointed)}</span>}
      </div>
      <div className={classes.chart}>
        <WideBars
          bars={bars.bars}
          height={56}
          label={`Times of ${formatCount(timed.length, 'call')}: ${shares.map(({ title, ms }) => `${title} than ${formatMs(ms)}`).join('. ')}.`}
          describe={describe}
        />
        {shares.map(({ name, ms }) => (
          <i
            key={name}
            className={classes.mark}
            style={{ left: `${placeOfTime(edges, ms) * 100}%` }}
            aria-hidden="true"
          />
        ))}
        <Brush
          count={parts}
          range={[first, last]}
          onChange={([from, to]) => choose(from, to)}
          describe={msAt}
          onPoint={setPointed}
        />
      </div>
      <div className={classes.ticks} aria-hidden="true">
        {ticks.map(edge => (
          <span key={edge} className="num" style={{ left: `${(edge / parts) * 100}%` }}>
            {msAt(edge)}
          </span>
        ))}
      </div>
    </div>
  )
}

/** Returns the time of an edge as people read it: 20 ms and not 19.95 ms. */
function roundMs(ms: number): string {
  return formatMs(Number(ms.toPrecision(ms >= 1000 ? 3 : 2)))
}

function rangeInWords({ from, to }: ChosenTimes): string {
  if (from === 0) return `up to ${roundMs(to)}`
  return to === Number.POSITIVE_INFINITY ? `${roundMs(from)} and more` : `${roundMs(from)} to ${roundMs(to)}`
}
