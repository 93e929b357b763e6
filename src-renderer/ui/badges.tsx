import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Method as HttpMethod } from '#shared/model/method.ts'
import classes from './badges.module.css'
import { formatClock, formatCountdown, formatExact, formatNumber, formatRelative } from './format.ts'
import { useDerivedNow } from './use-now.ts'

/** A response's status with an optional text, or an error code instead; nothing without any of them. */
export function StatusCode(props: { readonly status: number | null; readonly text?: string | null }) {
  const { status, text } = props
  const tone = status === null ? 'bad' : status < 300 ? 'ok' : status < 400 ? 'mute' : 'bad'
  const shown = [status, text].filter(part => part !== null && part !== undefined && part !== '').join(' ')
  if (shown === '') return null
  return (
    <span className={classes.status} data-tone={tone}>
      {shown}
    </span>
  )
}

const colors = { GET: 'get', HEAD: 'get', POST: 'ok', PUT: 'warn', PATCH: 'patch', DELETE: 'bad' } as const

/** An HTTP method in its colour. */
export function Method({ method }: { readonly method: HttpMethod | 'HEAD' }) {
  const token = colors[method]
  return (
    <span
      className={classes.method}
      style={{ color: `var(--cc-${token})`, background: `var(--cc-${token}-soft)` }}
    >
      {method}
    </span>
  )
}

/** A short remark beside a name. */
export function Tag({ children }: { readonly children: ReactNode }) {
  return <span className={classes.tag}>{children}</span>
}

/** A `{{variable}}`, with its braces; with single ones in an agent’s texts. */
export function Variable(props: { readonly name: string; readonly hasSingleBraces?: boolean }) {
  const { name, hasSingleBraces = false } = props
  return (
    <code className={classes.variable}>
      <i>{hasSingleBraces ? '{' : '{{'}</i>
      {name}
      <i>{hasSingleBraces ? '}' : '}}'}</i>
    </code>
  )
}

/** Replaces a figure that is loading, or that the service does not answer. */
export function Unknown() {
  return (
    <span className="t3" title="Not known yet">
      <span aria-hidden="true">–</span>
      <span className="sr">not known yet</span>
    </span>
  )
}

/** A relative time, with the exact one in the tooltip. */
export function RelativeTime({ at }: { readonly at: string }) {
  const text = useDerivedNow(now => formatRelative(at, now))
  return (
    <Tooltip label={formatExact(at)}>
      <time dateTime={at} className="num nowrap">
        {text}
      </time>
    </Tooltip>
  )
}

/** A time of day; on other days with its date. */
export function ClockTime({ at }: { readonly at: string }) {
  const text = useDerivedNow(now => formatClock(at, now))
  return (
    <time dateTime={at} title={formatExact(at)} className="num nowrap">
      {text}
    </time>
  )
}

/** The time until a moment, in milliseconds since 1970, or since it if that has passed. */
export function Countdown({ to }: { readonly to: number }) {
  return <span className="num nowrap">{useDerivedNow(now => formatCountdown(Math.abs(to - now)))}</span>
}

/** A label with a count, if the count is known: the choice of a SegmentedControl. */
export function Counted({ label, count }: { readonly label: string; readonly count: number | undefined }) {
  return (
    <span className={classes.counted}>
      {label} {count !== undefined && <span>{formatNumber(count)}</span>}
    </span>
  )
}
