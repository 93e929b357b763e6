import { SegmentedControl } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { hourMs, minuteMs } from '#shared/durations.ts'
import { api } from '../../client/client.ts'
import { Unknown } from '../../ui/badges.tsx'
import { formatCount, formatMinute, formatNumber } from '../../ui/format.ts'
import { hoursInWords, inWords } from '../../ui/hour-bar-heights.ts'
import { DirectionBars, DirectionLegend } from '../../ui/hour-bars.tsx'
import { useLocalStorage } from '../../ui/use-local-storage.ts'
import { useNow } from '../../ui/use-now.ts'
import {
  barTime,
  callWords,
  eventWords,
  failingFrom,
  HistoryRange,
  historyBars,
  historyRanges,
  historyStart,
} from './connection-history.ts'
import classes from './history-chart.module.css'

const refreshMs = 10_000
const legend = { event: 'events above', call: 'calls below' }

/** The events and calls of a connection in the last 24 hours, 7 days or 30 days. */
export function HistoryChart(props: {
  readonly connectionId: string
  /** The height of the bars, in pixels. */
  readonly height?: number
}) {
  const { connectionId, height = 36 } = props
  const [range, setRange] = useLocalStorage('history', HistoryRange, 'day')
  const start = historyStart(range, useNow(minuteMs))
  const { over, each, size } = historyRanges[range]
  const { data } = useQuery(
    api.statistics.hours.queryOptions({
      input: { connectionId, since: new Date(start).toISOString(), by: size === 24 ? 'day' : 'hour' },
      refetchInterval: refreshMs,
      placeholderData: keepPreviousData,
    }),
  )
  const keptFrom = data && Date.parse(data.keptFrom)
  const bars = data && keptFrom !== undefined ? historyBars(data.hours, range, start, keptFrom) : undefined
  const sum = (of: (bar: NonNullable<NonNullable<typeof bars>[number]>) => number) =>
    bars?.reduce((total, bar) => total + (bar === null ? 0 : of(bar)), 0)
  const partsOf = (key: 'events' | 'calls') => bars?.map(bar => bar?.[key] ?? null) ?? []
  const timeOf = (index: number) => start + index * size * hourMs
  const failing = bars === undefined ? null : failingFrom(bars)
  return (
    <section className={classes.chart} aria-label={`Events and calls in ${over}`}>
      <div className={classes.head}>
        <Sum of="Accepted" count={sum(({ events }) => events.good)} />
        <Sum of="Rejected" count={sum(({ events }) => events.bad)} />
        <Sum of="Calls" count={sum(({ calls }) => calls.good + calls.bad)} />
        <Sum of="Failed runs" count={sum(({ failedRuns }) => failedRuns)} />
        {keptFrom !== undefined && keptFrom > start && (
          <span className={`t3 cut ${classes.since}`}>Counted since {formatMinute(new Date(keptFrom))}</span>
        )}
        <DirectionLegend labels={legend} />
        <SegmentedControl
          className={classes.ranges}
          size="xs"
          aria-label="How far back"
          value={range}
          onChange={value => setRange(HistoryRange.parse(value))}
          data={HistoryRange.options.map(value => ({ value, label: historyRanges[value].label }))}
        />
      </div>
      {bars === undefined ? (
        <div style={{ height }} aria-busy="true" />
      ) : (
        <DirectionBars
          bars={bars}
          height={height}
          label={`${hoursInWords(partsOf('events'), eventWords, over, each)} ${hoursInWords(partsOf('calls'), callWords, over, each)}`}
          describe={index => {
            const bar = bars[index]
            const when = barTime(range, timeOf(index))
            if (!bar) return `${when} · not counted yet`
            return `${when} · ${inWords(bar.events, eventWords)} · ${formatCount(bar.calls.good + bar.calls.bad, 'call')}, ${formatNumber(bar.calls.bad)} failed`
          }}
        />
      )}
      <div className={classes.axis}>
        <span>{barTime(range, start).split(' to ')[0]}</span>
        {failing !== null && bars !== undefined && (
          <span className="bad cut">Calls fail since {barTime(range, timeOf(failing)).split(' to ')[0]}</span>
        )}
        <span>Now</span>
      </div>
    </section>
  )
}

function Sum({ of, count }: { readonly of: string; readonly count: number | undefined }) {
  return (
    <span className={classes.sum}>
      <span className="t3">{of}</span>{' '}
      {count === undefined ? <Unknown /> : <span className="num w5">{formatNumber(count)}</span>}
    </span>
  )
}
