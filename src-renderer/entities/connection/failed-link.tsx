import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hourMs, minuteMs } from '#shared/durations.ts'
import { hoursShown } from '#shared/model/statistics.ts'
import { useNow } from '../../ui/use-now.ts'
import classes from './failed-link.module.css'

const searches = {
  rejected: { show: 'rejected' },
  failed: { show: 'outbound', outcome: 'failed', calls: 'sent' },
  unmade: { show: 'outbound', outcome: 'failed', calls: 'unsent' },
} as const

/** Returns when the first of the hours began that the figures of a connection count: ISO 8601. */
export function useFiguresSince(): string {
  const hour = Math.floor(useNow(minuteMs) / hourMs)
  return new Date((hour - hoursShown + 1) * hourMs).toISOString()
}

/** A figure of what went wrong, which leads to the list of just that. @param props.isLoud whether it asks for something now. */
export function FailedLink(props: {
  readonly connectionId: string
  readonly of: keyof typeof searches
  readonly cause?: string
  readonly isLoud?: boolean
  /** Instead of its own looks. */
  readonly className?: string | undefined
  readonly children: ReactNode
}) {
  const { connectionId, of, cause, isLoud = false, className = classes.failed, children } = props
  const since = useFiguresSince()
  return (
    <Link
      className={className}
      data-loud={isLoud || undefined}
      to="/connections/$connectionId/activity"
      params={{ connectionId }}
      search={{ ...searches[of], cause, since }}
    >
      {children}
    </Link>
  )
}
