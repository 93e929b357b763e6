import { SegmentedControl, Tooltip } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { memo, useState } from 'react'
import type { OccurrenceBucket } from '#shared/model/activity.ts'
import { api } from '../../client/client.ts'
import type { OccurrenceFilter } from '../../entities/occurrence/use-occurrences.ts'
import { Unknown } from '../../ui/badges.tsx'
import { Brush } from '../../ui/brush.tsx'
import { formatDay, formatHourMinute, formatNumber, formatPeriod, formatWeekday } from '../../ui/format.ts'
import { optionsOf } from '../../ui/options-of.ts'
import { useNow } from '../../ui/use-now.ts'
import classes from './activity-chart.module.css'
import { brushOf, chartRanges, periodOf, spanOf, sumOf, sumsInWords } from './chart-span.ts'
import { useActivityPlace } from './use-activity-place.ts'

/** Pixels of the bars above the line, beneath it, and of both with the line. */
const heights = { above: 44, below: 14, all: 66 } as const
/** The width of a part, and of its bar. */
const [step, barWidth] = [10, 8.2]
/** The number of labels below the bars, at most. */
const labels = 8

/**
 * Shows activity over time: accepted with refused on top, calls beneath the line, failed runs as diamonds. Its brush sets
 * the period of the list. It is rendered again only for another filter: the list below changes much more often.
 *
 * @param props.filter what is counted; its text and its period are not looked at.
 */
export const ActivityChart = memo(function ActivityChart({ filter }: { readonly filter: OccurrenceFilter }) {
  const place = useActivityPlace()
  const { range = 'day' } = place
  const span = spanOf(chartRanges[range], useNow())
  const { start, width, count } = span
  const { text, since: _since, until: _until, ...counted } = filter
  const { data } = useQuery(
    api.activity.counts.queryOptions({
      input: { ...counted, since: timeText(start), until: timeText(start + width * count), buckets: count },
      placeholderData: keepPreviousData,
    }),
  )
  const [pointed, setPointed] = useState<number | null>(null)
  const buckets = data?.buckets
  const sums = buckets == null ? undefined : sumOf(buckets)
  const edgeText = (edge: number) => formatPeriod(start + edge * width)
  const under = pointed === null ? undefined : buckets?.[pointed]
  return (
    <section className={classes.chart} aria-label={`Activity of ${chartRanges[range].over}`}>
      <div className={classes.head}>
        <Legend shape="accepted" name="Accepted" count={sums?.accepted} />
        <Legend shape="refused" name="Refused" count={sums?.refused} />
        <Legend shape="calls" name="Calls" count={sums?.calls} />
        <Legend shape="runs" name="Failed runs" count={sums?.runsFailed} />
        {Boolean(text) && <span className="t3">Also without the text</span>}
        {buckets === null && <span className="t3">Too many to count over time</span>}
        <SegmentedControl
          className={classes.ranges}
          size="xs"
          aria-label="Time shown"
          value={range}
          onChange={value => place.set({ range: value === 'day' ? undefined : value })}
          data={optionsOf(chartRanges).map(({ value, label }) => ({ value, label: label.label }))}
        />
      </div>
      <Tooltip.Floating
        position="top"
        disabled={under === undefined || pointed === null}
        label={
          under === undefined || pointed === null
            ? ''
            : `${formatPeriod(start + pointed * width, start + (pointed + 1) * width)} · ${sumsInWords(under)}`
        }
      >
        <div className={classes.plot} aria-busy={data === undefined || undefined}>
          {buckets != null && <Bars buckets={buckets} />}
          <Brush
            count={count}
            range={brushOf(span, place)}
            onChange={chosen => place.set(periodOf(span, chosen))}
            describe={edgeText}
            onPoint={setPointed}
          />
        </div>
      </Tooltip.Floating>
      <div className={classes.axis} aria-hidden="true">
        {Array.from({ length: labels + 1 }, (_, index) => {
          const at = start + (index / labels) * width * count
          return <span key={at}>{range === 'day' ? clockOf(at, index) : formatDay(at)}</span>
        })}
      </div>
    </section>
  )
})

const timeText = (ms: number) => new Date(ms).toISOString()
const clockOf = (at: number, index: number) =>
  index === 0 ? `${formatWeekday(at)} ${formatHourMinute(at)}` : formatHourMinute(at)

function Legend(props: {
  readonly shape: 'accepted' | 'refused' | 'calls' | 'runs'
  readonly name: string
  readonly count: number | undefined
}) {
  const { shape, name, count } = props
  return (
    <span className={classes.legend}>
      <i data-shape={shape} />
      {name} {count === undefined ? <Unknown /> : <b className="num">{formatNumber(count)}</b>}
    </span>
  )
}

/** Rendered only when the counts change: the pointer moves much more often. */
const Bars = memo(function Bars({ buckets }: { readonly buckets: readonly OccurrenceBucket[] }) {
  const { above, below, all } = heights
  const most = Math.max(1, ...buckets.map(({ accepted, refused }) => accepted + refused))
  const mostCalls = Math.max(1, ...buckets.map(({ calls }) => calls))
  // What there is can be seen, however little it is.
  const scaled = (figure: number, of: number, room: number) =>
    figure === 0 ? 0 : Math.max(1.5, (figure / of) * room)
  return (
    <>
      <svg
        width="100%"
        height={all}
        viewBox={`0 0 ${buckets.length * step} ${all}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${sumsInWords(sumOf(buckets))}.`}
      >
        {buckets.map(({ from, accepted, refused, calls, callsFailed }, index) => {
          const red = scaled(refused, most, above)
          const blue = Math.min(above - red, scaled(accepted, most, above))
          const redCalls = scaled(callsFailed, mostCalls, below)
          const teal = Math.min(below - redCalls, scaled(calls - callsFailed, mostCalls, below))
          return (
            <g key={from} transform={`translate(${index * step + 0.9})`}>
              <rect y={above - blue} width={barWidth} height={blue} data-shape="accepted" />
              <rect y={above - blue - red} width={barWidth} height={red} data-shape="refused" />
              <rect y={above + 2} width={barWidth} height={teal} data-shape="calls" />
              <rect y={above + 2 + teal} width={barWidth} height={redCalls} data-shape="refused" />
            </g>
          )
        })}
      </svg>
      {buckets.map(
        ({ from, runsFailed }, index) =>
          runsFailed > 0 && (
            <i
              key={from}
              data-shape="runs"
              style={{ left: `${((index + 0.5) / buckets.length) * 100}%` }}
              aria-hidden="true"
            />
          ),
      )}
    </>
  )
})
