import type { ReactNode } from 'react'
import { StatusCode } from '../../ui/badges.tsx'
import { DetailActs, PhoneActs } from '../../ui/detail-acts.tsx'
import { formatExact, formatMoment } from '../../ui/format.ts'
import { BackButton } from '../../ui/master-detail.tsx'
import classes from './detail.module.css'

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
  return (
    <>
      <div className={classes.bar}>
        <BackButton />
        <StatusCode status={status} text={status === null ? code : null} />
        <h2 className="cut">{title}</h2>
        <span className={`t3 sm num cut ${classes.when}`}>
          <time dateTime={at} title={formatExact(at)}>
            {formatMoment(at)}
          </time>
          {beside !== undefined && <> · {beside}</>}
        </span>
        <span className="push" />
        <DetailActs>{children}</DetailActs>
      </div>
      <PhoneActs>{children}</PhoneActs>
    </>
  )
}
