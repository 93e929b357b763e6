import { NumberInput } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useRef } from 'react'
import { minuteMs } from '#shared/durations.ts'
import type { Calendar } from '#shared/model/platform/calendar.ts'
import { hasSlot, openHours, type SlotQuery, slotsOf } from '#shared/platform/slots.ts'
import { zonedText } from '#shared/platform/zoned-time.ts'
import { capitalized, formatCount, formatDuration } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { SearchSelect } from '../../../ui/search-select.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import classes from './calendar.module.css'
import {
  addDays,
  addMonths,
  clockChange,
  formatDate,
  formatMonth,
  weekdayOn,
  weeksOf,
  whyNoSlots,
} from './dates.ts'
import type { SlotPreview } from './use-slot-preview.ts'

/** The month with its bookable days, and the slots of the chosen date. */
export function SlotsPane(props: {
  /** Null while the form has mistakes. */
  readonly availability: Calendar | null
  readonly preview: SlotPreview
}) {
  const { preview } = props
  const availability = useDeferredValue(props.availability)
  const { lengthMinutes, timeZone } = preview
  const lengthId = useId()
  return (
    <section className={classes.slotsPane} aria-label="Slots">
      <div className={classes.bar}>
        <h2 className="h2">Slots</h2>
        <span className="sm t3 cut">as a caller in {zoneWords(timeZone)} gets them</span>
      </div>
      <div className="scroll">
        {availability === null ? (
          <p className={`sm t2 ${classes.section}`}>Correct the marked fields to see the slots.</p>
        ) : (
          <>
            <Month availability={availability} preview={preview} />
            <Day
              query={{ ...queryOf(preview, availability), date: preview.at(availability).date }}
              today={preview.today}
            />
          </>
        )}
        <div className={classes.settings}>
          <div className="row sm t2">
            <label htmlFor={lengthId}>If an appointment takes</label>
            <NumberInput
              id={lengthId}
              size="sm"
              w={92}
              suffix=" min"
              min={1}
              max={1440}
              step={5}
              allowDecimal={false}
              clampBehavior="strict"
              value={lengthMinutes}
              onChange={typed => typeof typed === 'number' && typed >= 1 && preview.setLength(typed)}
            />
          </div>
          <div className="row sm t2">
            <span id={`${lengthId}-zone`}>in</span>
            <SearchSelect
              size="sm"
              className="grow"
              aria-label="Time zone of the preview"
              nothingFoundMessage="No such time zone"
              data={zones(timeZone)}
              value={timeZone}
              onChange={zone => zone !== null && preview.setTimeZone(zone)}
            />
          </div>
          <p className="sm t3">Used only in this preview, and not saved.</p>
        </div>
      </div>
    </section>
  )
}

const knownZones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].toSorted()
/** Returns the time zones that the browser knows, among them the chosen one. */
const zones = (chosen: string) => (knownZones.includes(chosen) ? knownZones : [chosen, ...knownZones])

/** Returns a time zone as people say it: “New York”, “UTC”. */
const zoneWords = (timeZone: string) => timeZone.split('/').at(-1)?.replaceAll('_', ' ')

const queryOf = ({ lengthMinutes, timeZone, now, taken }: SlotPreview, availability: Calendar) => ({
  ...{ availability, lengthMinutes, timeZone, now, taken },
})

const dayLetters = ['M', 'T', 'W', 'T', 'F', 'S', 'S']

