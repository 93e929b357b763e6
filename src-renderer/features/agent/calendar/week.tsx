import { Button, Switch, TextInput } from '@mantine/core'
import { Copy } from 'lucide-react'
import { type PointerEvent, useId, useRef, useState } from 'react'
import { type Hours, type Weekday, weekdays } from '#shared/model/platform/calendar.ts'
import { minutesOf } from '#shared/platform/slots.ts'
import { cssVariables } from '../../../ui/css-variables.ts'
import { capitalized } from '../../../ui/format.ts'
import classes from './calendar.module.css'
import {
  axisOf,
  completeTime,
  copyMonday,
  isDrawable,
  isTime,
  minutesAWeek,
  moveEdge,
  stepTime,
  type WorkingHours,
  withDay,
} from './hours.ts'

type Axis = ReturnType<typeof axisOf>

/** The hours of a day that is opened for the first time. */
const office: Hours = { start: '09:00', end: '17:00' }
const hoursFormat = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })

/** The working hours of each weekday, as times and as bars. */
export function Week(props: {
  readonly value: WorkingHours
  readonly onChange: (next: WorkingHours) => void
  /** Returns the problem at a path below the working hours: `monday.end`. */
  readonly problemAt: (path: string) => string | undefined
  /** The weekday of the date whose slots are shown; null if none are. */
  readonly current: Weekday | null
}) {
  const { value, onChange, problemAt, current } = props
  const id = useId()
  // A day that is switched off and on again has its hours back.
  const [kept, setKept] = useState<Partial<Record<Weekday, Hours>>>({})
  // The axis stays as it is while a handle is dragged.
  const [draggedAxis, setDraggedAxis] = useState<Axis | null>(null)
  const axis = draggedAxis ?? axisOf(value)

  function open(day: Weekday, isOpen: boolean): void {
    const hours = value[day]
    if (hours !== undefined) setKept({ ...kept, [day]: hours })
    onChange(withDay(value, day, isOpen ? (kept[day] ?? office) : undefined))
  }
  const copied = copyMonday(value)
  return (
    <section aria-labelledby={id}>
      <div className="row" style={{ marginBottom: 10 }}>
        <h3 id={id} className="h3">
          Working hours
        </h3>
        <span className="push sm t3 num">{hoursFormat.format(minutesAWeek(value) / 60)} h a week</span>
      </div>
      <div className={classes.week}>
        <div className={classes.head} aria-hidden="true">
          <span />
          <span />
          <span>From, to</span>
          <AxisLabels axis={axis} />
        </div>
        {weekdays.map(day => (
          <DayRow
            key={day}
            day={day}
            hours={value[day]}
            axis={axis}
            isCurrent={day === current}
            problem={problemAt(`${day}.start`) ?? problemAt(`${day}.end`) ?? problemAt(day)}
            isWrong={{
              start: problemAt(`${day}.start`) !== undefined,
              end: problemAt(`${day}.end`) !== undefined,
            }}
            onOpen={isOpen => open(day, isOpen)}
            onChange={hours => onChange(withDay(value, day, hours))}
            onDrag={isDragged => setDraggedAxis(isDragged ? axis : null)}
          />
        ))}
      </div>
      <Button
        variant="subtle"
        size="xs"
        mt={8}
        ml={-4}
        leftSection={<Copy size={14} />}
        disabled={JSON.stringify(copied) === JSON.stringify(value)}
        onClick={() => onChange(copied)}
      >
        Copy Monday to weekdays
      </Button>
    </section>
  )
}

const share = (minute: number, { from, to }: Axis) => `${((minute / 60 - from) / (to - from)) * 100}%`

function AxisLabels({ axis }: { readonly axis: Axis }) {
  const { from, to } = axis
  // Every second hour, every third of a long day.
  const step = to - from > 18 ? 3 : 2
  const labels = Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step)
  return (
    <span className={classes.axis}>
      {labels.map(hour => (
        <span key={hour} style={{ left: share(hour * 60, axis) }}>
          {hour}
        </span>
      ))}
    </span>
  )
}

