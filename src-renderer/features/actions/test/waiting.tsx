import { Button, Progress } from '@mantine/core'
import { useState } from 'react'
import { formatNumber, formatTenths } from '../../../ui/format.ts'
import { useNow } from '../../../ui/use-now.ts'
import classes from './test.module.css'

/** Shows how long a call has taken, when it is given up, and a button to end it; the caller shows it after half a second. */
export function Waiting(props: {
  readonly host: string
  readonly timeoutMs: number
  readonly onCancel: () => void
}) {
  const { host, timeoutMs, onCancel } = props
  const now = useNow(100)
  const [startedAt] = useState(() => Date.now() - 500)
  const seconds = Math.max(0, (now - startedAt) / 1000)
  const limit = formatNumber(timeoutMs / 1000)
  return (
    <div className={classes.waiting} role="status" aria-label={`Waiting for ${host}`}>
      <div className="row">
        <span className="w5 cut">Waiting for {host}</span>
        <span className="t3 num nowrap" aria-hidden="true">
          {formatTenths(seconds)} s
        </span>
        <span className="push" />
        <Button variant="subtle" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <Progress
        size={3}
        value={Math.min(100, (seconds * 100_000) / timeoutMs)}
        transitionDuration={0}
        aria-label={`Time until the call is given up after ${limit} s`}
      />
      <p className="sm t3">Given up after {limit} s.</p>
    </div>
  )
}