function Month(props: { readonly availability: Calendar; readonly preview: SlotPreview }) {
  const { availability, preview } = props
  const { today, lengthMinutes, timeZone, now } = preview
  const { date, month } = preview.at(availability)
  const last = addDays(today, availability.maxAdvanceBooking)
  const grid = useRef<HTMLTableElement>(null)
  const weeks = useMemo(() => weeksOf(month), [month])
  const bookable = useMemo(() => {
    const query = { availability, lengthMinutes, timeZone, now, taken: [] }
    return new Set(weeks.flat().filter(day => day !== null && hasSlot({ ...query, date: day })))
  }, [weeks, availability, lengthMinutes, timeZone, now])

  const group = 'Calendar'
  const step = (by: number) => preview.setDate(addDays(date, by))
  useShortcut({ keys: 'arrowright', label: 'Next day', group }, () => step(1))
  useShortcut({ keys: 'arrowleft', label: 'Previous day', group }, () => step(-1))
  function onKeyDown(event: KeyboardEvent): void {
    const by = event.key === 'ArrowDown' ? 7 : event.key === 'ArrowUp' ? -7 : null
    if (by === null) return
    event.preventDefault()
    step(by)
  }
  // The focus follows the chosen day if it was in the month.
  useEffect(() => {
    const table = grid.current
    if (table?.contains(document.activeElement) === true)
      table.querySelector<HTMLButtonElement>(`button[data-date="${date}"]`)?.focus()
  }, [date])
  const focusable = weeks.flat().includes(date) ? date : `${month}-01`

  return (
    <div className={classes.section}>
      <div className="row" style={{ marginBottom: 6 }}>
        <h3 className="h3 grow" aria-live="polite">
          {formatMonth(month)}
        </h3>
        <IconButton
          icon={ChevronLeft}
          size="xs"
          label="Previous month"
          isOff={month <= today.slice(0, 7)}
          onClick={() => preview.setMonth(addMonths(month, -1))}
        />
        <IconButton
          icon={ChevronRight}
          size="xs"
          label="Next month"
          isOff={month >= last.slice(0, 7)}
          onClick={() => preview.setMonth(addMonths(month, 1))}
        />
      </div>
      <table ref={grid} className={classes.month} aria-label={formatMonth(month)} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {dayLetters.map((letter, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: letters repeat and never move
              <th key={index} scope="col">
                {letter}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map(week => (
            <tr key={week.find(day => day !== null)}>
              {week.map((day, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a week has seven days in order
                <td key={index}>
                  {day !== null && (
                    <button
                      type="button"
                      data-date={day}
                      data-bookable={bookable.has(day) || undefined}
                      aria-pressed={day === date}
                      aria-current={day === today ? 'date' : undefined}
                      aria-label={`${formatDate(day, today)}${bookable.has(day) ? ', bookable' : ''}`}
                      tabIndex={day === focusable ? 0 : -1}
                      onClick={() => preview.setDate(day)}
                    >
                      {Number(day.slice(8))}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Day({ query, today }: { readonly query: SlotQuery; readonly today: string }) {
  const { date, timeZone, lengthMinutes } = query
  const slots = slotsOf(query)
  const open = openHours(query)
  const change = clockChange(date, timeZone)
  const times = slots.map(({ start }) => start.slice(11, 16))
  const repeated = new Set(times.filter((time, index) => times.indexOf(time) !== index))
  return (
    <div className={classes.section}>
      <div className="row" style={{ marginBottom: 8 }}>
        <h3 className="h3 grow">{formatDate(date, today)}</h3>
        <span className="sm t2 num" role="status">
          {formatCount(slots.length, 'slot')}
        </span>
      </div>
      {slots.length === 0 ? (
        <p className="sm t2">{noSlotsWords(query)}</p>
      ) : (
        open !== null && <DayBar open={open} slots={slots} query={query} />
      )}
      {change !== 0 && (
        <p className={`sm t2 ${classes.change}`}>
          Clocks are set {change > 0 ? 'forward' : 'back'} by {changeWords(Math.abs(change))} on this day.
        </p>
      )}
      {slots.length > 0 && (
        <ul className={classes.slots} aria-label={`Slots of ${lengthMinutes} minutes`}>
          {slots.map(({ start }, index) => (
            <li key={start}>
              {times[index]}
              {repeated.has(times[index] ?? '') && <span className="xs t3">{start.slice(19)}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Returns “1 h” or “30 min”. */
const changeWords = (ms: number) =>
  ms % (60 * minuteMs) === 0 ? `${ms / 60 / minuteMs} h` : formatDuration(ms)

function noSlotsWords(query: SlotQuery): string {
  const { date, lengthMinutes, availability } = query
  switch (whyNoSlots(query)) {
    case 'past':
      return 'This day is over.'
    case 'too_far': {
      const { maxAdvanceBooking: days } = availability
      return days === 0
        ? 'Only today can be booked.'
        : `Appointments can be booked at most ${formatCount(days, 'day')} ahead.`
    }
    case 'closed':
      return `Closed on ${capitalized(weekdayOn(date))}s.`
    case 'skipped':
      return 'Clocks skip these working hours on this day.'
    case 'too_late':
      return 'All slots of today have begun.'
    case 'too_long':
      return `An appointment of ${formatCount(lengthMinutes, 'minute')} does not fit into the working hours.`
  }
}

/** The working hours of a date, with its slots and the buffers between them. */
function DayBar(props: {
  readonly open: { readonly start: number; readonly end: number }
  readonly slots: readonly { readonly start: string; readonly end: string }[]
  readonly query: SlotQuery
}) {
  const { open, slots, query } = props
  const length = open.end - open.start
  const instants = slots.map(({ start }) => Date.parse(start) - open.start)
  const width = query.lengthMinutes * minuteMs
  const first = instants[0] ?? 0
  const end = (instants.at(-1) ?? 0) + width
  const labels = [open.start, open.start + length / 2, open.end].map(at =>
    zonedText(at, query.timeZone).slice(11, 16),
  )
  const { bufferTime } = query.availability
  return (
    <>
      <div
        className={classes.dayBar}
        role="img"
        aria-label={`From ${labels[0]} to ${labels[2]}, ${formatCount(slots.length, 'slot')}${bufferTime > 0 ? ' with buffers between them' : ''}`}
      >
        <i style={{ left: `${(first / length) * 100}%`, width: `${((end - first) / length) * 100}%` }} />
        <svg viewBox={`0 0 ${length} 1`} preserveAspectRatio="none" aria-hidden="true">
          <path d={instants.map(at => `M${at} 0h${width}v1h${-width}z`).join('')} />
        </svg>
      </div>
      <div className={`xs t3 num ${classes.dayLabels}`} aria-hidden="true">
        {labels.map((label, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: start, middle and end
          <span key={index}>{label}</span>
        ))}
      </div>
    </>
  )
}
