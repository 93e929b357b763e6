import { z } from 'zod'
import { isObject } from '../../json/exact-json.ts'
import { invalidKey } from '../issue.ts'
import { range } from './parts.ts'

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const
export type Weekday = (typeof weekdays)[number]

const startTime = /^(?:[01]\d|2[0-3]):[0-5]\d$/
const endTime = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/
const Hours = z
  .object({
    start: z.string().regex(startTime, 'Write a time as HH:MM, for example 09:00.'),
    end: z
      .string()
      .regex(endTime, 'Write a time as HH:MM, for example 17:00. 24:00 is midnight at the end of the day.'),
  })
  .superRefine(({ start, end }, context) => {
    // For a text that is not a time, report only that.
    if (!startTime.test(start) || !endTime.test(end) || start < end) return
    const hint = end === '00:00' ? ' Write 24:00 for midnight at the end of the day.' : ''
    const message = `The end must be later than the start.${hint}`
    context.addIssue({ code: 'custom', path: ['end'], message })
  })
export type Hours = z.infer<typeof Hours>

// A strict record would report a wrong key at the whole record, not at the key.
const WorkingHours = z.partialRecord(z.enum(weekdays), Hours, { mode: 'loose' }).superRefine(
  (hours, context) => {
    for (const day of Object.keys(hours))
      if (!isWeekday(day))
        context.addIssue(invalidKey(day, `Write weekdays in lowercase: ${weekdays.join(', ')}.`))
  },
  // Runs even if other days have invalid hours, so that all problems are reported.
  { when: ({ value }) => isObject(value) },
)
const isWeekday = (day: string) => weekdays.some(weekday => weekday === day)
const office = { start: '09:00', end: '17:00' }

/** When the agent may offer appointments, in its local time. */
export const Calendar = z.object({
  workingHours: WorkingHours.default({
    monday: office,
    tuesday: office,
    wednesday: office,
    thursday: office,
    friday: office,
  }).describe('By lowercase weekday; a day left out is closed. An end of 24:00 is midnight.'),
  bufferTime: range(0, 1440, 'minutes').default(0).describe('Minutes between two appointments.'),
  maxAdvanceBooking: range(0, 3650, 'days').default(30).describe('Days from today; 0 for today only.'),
})
export type Calendar = z.infer<typeof Calendar>
