import { Button } from '@mantine/core'
import { X } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import { formatPeriod } from '../../ui/format.ts'
import { activityFilters } from './filters.ts'
import { kindOf } from './kinds.ts'
import { useActivityPlace } from './use-activity-place.ts'

/** The filters that the bar has no menu for, each with a way to remove it. The bar of one connection has none for a cause. */
export function FilterChips({ list }: { readonly list: RefObject<{ focus(): void } | null> }) {
  const place = useActivityPlace()
  const { since, until, type, calls, cause, isOfOne } = place
  const chip = (words: ReactNode, title: string, next: Parameters<typeof place.set>[0]) => (
    <Button
      key={title}
      size="xs"
      variant="light"
      maw="100%"
      rightSection={<X size={12} />}
      title={title}
      onClick={() => {
        place.set(next)
        // This button disappears.
        list.current?.focus()
      }}
    >
      <span className="cut">{words}</span>
    </Button>
  )
  return (
    <>
      {(since !== undefined || until !== undefined) &&
        chip(
          <>
            <span className="sr">Period: </span>
            {periodWords(place)}
          </>,
          'Show any time',
          { since: undefined, until: undefined },
        )}
      {type !== undefined && chip(`Only ${kindOf({ type }).plural}`, 'Show all kinds', { type: undefined })}
      {calls !== undefined &&
        chip(activityFilters.calls.labels[calls], 'Show all calls', { calls: undefined })}
      {isOfOne && cause !== undefined && chip(`Cause: ${cause}`, 'Show any cause', { cause: undefined })}
    </>
  )
}

/** Returns a period in words: “21 Nov, 06:00 – 14:32”, “Since 21 Nov, 06:00”. */
function periodWords({ since, until }: { readonly since?: string; readonly until?: string }): string {
  if (since === undefined) return `Before ${formatPeriod(Date.parse(until ?? ''))}`
  const from = Date.parse(since)
  return until === undefined ? `Since ${formatPeriod(from)}` : formatPeriod(from, Date.parse(until))
}
