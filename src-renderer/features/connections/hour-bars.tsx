import { Tooltip } from '@mantine/core'
import { type PointerEvent, useState } from 'react'
import type { HourCounts } from '#shared/model/statistics.ts'
import classes from './connection-table.module.css'
import { hourBars, hourInWords, hoursInWords } from './hour-bar-heights.ts'

const step = 5
const barWidth = 4
const height = 24
/** The height of the busiest hour. */
const tallest = 21

/** Bars of the accepted and rejected events of a connection in each of the last 24 hours. */
export function HourBars({ hours }: { readonly hours: readonly HourCounts[] }) {
  const [pointed, setPointed] = useState<number | null>(null)
  const width = hours.length * step - 1
  function point(event: PointerEvent<SVGSVGElement>) {
    const place = event.clientX - event.currentTarget.getBoundingClientRect().left
    setPointed(Math.max(0, Math.min(hours.length - 1, Math.floor(place / step))))
  }
  return (
    <Tooltip.Floating
      position="top"
      label={pointed === null ? '' : hourInWords(hours, pointed, Date.now())}
      disabled={pointed === null}
    >
      <svg
        className={classes.bars}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={hoursInWords(hours)}
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
      >
        <rect width={width} height={height} fill="none" pointerEvents="all" />
        {pointed !== null && (
          <rect x={pointed * step - 0.5} width={step} height={height} className={classes.pointed} />
        )}
        {hourBars(hours, tallest).map(({ accepted, rejected }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its index
          <g key={index} transform={`translate(${index * step})`}>
            {accepted + rejected === 0 && (
              <rect y={height - 1} width={barWidth} height={1} className={classes.nothing} />
            )}
            <rect y={height - accepted} width={barWidth} height={accepted} className={classes.accepted} />
            <rect
              y={height - accepted - rejected - (accepted > 0 ? 1 : 0)}
              width={barWidth}
              height={rejected}
              className={classes.rejected}
            />
          </g>
        ))}
      </svg>
    </Tooltip.Floating>
  )
}
