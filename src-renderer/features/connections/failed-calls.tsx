import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { useRef } from 'react'
import { hourMs, minuteMs } from '#shared/durations.ts'
import { callErrors, neverSent } from '#shared/errors/call.ts'
import type { OccurrenceGroup } from '#shared/model/activity.ts'
import { hoursShown } from '#shared/model/statistics.ts'
import { api } from '../../client/client.ts'
import { statusReason } from '../../entities/action/status-reason.ts'
import { ClockTime, StatusCode } from '../../ui/badges.tsx'
import { formatNumber } from '../../ui/format.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNow } from '../../ui/use-now.ts'
import classes from './failed-calls.module.css'

/** Shows the failed calls of a connection by their cause, and those that were not made apart. Nothing without any. */
export function FailedCalls({ connectionId }: { readonly connectionId: string }) {
  const hour = Math.floor(useNow(minuteMs) / hourMs)
  const since = new Date((hour - hoursShown + 1) * hourMs).toISOString()
  const input = { connectionId, kinds: 'call.finished', since }
  const { data: groups = [] } = useQuery(api.activity.groups.queryOptions({ input }))
  const list = useRef<HTMLDivElement>(null)
  useShortcut(
    { keys: 'f8', label: 'Next cause of failed calls', group: 'Overview' },
    () => {
      const links = [...(list.current?.querySelectorAll<HTMLElement>('td a') ?? [])]
      const at = links.findIndex(link => link.matches(':focus'))
      links[(at + 1) % links.length]?.focus()
    },
    groups.length > 0,
  )
  if (groups.length === 0) return null
  return (
    <div className={classes.causes} ref={list}>
      <Causes title="Failed calls, by cause" groups={groups.filter(({ cause }) => !neverSent.has(cause))} />
      <Causes
        title="Calls not made, by cause"
        groups={groups.filter(({ cause }) => neverSent.has(cause))}
        isQuiet
      />
    </div>
  )
}

function Causes(props: {
  readonly title: string
  readonly groups: readonly OccurrenceGroup[]
  readonly isQuiet?: boolean
}) {
  const { title, groups, isQuiet = false } = props
  const [first] = groups
  if (first === undefined) return null
  const id = isQuiet ? 'calls-not-made' : 'failed-calls'
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  const connectionId = first.connectionId ?? ''
  return (
    <section aria-labelledby={id}>
      <div className="row">
        <h2 className="h3" id={id}>
          {title}
        </h2>
        <span className="sm t3 num">{formatNumber(total)}</span>
        <Link
          className={`sm push row ${classes.all}`}
          to="/connections/$connectionId/activity"
          params={{ connectionId }}
          search={{ show: 'outbound', outcome: 'failed' }}
        >
          <Activity size={14} />
          Show all in Activity
        </Link>
      </div>
      <table className={classes.table} aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">Calls</th>
            <th scope="col">Cause</th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ cause, count, firstAt, lastAt }) => (
            <tr key={cause}>
              <td className={isQuiet ? 'num' : 'num w5 bad'}>{formatNumber(count)}</td>
              <td>
                <Link
                  to="/connections/$connectionId/activity"
                  params={{ connectionId }}
                  search={{ show: 'outbound', outcome: 'failed', cause }}
                >
                  <Cause of={cause} />
                </Link>
                <span className="sm t3">
                  {' '}
                  since <ClockTime at={firstAt} />
                </span>
              </td>
              <td className="sm t3">
                <ClockTime at={lastAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const errors: Readonly<Record<string, string>> = callErrors

/** A cause in words: the reason of a status, or what its code means. */
function Cause({ of }: { readonly of: string }) {
  const status = /^http_(\d{3})$/.exec(of)?.[1]
  if (status === undefined)
    return (
      <>
        <StatusCode status={null} text={of} /> {errors[of] ?? ''}
      </>
    )
  return (
    <>
      <StatusCode status={Number(status)} /> {statusReason(Number(status)) ?? ''}
    </>
  )
}
