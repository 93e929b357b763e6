import { Tooltip } from '@mantine/core'
import type { Method as HttpMethod } from '#shared/model/action.ts'
import classes from './badges.module.css'
import { formatExact, formatRelative } from './format.ts'
import { useNow } from './use-now.ts'

/** What was answered: a status with an optional word, or the code of what went wrong instead. */
export function StatusCode({
  status,
  text,
}: {
  readonly status: number | null
  readonly text?: string | null
}) {
  const tone = status === null ? 'bad' : status < 300 ? 'ok' : status < 400 ? 'mute' : 'bad'
  return (
    <span className={classes.status} data-tone={tone}>
      {[status, text].filter(part => part !== null && part !== undefined && part !== '').join(' ')}
    </span>
  )
}

/** An HTTP method in its colour. */
export function Method({ method }: { readonly method: HttpMethod }) {
  const token = method.toLowerCase()
  return (
    <span
      className={classes.method}
      style={{ color: `var(--cc-${token})`, background: `var(--cc-${token}-soft)` }}
    >
      {method}
    </span>
  )
}

/** A `{{variable}}`, its braces kept. */
export function Variable({ name }: { readonly name: string }) {
  return (
    <code className={classes.variable}>
      <i>{'{{'}</i>
      {name}
      <i>{'}}'}</i>
    </code>
  )
}

/** Takes the place of a figure that is not known: it is being read, or the service does not answer. */
export function Unknown() {
  return (
    <span className="t3" title="Not known yet">
      <span aria-hidden="true">–</span>
      <span className="sr">not known yet</span>
    </span>
  )
}

/** When something happened, counted from now; exactly in the tooltip. */
export function RelativeTime({ at }: { readonly at: string }) {
  const now = useNow()
  return (
    <Tooltip label={formatExact(at)}>
      <time dateTime={at} className="num nowrap">
        {formatRelative(at, now)}
      </time>
    </Tooltip>
  )
}
