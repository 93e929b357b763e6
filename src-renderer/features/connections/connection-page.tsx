import { Button, Skeleton, Switch, Tabs } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useMatches, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { api } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { ErrorState } from '../../ui/empty-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { onIdle } from '../../ui/lazy-component.tsx'
import { Body, Top, useTitle } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { SendTestEvent } from '../events/send-popover.tsx'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import { ConnectionMenu } from './connection-menu.tsx'
import classes from './connection-page.module.css'
import { connectionStatus } from './connection-status.ts'
import { CurrentConnection, type OpenConnection } from './current-connection.tsx'
import { useConnectionStatistics, useRecentConnections } from './use-connections.ts'
import { copyInboundUrl } from './use-secret.ts'
import { useSwitchConnection } from './use-update-connection.ts'

const tabs = ['overview', 'actions', 'events', 'activity'] as const
type Tab = (typeof tabs)[number]
const group = 'Connection'

/** A connection: its switch, its tabs, and the tab that is open. */
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
            actions={
              isGone ? (
                <Button onClick={() => void navigate({ to: '/connections' })}>Show connections</Button>
              ) : (
                <Button onClick={() => void refetch()}>Try again</Button>
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
  const status = connectionStatus(connection, useConnectionStatistics(connectionId))
  const open: Tab = useMatches({
    select: matches => tabs.find(tab => matches.at(-1)?.pathname.endsWith(`/${tab}`)) ?? 'overview',
  })

  const opened = useEffectEvent(() => {
    remember(connectionId)
    // A link may lead into another workspace than the one that is open.
    if (workspace !== null && workspace.workspaceId !== workspaceId) choose(workspaceId)
  })
  const workspaceKnown = workspace !== null
  useEffect(() => {
    if (workspaceKnown) opened()
  }, [workspaceKnown])
  // The longest list of its tabs, which may be of a thousand, is then there when its tab is opened.
  const queries = useQueryClient()
  useEffect(
    () =>
      onIdle(() => void queries.prefetchQuery(api.actions.list.queryOptions({ input: { connectionId } }))),
    [queries, connectionId],
  )
  useTitle(name)

  function go(tab: Tab) {
    const params = { connectionId }
    if (tab === 'overview') void navigate({ to: '/connections/$connectionId', params })
    else if (tab === 'actions') void navigate({ to: '/connections/$connectionId/actions', params })
    else if (tab === 'events') void navigate({ to: '/connections/$connectionId/events', params })
    else void navigate({ to: '/connections/$connectionId/activity', params })
  }
  const step = (by: number) => go(tabs[(tabs.indexOf(open) + by + tabs.length) % tabs.length] ?? 'overview')
  const searchActivity = () =>
    void navigate({
      to: '/connections/$connectionId/activity',
      params: { connectionId },
      search: { find: true },
    })

  useShortcut({ keys: '1', label: 'Overview', group }, () => go('overview'))
  useShortcut({ keys: '2', label: 'Actions', group }, () => go('actions'))
  useShortcut({ keys: '3', label: 'Events', group }, () => go('events'))
  useShortcut({ keys: '4', label: 'Activity', group }, () => go('activity'))
  useShortcut({ keys: '[', label: 'Previous tab', group }, () => step(-1))
  useShortcut({ keys: ']', label: 'Next tab', group }, () => step(1))
  useShortcut({ keys: 'mod+shift+c', label: 'Copy the inbound URL', group }, () =>
    copyInboundUrl(connectionId),
  )
  useShortcut({ keys: 'mod+shift+f', label: 'Search the activity', group }, searchActivity, {
    enabled: open !== 'activity',
  })

  return (
    <>
      <Top
        ruled={false}
        crumbs={connectionCrumbs}
        title={name}
        beside={status.state === 'unknown' ? undefined : <Pill tone={status.tone}>{status.label}</Pill>}
        actions={
          <>
            <Switch
              className={classes.switch}
              label={<span className={classes.switchLabel}>Connection enabled</span>}
              aria-label="Connection enabled"
              labelPosition="left"
              checked={enabled}
              onChange={event => switchConnection(connectionId, event.currentTarget.checked)}
            />
            <SendTestEvent />
            <ConnectionMenu connection={connection} />
          </>
        }
      />
      <Tabs
        value={open}
        onChange={tab => go(tabs.find(known => known === tab) ?? 'overview')}
        className={classes.tabs}
      >
        <Tabs.List>
          <Tabs.Tab value="overview">Overview</Tabs.Tab>
          <Tabs.Tab value="actions" rightSection={<Count of={actionCount} />}>
            Actions
          </Tabs.Tab>
          <Tabs.Tab value="events" rightSection={<Count of={eventTypeCount} />}>
            Events
          </Tabs.Tab>
          <Tabs.Tab value="activity">Activity</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <Outlet />
    </>
  )
}

function Count({ of }: { readonly of: number }) {
  return <span className="xs t3 num">{formatNumber(of)}</span>
}

/** What stands above a connection's page. */
const connectionCrumbs = [
  <Link key="list" to="/connections">
    Custom API
  </Link>,
]

const skeletonWidths = [58, 58, 52, 50]

/** A connection's page before it is known what is on it. */
function ConnectionPageSkeleton() {
  return (
    <>
      <Top
        ruled={false}
        crumbs={connectionCrumbs}
        title={
          <>
            <Skeleton height={10} width={140} />
            <span className="sr">Connection</span>
          </>
        }
      />
      <div className={`row ${classes.tabs}`} style={{ gap: 20 }} aria-hidden="true">
        {skeletonWidths.map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are never reordered
          <Skeleton key={index} height={10} width={width} />
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
