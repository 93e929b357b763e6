import { Tooltip } from '@mantine/core'
import { type PointerEvent, type ReactNode, useState } from 'react'
import { Unknown } from './badges.tsx'
import { formatNumber } from './format.ts'
import {
  directionBars,
  type Hour,
  type HourWords,
  hourBars,
  hourInWords,
  hoursInWords,
} from './hour-bar-heights.ts'
import classes from './hour-bars.module.css'
import table from './list-table.module.css'

const step = 5
const barWidth = 4
const height = 24
/** The height of the busiest hour. */
const tallest = 21

/** The bars of the last day with their sum, of a row of a table; a dash while they are not known. */
export function DayBars(props: {
  readonly hours: readonly Hour[] | undefined
  readonly words: HourWords
  readonly sum: number | undefined
}) {
  const { hours, words, sum } = props
  return (
    <div className={`row ${table.above}`} style={{ gap: 12 }}>
      {hours === undefined ? <Unknown /> : <HourBars hours={hours} words={words} />}
      {sum !== undefined && <span className={`num sm t2 ${table.count}`}>{formatNumber(sum)}</span>}
    </div>
  )
}

const directions = [
  ['events', 'event'],
  ['calls', 'call'],
  ['rejected or failed', 'bad'],
] as const

/** Names the colours of bars of both directions. @param props.labels says more of some. */
export function DirectionLegend({ labels = {} }: { readonly labels?: Readonly<Record<string, string>> }) {
  return (
    <span className={classes.legend}>
      {directions.map(([name, of]) => (
        <span key={of} className={classes.key} data-of={of}>
          {labels[of] ?? name}
        </span>
      ))}
    </span>
  )
}

/** Bars that fill the width, each with what went wrong on top. What is not known has none, not even a line. */
export function WideBars(props: {
  /** Null where nothing is known. */
  readonly bars: readonly (Hour | null)[]
  readonly height: number
  /** Describes all of them. */
  readonly label: string
  /** Describes one of them. */
  readonly describe: (index: number) => string
}) {
  const { bars, height, label, describe } = props
  return (
    <PointedBars
      {...{ count: bars.length, height, label, describe }}
      draw={pointed => <Bars bars={bars} height={height} tallest={height - 3} pointed={pointed} />}
    />
  )
}

/**
 * Bars of both directions that fill the width: events above the axis, calls below it, each with what went wrong at its end.
 * A bar that is not known has not even a line.
 */
export function DirectionBars(props: {
  /** Null where nothing is known. */
  readonly bars: readonly ({ readonly events: Hour; readonly calls: Hour } | null)[]
  readonly height: number
  /** Describes all of them. */
  readonly label: string
  /** Describes one of them. */
  readonly describe: (index: number) => string
}) {
  const { bars, height, label, describe } = props
  const { axis, events, calls } = directionBars(bars, height)
  const ofBar = (index: number) => {
    const [up, down] = [events[index] ?? nothing, calls[index] ?? nothing]
    const [above, below] = [axis - up.good, axis + 1 + down.good]
    return (
      <g key={index} transform={`translate(${index * step})`}>
        {bars[index] !== null && <rect y={axis} width={barWidth} height={1} className={classes.nothing} />}
        <rect y={above} width={barWidth} height={up.good} className={classes.good} />
        <rect
          y={above - up.bad - (up.good > 0 ? 1 : 0)}
          width={barWidth}
          height={up.bad}
          className={classes.bad}
        />
        <rect y={axis + 1} width={barWidth} height={down.good} className={classes.call} />
        <rect
          y={below + (down.good > 0 ? 1 : 0)}
          width={barWidth}
          height={down.bad}
          className={classes.bad}
        />
      </g>
    )
  }
  return (
    <PointedBars
      {...{ count: bars.length, height, label, describe }}
      draw={pointed => (
        <>
          {pointed !== null && (
            <rect x={pointed * step - 0.5} width={step} height={height} className={classes.pointed} />
          )}
          {[...bars.keys()].map(ofBar)}
        </>
      )}
    />
  )
}

type PointedBarsProps = {
  readonly count: number
  readonly height: number
  readonly label: string
  readonly describe: (index: number) => string
  /** @param pointed the bar beneath the pointer; null for none. */
  readonly draw: (pointed: number | null) => ReactNode
}

/** The frame of bars that fill the width, with a tooltip for the one beneath the pointer. */
function PointedBars({ count, height, label, describe, draw }: PointedBarsProps) {
  const [pointed, setPointed] = useState<number | null>(null)
  const width = count * step - 1
  return (
    <Tooltip.Floating
      position="top"
      label={pointed === null ? '' : describe(pointed)}
      disabled={pointed === null}
    >
      <svg
        className={classes.bars}
        width="100%"
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        onPointerMove={event => setPointed(barAt(event, count))}
        onPointerLeave={() => setPointed(null)}
      >
        <rect width={width} height={height} fill="none" pointerEvents="all" />
        {draw(pointed)}
      </svg>
    </Tooltip.Floating>
  )
}

const nothing: Hour = { good: 0, bad: 0 }

function Bars(props: {
  readonly bars: readonly (Hour | null)[]
  readonly height: number
  readonly tallest: number
  readonly pointed: number | null
}) {
  const { bars, height, tallest, pointed } = props
  const heights = hourBars(
    bars.map(bar => bar ?? nothing),
    tallest,
  )
  return (
    <>
      {pointed !== null && (
        <rect x={pointed * step - 0.5} width={step} height={height} className={classes.pointed} />
      )}
      {heights.map(({ good, bad }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its index
        <g key={index} transform={`translate(${index * step})`}>
          {good + bad === 0 && bars[index] !== null && (
            <rect y={height - 1} width={barWidth} height={1} className={classes.nothing} />
          )}
          <rect y={height - good} width={barWidth} height={good} className={classes.good} />
          <rect
            y={height - good - bad - (good > 0 ? 1 : 0)}
            width={barWidth}
            height={bad}
            className={classes.bad}
          />
        </g>
      ))}
    </>
  )
}

/**
 * Bars of what happened in each of the last 24 hours, with what went wrong on top.
 *
 * @param props.isOutbound draws them in the colour of calls instead of that of events.
 */
export function HourBars(props: {
  readonly hours: readonly Hour[]
  readonly words: HourWords
  readonly isOutbound?: boolean
  /** For another width. */
  readonly className?: string | undefined
}) {
  const { hours, words, isOutbound = false, className = '' } = props
  const [pointed, setPointed] = useState<number | null>(null)
  const width = hours.length * step - 1
  return (
    <Tooltip.Floating
      position="top"
      label={pointed === null ? '' : hourInWords(hours, pointed, Date.now(), words)}
      disabled={pointed === null}
    >
      <svg
        className={`${classes.bars} ${className}`}
        data-outbound={isOutbound || undefined}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={hoursInWords(hours, words)}
        onPointerMove={event => setPointed(barAt(event, hours.length))}
        onPointerLeave={() => setPointed(null)}
      >
        <rect width={width} height={height} fill="none" pointerEvents="all" />
        <Bars bars={hours} height={height} tallest={tallest} pointed={pointed} />
      </svg>
    </Tooltip.Floating>
  )
}

/** Returns the index of the bar under the pointer. */
export function barAt({ clientX, currentTarget }: PointerEvent<SVGSVGElement>, count: number): number {
  const { left, width } = currentTarget.getBoundingClientRect()
  return Math.max(0, Math.min(count - 1, Math.floor(((clientX - left) / width) * count)))
}
