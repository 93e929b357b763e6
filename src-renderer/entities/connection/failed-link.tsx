import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import classes from './failed-link.module.css'

/** A figure of what went wrong, which leads to its list. @param props.isLoud whether it asks for something now. */
export function FailedLink(props: {
  readonly connectionId: string
  readonly search:
    | { readonly show: 'rejected' }
    | { readonly show: 'outbound'; readonly outcome: 'failed'; readonly cause?: string }
  readonly isLoud: boolean
  readonly children: ReactNode
}) {
  const { connectionId, search, isLoud, children } = props
  return (
    <Link
      className={classes.failed}
      data-loud={isLoud || undefined}
      to="/connections/$connectionId/activity"
      params={{ connectionId }}
      search={search}
    >
      {children}
    </Link>
  )
}
