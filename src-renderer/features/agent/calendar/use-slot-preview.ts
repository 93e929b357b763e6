import { useState } from 'react'
import type { Calendar } from '#shared/model/platform/calendar.ts'
import { useNow } from '../../../ui/use-now.ts'
import { dateIn, firstBookable } from './dates.ts'

export type SlotPreview = ReturnType<typeof useSlotPreview>

/**
 * Returns what the preview of slots needs beside the shape: the time zone, the length of an appointment, the chosen date
 * and the shown month. None of it is saved. Until a date is chosen, it is the first one with a slot.
 */
export function useSlotPreview() {
  const [timeZone, setTimeZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [lengthMinutes, setLength] = useState(30)
  const [chosen, setChosen] = useState<string | null>(null)
  const [turned, setMonth] = useState<string | null>(null)
  const now = useNow(30_000)
  const today = dateIn(now, timeZone)
  const query = { timeZone, lengthMinutes, now, taken: [] }
  return {
    ...{ ...query, today, setTimeZone, setLength, setMonth },
    /** Returns the date and the month to show for a calendar; null for one with mistakes. */
    at(availability: Calendar | null) {
      const date = chosen ?? (availability === null ? today : firstBookable({ ...query, availability }))
      return { date, month: turned ?? date.slice(0, 7) }
    },
    /** Chooses a date and shows its month. */
    setDate(next: string) {
      setChosen(next)
      setMonth(null)
    },
  }
}
