import { type Calendar, type Hours, weekdays } from '#shared/model/platform/calendar.ts'
import { minutesOf } from '#shared/platform/slots.ts'

export type WorkingHours = Calendar['workingHours']

/** Minutes by which keys and handles change a time. */
const step = 15
const lastMinute = { start: 24 * 60 - 1, end: 24 * 60 }

/** Returns minutes after midnight as HH:MM. The last start of a day is 23:59, the last end 24:00. */
export function clockTime(minutes: number, edge: keyof Hours): string {
  const within = Math.max(0, Math.min(lastMinute[edge], minutes))
  return [Math.floor(within / 60), within % 60].map(part => String(part).padStart(2, '0')).join(':')
}

/** Returns whether a text looks like HH:MM. */
export const isTime = (text: string) => /^\d{2}:\d{2}$/.test(text)

/** Returns the next quarter of an hour after a time, or before it; the text itself if it is not a time. */
export function stepTime(time: string, direction: 1 | -1, edge: keyof Hours): string {
  if (!isTime(time)) return time
  const steps = minutesOf(time) / step
  return clockTime((direction === 1 ? Math.floor(steps) + 1 : Math.ceil(steps) - 1) * step, edge)
}

/** Returns what was typed as HH:MM: `9`, `9:00` and `0900` are 09:00. Another text stays as it is. */
export function completeTime(typed: string): string {
  const [, hours, minutes = '00'] = /^\s*(\d{1,2})[:.]?(\d{2})?\s*$/.exec(typed) ?? []
  return hours === undefined ? typed : `${hours.padStart(2, '0')}:${minutes}`
}

/** Returns hours with an edge moved to a minute of the day, at a quarter of an hour and apart from the other edge. */
export function moveEdge(hours: Hours, edge: keyof Hours, minute: number): Hours {
  const at = Math.round(minute / step) * step
  if (edge === 'start') {
    const last = Math.ceil(minutesOf(hours.end) / step - 1) * step
    return { ...hours, start: clockTime(Math.min(at, last), edge) }
  }
  const first = Math.floor(minutesOf(hours.start) / step + 1) * step
  return { ...hours, end: clockTime(Math.max(at, first), edge) }
}

/** Returns whether hours can be drawn: two times, the later one last. */
export const isDrawable = ({ start, end }: Hours) => isTime(start) && isTime(end) && start < end

/** Returns the hours between which a week is drawn: 7 to 20, and one more before and after longer working hours. */
export function axisOf(workingHours: WorkingHours): { from: number; to: number } {
  const drawn = Object.values(workingHours).filter(isDrawable)
  const first = Math.min(...drawn.map(({ start }) => Math.floor(minutesOf(start) / 60) - 1))
  const last = Math.max(...drawn.map(({ end }) => Math.ceil(minutesOf(end) / 60) + 1))
  return { from: Math.max(0, Math.min(7, first)), to: Math.min(24, Math.max(20, last)) }
}

/** Returns the minutes of all working hours of a week. */
export const minutesAWeek = (workingHours: WorkingHours) =>
  Object.values(workingHours)
    .filter(isDrawable)
    .reduce((sum, { start, end }) => sum + minutesOf(end) - minutesOf(start), 0)

/** Returns working hours in which Tuesday to Friday are as Monday. */
export function copyMonday(workingHours: WorkingHours): WorkingHours {
  const { monday } = workingHours
  const copied = weekdays.slice(0, 5).map(day => [day, monday] as const)
  return monday === undefined ? workingHours : inOrder({ ...workingHours, ...Object.fromEntries(copied) })
}

/** Returns working hours with those of a day changed; a day without hours is closed. */
export function withDay(
  workingHours: WorkingHours,
  day: keyof WorkingHours,
  hours: Hours | undefined,
): WorkingHours {
  return inOrder({ ...workingHours, [day]: hours })
}

/** Returns the open days from Monday on, so that the JSON reads like a week. */
const inOrder = (hours: Partial<Record<keyof WorkingHours, Hours | undefined>>): WorkingHours =>
  Object.fromEntries(
    weekdays.flatMap(day => {
      const { [day]: ofDay } = hours
      return ofDay === undefined ? [] : [[day, ofDay]]
    }),
  )