function DayRow(props: {
  readonly day: Weekday
  /** Undefined if it is closed. */
  readonly hours: Hours | undefined
  readonly axis: Axis
  readonly isCurrent: boolean
  readonly problem: string | undefined
  readonly isWrong: Readonly<Record<keyof Hours, boolean>>
  readonly onOpen: (isOpen: boolean) => void
  readonly onChange: (hours: Hours) => void
  readonly onDrag: (isDragged: boolean) => void
}) {
  const { day, hours, axis, isWrong, onChange } = props
  const name = capitalized(day)
  const problemId = useId()
  // A time is not wrong while it is being typed.
  const [typedEdge, setTypedEdge] = useState<keyof Hours | null>(null)
  const isTyping = typedEdge !== null && hours !== undefined && !isTime(hours[typedEdge])
  const problem = isTyping ? undefined : props.problem
  const field = (edge: keyof Hours, label: string) =>
    hours !== undefined && (
      <TimeField
        label={`${name} ${label}`}
        edge={edge}
        value={hours[edge]}
        isWrong={isWrong[edge] && !isTyping}
        describedBy={problem === undefined ? undefined : problemId}
        onTyping={isTyped => setTypedEdge(isTyped ? edge : null)}
        onChange={time => onChange({ ...hours, [edge]: time })}
      />
    )
  return (
    <div className={classes.day} data-current={props.isCurrent || undefined}>
      <Switch
        aria-label={name}
        checked={hours !== undefined}
        onChange={event => props.onOpen(event.currentTarget.checked)}
      />
      <span className={hours === undefined ? 't3' : 'w5'}>{name}</span>
      {hours === undefined ? (
        <span className="sm t3">Closed</span>
      ) : (
        <span className={classes.times}>
          {field('start', 'from')}
          <span className="t3">to</span>
          {field('end', 'to')}
        </span>
      )}
      <span
        className={classes.track}
        style={cssVariables({ '--hours': String(axis.to - axis.from) })}
        aria-hidden="true"
      >
        {hours !== undefined && isDrawable(hours) && (
          <Bar hours={hours} axis={axis} onChange={onChange} onDrag={props.onDrag} />
        )}
      </span>
      {problem !== undefined && (
        <p id={problemId} role="alert" className={classes.problem}>
          {problem}
        </p>
      )}
    </div>
  )
}

function TimeField(props: {
  readonly label: string
  readonly edge: keyof Hours
  readonly value: string
  readonly isWrong: boolean
  readonly describedBy: string | undefined
  readonly onTyping: (isTyped: boolean) => void
  readonly onChange: (time: string) => void
}) {
  const { label, edge, value, onTyping, onChange } = props
  const complete = () => {
    if (completeTime(value) !== value) onChange(completeTime(value))
  }
  return (
    <TextInput
      size="sm"
      aria-label={label}
      aria-describedby={props.describedBy}
      classNames={{ input: classes.time ?? '' }}
      inputMode="numeric"
      placeholder="09:00"
      maxLength={8}
      value={value}
      error={props.isWrong}
      onChange={event => onChange(event.currentTarget.value)}
      onFocus={() => onTyping(true)}
      onBlur={() => {
        onTyping(false)
        complete()
      }}
      onKeyDown={event => {
        // Saving from the field saves what it will say.
        if (event.key === 'Enter' || event.ctrlKey || event.metaKey) complete()
        const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : null
        if (direction === null) return
        event.preventDefault()
        onChange(stepTime(completeTime(value), direction, edge))
      }}
    />
  )
}

/** The hours as a bar. Its ends can be dragged; the keyboard has the fields. */
function Bar(props: {
  readonly hours: Hours
  readonly axis: Axis
  readonly onChange: (hours: Hours) => void
  readonly onDrag: (isDragged: boolean) => void
}) {
  const { hours, axis, onChange, onDrag } = props
  const start = minutesOf(hours.start)
  const end = minutesOf(hours.end)
  /** Pixels between the pointer and the edge that it holds. */
  const grip = useRef(0)
  function grab(event: PointerEvent<HTMLElement>, edge: keyof Hours): void {
    const bar = event.currentTarget.parentElement?.getBoundingClientRect()
    if (event.button !== 0 || bar === undefined) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    grip.current = event.clientX - (edge === 'start' ? bar.left : bar.right)
    onDrag(true)
  }
  function drag(event: PointerEvent<HTMLElement>, edge: keyof Hours): void {
    const track = event.currentTarget.closest(`.${classes.track}`)
    if (track === null || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    const { left, width } = track.getBoundingClientRect()
    const ratio = Math.max(0, Math.min(1, (event.clientX - grip.current - left) / width))
    const next = moveEdge(hours, edge, (axis.from + ratio * (axis.to - axis.from)) * 60)
    if (next[edge] !== hours[edge]) onChange(next)
  }
  const handle = (edge: keyof Hours) => (
    <span
      className={classes.handle}
      data-edge={edge}
      onPointerDown={event => grab(event, edge)}
      onPointerMove={event => drag(event, edge)}
      onLostPointerCapture={() => onDrag(false)}
    />
  )
  return (
    <span
      className={classes.hours}
      style={{ left: share(start, axis), width: `${((end - start) / 60 / (axis.to - axis.from)) * 100}%` }}
    >
      {handle('start')}
      {handle('end')}
    </span>
  )
}
