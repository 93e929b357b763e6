import { Button } from '@mantine/core'
import { CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './empty-state.module.css'
import { problemOf } from './problem.ts'

/** Says what will appear here, and offers the next step. */
export function EmptyState(props: {
  readonly title: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <div className={classes.empty}>
      <h2 className="h3">{props.title}</h2>
      {props.children !== undefined && <div className="sm t2">{props.children}</div>}
      {props.actions !== undefined && <div className={classes.actions}>{props.actions}</div>}
    </div>
  )
}

/** Says what failed, why and what to do, with the code. */
export function ErrorState(props: {
  readonly title: string
  readonly error: unknown
  /** Adds a button “Try again”. */
  readonly onRetry?: (() => void) | undefined
  readonly actions?: ReactNode
}) {
  const { code, message } = problemOf(props.error)
  return (
    <div className={classes.empty} role="alert">
      <h2 className="h3 row">
        <CircleX size={16} className="bad" />
        {props.title}
      </h2>
      <p className="sm t2">{message}</p>
      <div className={classes.actions}>
        {props.onRetry !== undefined && <Button onClick={props.onRetry}>Try again</Button>}
        {props.actions}
        <code className="t3 xs">{code}</code>
      </div>
    </div>
  )
}
