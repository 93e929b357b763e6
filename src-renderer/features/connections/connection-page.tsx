import { Button, Skeleton, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatches, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { isUnsigned } from '#shared/model/sender/sender.ts'
import { api } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { connectionStatus } from '../../entities/connection/connection-status.ts'
import { CurrentConnection, type OpenConnection } from '../../entities/connection/current-connection.tsx'
import { Unsigned } from '../../entities/connection/unsigned.tsx'
import { useConnectionStatistics, useRecentConnections } from '../../entities/connection/use-connections.ts'
import { copyInboundUrl } from '../../entities/connection/use-secret.ts'
import { useSwitchConnection } from '../../entities/connection/use-update-connection.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { Delayed } from '../../ui/delayed.tsx'
import { ErrorState } from '../../ui/empty-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { onIdle } from '../../ui/lazy-component.tsx'
import { Body, Top, TopSwitch, useTitle } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { problemOf } from '../../ui/problem.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { SendTestEvent } from '../events/send-popover.tsx'
import { ConnectionMenu } from './connection-menu.tsx'
import classes from './connection-page.module.css'
import { usePausedUntil } from './use-pause.ts'

const tabs = {
  overview: '/connections/$connectionId',
  actions: '/connections/$connectionId/actions',
  events: '/connections/$connectionId/events',
  activity: '/connections/$connectionId/activity',
  check: '/connections/$connectionId/check',
} as const
type Tab = keyof typeof tabs
const order: readonly Tab[] = ['overview', 'actions', 'events', 'activity', 'check']
const group = 'Connection'

/** The page of a connection with its switch, its tabs and the open tab. */
export function ConnectionPage() {
  const { connectionId } = useParams({ from: '/connections/$connectionId' })
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(api.connections.get.queryOptions({ input: { connectionId } }))
  const isGone = error !== null && problemOf(error).code === 'connection_not_found'
  if (data === undefined || isGone) {
    if (error === null)
      return (
        <Delayed>
          <ConnectionPageSkeleton />
        </Delayed>
      )
    return (
      <>
        <Top crumbs={connectionCrumbs} title="Connection" />
        <Body>
          <ErrorState
            title="This connection cannot be shown"
            error={error}
            onRetry={isGone ? undefined : () => void refetch()}
            actions={
              isGone && (
                <Button onClick={() => void navigate({ to: '/connections' })}>Show connections</Button>
              )
            }
          />
        </Body>
      </>
    )
  }
  return (
    <CurrentConnection value={data}>
      <Loaded key={connectionId} connection={data} />
    </CurrentConnection>
  )
}

function Loaded({ connection }: { readonly connection: OpenConnection }) {
  const { connectionId, workspaceId, name, enabled, actionCount, eventTypeCount } = connection
  const navigate = useNavigate()
  const switchConnection = useSwitchConnection()
  const { workspace, choose } = useWorkspace()
  const [, remember] = useRecentConnections()
  const open: Tab = useMatches({
    select: matches => order.find(tab => matches.at(-1)?.pathname.endsWith(`/${tab}`)) ?? 'overview',
  })

  const opened = useEffectEvent(() => {
    remember(connectionId)
    // A link may lead to a connection of another workspace.
    if (workspace !== null && workspace.workspaceId !== workspaceId) choose(workspaceId)
  })
  const workspaceKnown = workspace !== null
  useEffect(() => {
    if (workspaceKnown) opened()
  }, [workspaceKnown])
  // The list of actions may be long, so it is read before its tab is opened.
  useEffect(
    () =>
      onIdle(() => void queries.prefetchQuery(api.actions.list.queryOptions({ input: { connectionId } }))),
    [connectionId],
  )
  useTitle(name)

  const go = (tab: Tab) => void navigate({ to: tabs[tab], params: { connectionId } })
  const step = (by: number) => go(order.at((order.indexOf(open) + by) % order.length) ?? 'overview')
  const searchActivity = () =>
    void navigate({ to: tabs.activity, params: { connectionId }, search: { find: true } })

  useShortcut({ keys: '1', label: 'Overview', group }, () => go('overview'))
  useShortcut({ keys: '2', label: 'Actions', group }, () => go('actions'))
  useShortcut({ keys: '3', label: 'Event types', group }, () => go('events'))
  useShortcut({ keys: '4', label: 'Activity', group }, () => go('activity'))
  useShortcut({ keys: '5', label: 'Receiver check', group }, () => go('check'))
  useShortcut({ keys: '[', label: 'Previous tab', group }, () => step(-1))
  useShortcut({ keys: ']', label: 'Next tab', group }, () => step(1))
  const copyUrl = () => copyInboundUrl(connectionId)
  // The receiver check copies its report.
  useShortcut({ keys: 'mod+shift+c', label: 'Copy the inbound URL', group }, copyUrl, open !== 'check')
  useShortcut(
    { keys: 'mod+shift+f', label: 'Search the activity', group },
    searchActivity,
    open !== 'activity',
  )

  return (
    <>
      <Top
        ruled={false}
        crumbs={connectionCrumbs}
        title={name}
        beside={<State connection={connection} />}
        actions={
          <>
            <TopSwitch
              label="Connection enabled"
              isOn={enabled}
              onChange={isOn => switchConnection(connectionId, isOn)}
            />
            <SendTestEvent />
            <ConnectionMenu connection={connection} />
          </>
        }
      />
      <Tabs
        value={open}
        onChange={tab => go(order.find(known => known === tab) ?? 'overview')}
        className={classes.tabs}
      >
        <Tabs.List>
          <Tabs.Tab value="overview">Overview</Tabs.Tab>
          <Tabs.Tab value="actions" rightSection={<Count of={actionCount} />}>
            Actions
          </Tabs.Tab>
          <Tabs.Tab value="events" rightSection={<Count of={eventTypeCount} />}>
            Event types
          </Tabs.Tab>
          <Tabs.Tab value="activity">Activity</Tabs.Tab>
          <Tabs.Tab value="check">Receiver check</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <Outlet />
    </>
  )
}

/** Shows what a connection is doing, in a word or two. */
function State({ connection }: { readonly connection: OpenConnection }) {
  const { state, tone, label } = connectionStatus(
    connection,
    useConnectionStatistics(connection.connectionId),
  )
  const isPaused = usePausedUntil() !== null
  return (
    <>
      {isPaused ? (
        <Pill tone="warn">Calls paused</Pill>
      ) : (
        state !== 'unknown' && <Pill tone={tone}>{label}</Pill>
      )}
      {isUnsigned(connection.sender) && <Unsigned />}
    </>
  )
}

function Count({ of }: { readonly of: number }) {
  return <span className="xs t3 num">{formatNumber(of)}</span>
}

/** The breadcrumbs above the name of a connection. */
const connectionCrumbs = [
  <Link key="list" to="/connections">
    Connections
  </Link>,
]

/** Stands for the page until the connection is known. */
function ConnectionPageSkeleton() {
  const title = (
    <>
      <Skeleton height={10} width={140} />
      <span className="sr">Connection</span>
    </>
  )
  return (
    <>
      <Top ruled={false} crumbs={connectionCrumbs} title={title} />
      <div className={`row ${classes.tabs}`} style={{ gap: 20 }} aria-hidden="true">
        {order.map(tab => (
          <Skeleton key={tab} height={10} width={54} />
        ))}
      </div>
      <Body>
        <div className={classes.loading} role="status" aria-label="Loading the connection">
          <Skeleton height={75} radius="lg" />
          <Skeleton height={10} width={120} mt={26} />
          <Skeleton height={32} mt={28} />
          <Skeleton height={32} mt={34} />
        </div>
      </Body>
    </>
  )
}
