import { type Calendar, type Hours, weekdays } from '#shared/model/platform/calendar.ts'
import { capitalized } from '../../../ui/format.ts'

/** Returns what changed in a calendar: “Thursday start 09:00 → 11:00”; null if that is none or more than two things. */
export function changeLabel(draft: Calendar, saved: Calendar): string | null {
  const changes = weekdays.flatMap(day => {
    const words = dayLabel(saved.workingHours[day], draft.workingHours[day])
    return words === null ? [] : [`${capitalized(day)} ${words}`]
  })
  const { bufferTime: buffer, maxAdvanceBooking: ahead } = draft
  if (buffer !== saved.bufferTime) changes.push(`buffer ${saved.bufferTime} → ${numberLabel(buffer)} min`)
  if (ahead !== saved.maxAdvanceBooking)
    changes.push(`furthest ahead ${saved.maxAdvanceBooking} → ${numberLabel(ahead)} days`)
  return changes.length === 0 || changes.length > 2 ? null : changes.join(', ')
}

const numberLabel = (value: number) => (Number.isNaN(value) ? '…' : value)

function dayLabel(before: Hours | undefined, after: Hours | undefined): string | null {
  if (before === undefined) return after === undefined ? null : `open ${after.start} to ${after.end}`
  if (after === undefined) return 'closed'
  const isStartSame = before.start === after.start
  if (before.end === after.end) return isStartSame ? null : `start ${before.start} → ${after.start}`
  return isStartSame ? `end ${before.end} → ${after.end}` : `${after.start} to ${after.end}`
}
