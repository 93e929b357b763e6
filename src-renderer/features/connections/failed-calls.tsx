import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { useRef } from 'react'
import { callErrors } from '#shared/errors/call.ts'
import type { OccurrenceGroup } from '#shared/model/activity.ts'
import { api } from '../../client/client.ts'
import { statusReason } from '../../entities/action/status-reason.ts'
import { FailedLink, useFiguresSince } from '../../entities/connection/failed-link.tsx'
import { SetMissingVariables } from '../../entities/environment/set-missing-variables.tsx'
import { ClockTime, StatusCode } from '../../ui/badges.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import classes from './failed-calls.module.css'

/** Shows the failed calls of a connection by their cause, and those that were not made apart. Nothing without any. */
export function FailedCalls({ connectionId }: { readonly connectionId: string }) {
  const since = useFiguresSince()
  const of = { connectionId, since }
  const failed = useQuery(api.activity.groups.queryOptions({ input: { ...of, made: true } })).data ?? []
  const unmade = useQuery(api.activity.groups.queryOptions({ input: { ...of, made: false } })).data ?? []
  const list = useRef<HTMLDivElement>(null)
  useShortcut(
    { keys: 'f8', label: 'Next cause of failed calls', group: 'Overview' },
    () => {
      const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-cause] a') ?? [])]
      const at = links.findIndex(link => link.matches(':focus'))
      links[(at + 1) % links.length]?.focus()
    },
    failed.length + unmade.length > 0,
  )
  if (failed.length + unmade.length === 0) return null
  return (
    <div className={classes.causes} ref={list}>
      <Causes title="Failed calls, by cause" of="failed" groups={failed} />
      <Causes title="Calls not made, by cause" of="unmade" groups={unmade} />
    </div>
  )
}

function Causes(props: {
  readonly title: string
  readonly of: 'failed' | 'unmade'
  readonly groups: readonly OccurrenceGroup[]
}) {
  const { title, of, groups } = props
  const [first] = groups
  if (first === undefined) return null
  const id = `calls-${of}`
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  return (
    <section aria-labelledby={id}>
      <div className="row">
        <h2 className="h3" id={id}>
          {title}
        </h2>
        <span className="sm t3 num">{formatNumber(total)}</span>
        <FailedLink connectionId={first.connectionId ?? ''} of={of} className={`sm push row ${classes.all}`}>
          <Activity size={14} />
          Show all in Activity
        </FailedLink>
      </div>
      <table className={classes.table} aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">Calls</th>
            <th scope="col">Cause</th>
            <th scope="col">Action</th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(group => (
            <CauseRow key={group.cause} of={of} group={group} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Calls of which the names of actions are read, at most. */
const mostRead = 50

/** How often calls have failed for a reason, of which actions, and what can be done about it. */
function CauseRow({ of, group }: { readonly of: 'failed' | 'unmade'; readonly group: OccurrenceGroup }) {
  const { cause, count, firstAt, lastAt } = group
  const connectionId = group.connectionId ?? ''
  const input = { connectionId, cause, made: of === 'failed', since: useFiguresSince(), limit: mostRead }
  const { data } = useQuery(api.activity.list.queryOptions({ input }))
  const calls = (data?.items ?? []).filter(item => item.type === 'call.finished')
  const [name, ...others] = new Set(calls.map(({ toolName }) => toolName ?? 'HTTP request'))
  const newest = calls[0]
  return (
    <tr>
      <td className={of === 'failed' ? 'num w5 bad' : 'num'}>{formatNumber(count)}</td>
      <td data-cause>
        <FailedLink connectionId={connectionId} of={of} cause={cause} className={classes.cause}>
          <Cause of={cause} />
        </FailedLink>
        <span className="sm t3">
          {' '}
          since <ClockTime at={firstAt} />
        </span>
        {cause === 'missing_environment_variable' && newest !== undefined && (
          <SetMissing callId={newest.callId} />
        )}
        {leadsToSignIn.has(cause) && (
          <div className="sm">
            <Link
              className={`link ${classes.wayOut}`}
              to="/connections/$connectionId/sign-in"
              params={{ connectionId }}
            >
              Check the sign-in
            </Link>
          </div>
        )}
      </td>
      <td className="sm" title={[name, ...others].join(', ')}>
        <code className={classes.action}>{name}</code>
        {others.length > 0 && <span className="t3"> and {formatCount(others.length, 'other')}</span>}
      </td>
      <td className="sm t3">
        <ClockTime at={lastAt} />
      </td>
    </tr>
  )
}

const leadsToSignIn: ReadonlySet<string> = new Set(['token_unavailable', 'http_401'])

/** A button for each variable that a call lacked. */
function SetMissing({ callId }: { readonly callId: string }) {
  const { data: call } = useQuery(api.calls.get.queryOptions({ input: { callId } }))
  if (call?.error == null) return null
  return (
    <div className={classes.remedies}>
      <SetMissingVariables error={call.error} again="The next calls use it." size="xs" />
    </div>
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
