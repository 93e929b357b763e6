import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import classes from './brush.module.css'

/** Parts of a whole: from the first, up to the second without it. */
type Range = readonly [from: number, to: number]

/** How many parts Page Up and Page Down move a handle. */
const pageParts = 8

/**
 * Lies over a chart of equal parts and chooses some of them: by dragging, or with two handles that the arrow keys move.
 * Escape on a handle chooses all.
 */
export function Brush(props: {
  /** The number of parts. */
  readonly count: number
  /** All of them if none was chosen. */
  readonly range: Range
  readonly onChange: (range: Range) => void
  /** Describes the edge before a part; for the one after the last, its number is `count`. */
  readonly describe: (edge: number) => string
  /** Called with the part under the pointer; null when it leaves. */
  readonly onPoint: (part: number | null) => void
}) {
  const { count, range, onChange, describe, onPoint } = props
  const area = useRef<HTMLDivElement>(null)
  /** The part where a drag has begun, and the one it has reached. */
  const [drag, setDrag] = useState<readonly [number, number] | null>(null)
  const [from, to] = drag === null ? range : [Math.min(...drag), Math.max(...drag) + 1]
  const isAll = from === 0 && to === count

  function partAt(event: PointerEvent): number {
    const { left = 0, width = 1 } = area.current?.getBoundingClientRect() ?? {}
    return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - left) / width) * count)))
  }
  function onPointerDown(event: PointerEvent<HTMLDivElement>): void {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const part = partAt(event)
    const handle = event.target instanceof HTMLElement ? event.target.dataset.edge : undefined
    // A handle moves its own edge.
    setDrag(handle === 'from' ? [to - 1, from] : handle === 'to' ? [from, to - 1] : [part, part])
  }
  function onPointerMove(event: PointerEvent<HTMLDivElement>): void {
    const part = partAt(event)
    onPoint(part)
    if (drag !== null) setDrag([drag[0], part])
  }
  function onPointerUp(): void {
    if (drag !== null) onChange([from, to])
    setDrag(null)
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>, edge: 'from' | 'to'): void {
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 },
      ...{ PageDown: -pageParts, PageUp: pageParts, Home: -count, End: count },
    }
    const step = steps[event.key]
    if (event.key === 'Escape' && !isAll) onChange([0, count])
    else if (step === undefined) return
    else if (edge === 'from') onChange([Math.max(0, Math.min(to - 1, from + step)), to])
    else onChange([from, Math.min(count, Math.max(from + 1, to + step))])
    event.preventDefault()
    event.stopPropagation()
  }
  const place = (edge: number) => `${(edge / count) * 100}%`
  const handle = (edge: 'from' | 'to') => {
    const at = edge === 'from' ? from : to
    return (
      <div
        role="slider"
        tabIndex={0}
        data-edge={edge}
        className={classes.handle}
        style={{ left: place(at) }}
        aria-label={edge === 'from' ? 'From' : 'Until'}
        aria-valuemin={edge === 'from' ? 0 : from + 1}
        aria-valuemax={edge === 'from' ? to - 1 : count}
        aria-valuenow={at}
        aria-valuetext={describe(at)}
        onKeyDown={event => onKeyDown(event, edge)}
      />
    )
  }
  return (
    <div
      ref={area}
      className={classes.area}
      data-all={isAll || undefined}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => setDrag(null)}
      onPointerLeave={() => onPoint(null)}
    >
      <span className={classes.out} style={{ left: 0, width: place(from) }} />
      <span className={classes.out} style={{ left: place(to), right: 0 }} />
      <span className={classes.chosen} style={{ left: place(from), width: place(to - from) }} />
      {handle('from')}
      {handle('to')}
    </div>
  )
}
