import { Button, Menu, Skeleton, Tooltip } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { callErrors, neverSent } from '#shared/errors/call.ts'
import type { AssistantCall } from '#shared/model/assistant.ts'
import { client } from '../../client/client.ts'
import { exactArguments } from '../../client/exact-arguments.ts'
import { valuesOf } from '../../entities/action/argument-values.ts'
import { putArguments } from '../../entities/action/use-typed-arguments.ts'
import { useConnectionsById } from '../../entities/connection/use-connections.ts'
import { StatusCode } from '../../ui/badges.tsx'
import { openDialog } from '../../ui/confirm-dialog.tsx'
import { Delayed } from '../../ui/delayed.tsx'
import { formatClock, formatExact, formatMs } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import table from '../../ui/list-table.module.css'
import { TableHead } from '../../ui/list-table.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { toastProblem } from '../../ui/toasts.tsx'
import { ToolName } from '../../ui/tool-name.tsx'
import { useNow } from '../../ui/use-now.ts'
import { Arguments } from './arguments.tsx'
import classes from './assistant.module.css'
import { labelOfClient } from './configurations.ts'
import { RefusedCall } from './refused-call.tsx'
import { useAssistantCalls } from './use-assistant.ts'

const columns = [
  { head: 'Time', width: 92 },
  { head: 'Client', width: 106 },
  { head: 'Tool', width: 184 },
  { head: 'Arguments', className: classes.given },
  { head: 'Status', width: 78 },
  { head: 'Took', width: 76, isNumber: true },
]

/** The tool calls of MCP clients and conversations, newest first. */
export function CallLog() {
  const query = useAssistantCalls()
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const calls = query.data?.pages.flatMap(page => page.calls)
  return (
    <section className={classes.section} aria-label="Calls">
      <div className={classes.sectionHead}>
        <h2 className="h3">Calls</h2>
        <span className="sm t3">secret values are masked</span>
        <span className="push" />
        {calls !== undefined && <AllCalls calls={calls} />}
      </div>
      {calls === undefined ? (
        <QueryState query={query} failed="The calls could not be read" waiting={<CallLogSkeleton />} />
      ) : calls.length === 0 ? (
        <p className={`sm t2 ${classes.none}`}>
          No calls yet. Each call of a tool appears here, a refused one with the reason.
        </p>
      ) : (
        <>
          <table className={`${table.table} ${classes.calls}`}>
            <caption className="sr">Tool calls, newest first</caption>
            <TableHead columns={columns} />
            <tbody>
              {calls.map(call => (
                <CallRow key={call.id} call={call} />
              ))}
            </tbody>
          </table>
          {hasNextPage && (
            <div className={classes.more}>
              <Button
                size="xs"
                variant="subtle"
                loading={isFetchingNextPage}
                onClick={() => void fetchNextPage()}
              >
                Older calls
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  )
}

function CallRow({ call }: { readonly call: AssistantCall }) {
  const { at, source, clientName, tokenName, toolName, name, totalMs, callId } = call
  const { connectionId, actionId } = call
  const now = useNow()
  const rerun = useRerun()
  const given = exactArguments(call)
  const again =
    connectionId === null || actionId === null ? null : () => void rerun(connectionId, actionId, given)
  const showRefusal = () =>
    openDialog({
      title: 'Refused call',
      size: 560,
      children: <RefusedCall call={call} onRerun={again} />,
    })
  const time = (
    <time dateTime={at} title={formatExact(at)}>
      {formatClock(at, now)}
    </time>
  )
  return (
    <tr className={table.row}>
      <td data-head="Time" className="num t2">
        {callId !== null && connectionId !== null ? (
          <Link
            className={`${table.open} ${classes.moment}`}
            to="/connections/$connectionId/activity"
            params={{ connectionId }}
            search={{ item: callId }}
            aria-label={`${toolName}, ${formatClock(at, now)}: show the call`}
          >
            {time}
          </Link>
        ) : (
          <button
            type="button"
            className={`${table.open} ${classes.moment}`}
            aria-label={`${toolName}, ${formatClock(at, now)}: show the refused call`}
            onClick={showRefusal}
          >
            {time}
          </button>
        )}
      </td>
      <td data-head="Client" className="t2">
        <span className={`cut ${classes.cell}`} title={[clientName, tokenName].filter(Boolean).join(' · ')}>
          {source === 'conversation'
            ? 'Conversation'
            : clientName === null
              ? (tokenName ?? 'Unnamed client')
              : labelOfClient(clientName)}
        </span>
      </td>
      <td data-head="Tool">
        <ToolName name={name} />
      </td>
      <td data-head="Arguments" className={classes.given}>
        <Arguments given={given} />
      </td>
      <td data-head="Status" data-card="half">
        <Outcome call={call} />
      </td>
      <td data-head="Took" data-card="half" className={`t2 ${table.number} ${classes.took}`}>
        <span>{totalMs === null ? <span className="t3">none</span> : formatMs(Math.round(totalMs))}</span>
        {again !== null && (
          <span className={classes.rerun}>
            <IconButton size="xs" icon={RotateCcw} label="Rerun with edited arguments" onClick={again} />
          </span>
        )}
      </td>
    </tr>
  )
}

/** The status of the response, or in one word why there is none. */
function Outcome({ call: { status, code, reason } }: { readonly call: AssistantCall }) {
  if (status !== null || code === null) return <StatusCode status={status} />
  const isFailed = Object.hasOwn(callErrors, code) && !neverSent.has(code)
  return (
    <Tooltip label={`${reason ?? ''} ${code}`.trim()} multiline maw={320}>
      <span className={`${classes.outcome} ${table.above}`} data-failed={isFailed || undefined}>
        {isFailed ? 'failed' : 'refused'}
      </span>
    </Tooltip>
  )
}

/** Returns a function that opens the action's Test with the arguments of a call. Masked values stay empty. */
function useRerun() {
  const navigate = useNavigate()
  return async (connectionId: string, actionId: string, given: Readonly<Record<string, unknown>>) => {
    try {
      const { parameters } = await client.actions.get({ connectionId, actionId })
      putArguments(actionId, valuesOf(parameters, given))
      await navigate({
        to: '/connections/$connectionId/actions',
        params: { connectionId },
        search: { action: actionId, panel: 'test' },
      })
    } catch (error) {
      toastProblem('The action could not be opened', error)
    }
  }
}

/** Leads to the activity of the connection that was called, or of one of several. */
function AllCalls({ calls }: { readonly calls: readonly AssistantCall[] }) {
  const ids = new Set(calls.map(({ connectionId }) => connectionId))
  const connectionOf = useConnectionsById(ids)
  const navigate = useNavigate()
  const called = [...ids].flatMap(id => connectionOf?.(id) ?? [])
  const open = (connectionId: string) =>
    void navigate({
      to: '/connections/$connectionId/activity',
      params: { connectionId },
      search: { show: 'outbound' },
    })
  const [only] = called
  if (only === undefined) return null
  if (called.length === 1)
    return (
      <Button size="xs" variant="subtle" onClick={() => open(only.connectionId)}>
        All calls
      </Button>
    )
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="subtle">
          All calls
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        {called.map(({ connectionId, name }) => (
          <Menu.Item key={connectionId} onClick={() => open(connectionId)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function CallLogSkeleton() {
  return (
    <Delayed>
      <div role="status" aria-label="Loading calls" className={classes.none}>
        {[1, 2, 3, 4].map(row => (
          <Skeleton key={row} height={10} width="90%" mb={22} />
        ))}
      </div>
    </Delayed>
  )
}
