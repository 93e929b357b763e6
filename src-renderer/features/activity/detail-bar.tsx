import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { StatusCode } from '../../ui/badges.tsx'
import { formatExact, formatMoment } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import classes from './detail.module.css'
import { useActivityPlace } from './use-activity-place.ts'

/** The bar above the details: result, name, time and actions. */
export function DetailBar(props: {
  readonly status: number | null
  /** Shown instead of a status. */
  readonly code?: string | null
  readonly title: string
  readonly at: string
  readonly beside?: ReactNode
  readonly children?: ReactNode
}) {
  const { status, code, title, at, beside, children } = props
  const place = useActivityPlace()
  const isNarrow = useNarrow()
  return (
    <div className={classes.bar}>
      {isNarrow && <IconButton icon={ArrowLeft} label="Back to the list" onClick={place.close} />}
      <StatusCode status={status} text={status === null ? code : null} />
      <h2 className="cut">{title}</h2>
      <span className={`t3 sm num cut ${classes.when}`}>
        <time dateTime={at} title={formatExact(at)}>
          {formatMoment(at)}
        </time>
        {beside !== undefined && <> · {beside}</>}
      </span>
      <span className="push" />
      {children}
    </div>
  )
}
