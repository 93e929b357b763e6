import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { DetailActs, PhoneActs } from '../../ui/detail-acts.tsx'
import { useTransientFocus } from '../../ui/focus.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import type { Banner } from './banner.ts'
import classes from './run-banner.module.css'
import { StatusIcon } from './status-icon.tsx'

/** The state of a run, and what can be done about it. */
export function RunBanner(props: {
  readonly banner: Banner
  readonly onCancel: () => void
  readonly onRetry: () => void
  readonly isCancelling: boolean
  readonly isRetrying: boolean
  /** Other buttons, which a phone shows beside those of the banner. */
  readonly children?: ReactNode
}) {
  const { banner, onCancel, onRetry, isCancelling, isRetrying, children } = props
  const { status, title, detail, code, canCancel, retry } = banner
  const transient = useTransientFocus(isCancelling || isRetrying)
  const acts = (
    <>
      {canCancel && (
        <WriteButton variant="subtle" keys="x" loading={isCancelling} onClick={onCancel}>
          Cancel run
        </WriteButton>
      )}
      {retry !== null && (
        <WriteButton variant="filled" icon={RotateCw} keys="mod+enter" loading={isRetrying} onClick={onRetry}>
          {retry}
        </WriteButton>
      )}
    </>
  )
  return (
    <>
      <div className={classes.section} {...transient}>
        <div className={classes.banner} data-status={status}>
          <div className={classes.bannerText}>
            <StatusIcon status={status} isNamed />
            <span className="w6">{title}</span>
            {(detail !== null || code !== null) && (
              <p className="sm t2">
                {detail}
                {code !== null && <span className="mono xs t3"> {code}</span>}
              </p>
            )}
          </div>
          <DetailActs>{acts}</DetailActs>
        </div>
      </div>
      <PhoneActs {...transient}>
        {children}
        {acts}
      </PhoneActs>
    </>
  )
}
