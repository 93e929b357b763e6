import type { LastTest } from '#shared/model/call.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusCode } from '../../ui/status-code.tsx'
import { Unknown } from '../../ui/unknown.tsx'
import classes from './actions.module.css'

/** What the newest test of an action was answered, and when. */
export function LastTestCell({
  test,
}: {
  /** Null for none, undefined until it is known. */ readonly test: LastTest | null | undefined
}) {
  if (test === undefined)
    return (
      <span className={classes.last}>
        <Unknown />
      </span>
    )
  if (test === null) return <span className={`${classes.last} t3`}>Not tested</span>
  const { status, code, at } = test
  return (
    <span className={classes.last}>
      <StatusCode status={status} text={status === null ? code : null} />
      <span className="t3 cut">
        <RelativeTime at={at} />
      </span>
    </span>
  )
}
