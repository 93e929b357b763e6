import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useMatches } from '@tanstack/react-router'
import {
  Activity,
  Bell,
  Bot,
  Headset,
  Keyboard,
  type LucideIcon,
  Plug,
  Search,
  SlidersHorizontal,
  Workflow,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { shapes } from '#shared/model/platform/agent.ts'
import { agentPages } from '../agent-pages.ts'
import { api } from '../client/client.ts'
import { useLiveState } from '../client/live-provider.tsx'
import { type Trouble, useTrouble } from '../client/use-health.ts'
import { useAlerts } from '../entities/alert/use-alerts.ts'
import {
  useConnectionFigures,
  useConnectionsById,
  useRecentConnections,
} from '../entities/connection/use-connections.ts'
import { readyNodes } from '../entities/node/node-labels.ts'
import { useNodes } from '../entities/node/use-nodes.ts'
import { useWorkflowCounts } from '../entities/workflow/use-workflows.ts'
import { useApprovals } from '../features/assistant/use-assistant.ts'
import { WorkspaceMenu } from '../features/workspaces/workspace-menu.tsx'
import { useOverlays } from '../overlays.tsx'
import { Unknown } from '../ui/badges.tsx'
import { formatNumber } from '../ui/format.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Keys } from '../ui/keys.tsx'
import { Dot } from '../ui/pill.tsx'
import classes from './sidebar.module.css'

/** The navigation, the recent connections and the listener's state. A rail in a narrow window. */
export function Sidebar() {
  const { open } = useOverlays()
  const [recent] = useRecentConnections()
  const connectionOf = useConnectionsById(recent)
  const figures = useConnectionFigures()
  const workflows = useWorkflowCounts()
  const asking =
    figures === undefined ? 0 : figures.states.failing + figures.states.rejecting + figures.states.attention
  const failingWorkflows = workflows.failing ?? 0
  const isStale = useTrouble() !== null
  const path = useMatches({ select: matches => matches.at(-1)?.pathname ?? '' })
  const recentRows = recent.flatMap(id => connectionOf?.(id) ?? [])
  const isRecent = recentRows.some(row => path.startsWith(`/connections/${row.connectionId}`))
  const isInConnections = path.startsWith('/connections') || path === '/map'
  const isInWorkflows = path.startsWith('/workflows')
  const held = useApprovals().data?.length ?? 0
  const openAlerts = useAlerts('open').data?.length ?? 0
  const isInAssistant = path.startsWith('/assistant')
  const isInAgent = path.startsWith('/agent/')
  const isInRuns = path.startsWith('/workflows/runs')
  return (
    <aside className={classes.side}>
      <WorkspaceMenu />
      <button type="button" className={classes.find} onClick={() => open({ kind: 'palette' })}>
        <Search />
        <span className={`grow ${classes.name}`}>Search or run</span>
        <span className={classes.keys}>
          <Keys keys="mod+k" />
        </span>
      </button>
      <nav className={classes.nav} aria-label="Main" data-stale={isStale || undefined}>
        <Item
          to="/connections"
          icon={Plug}
          label="Connections"
          isActive={path.startsWith('/connections') && !isRecent}
          isWithin={isInConnections}
          end={
            asking > 0 ? (
              <Asking tone="warn" count={asking} words="need attention" />
            ) : (
              <Count of={figures?.total} />
            )
          }
        />
        {isInConnections && <Item to="/map" label="Map" isActive={path === '/map'} />}
        <Item
          to="/activity"
          icon={Activity}
          label="Activity"
          isActive={path === '/activity' || path.startsWith('/story/')}
        />
        <Item
          to="/workflows"
          icon={Workflow}
          label="Workflows"
          isActive={isInWorkflows && !isInRuns}
          isWithin={isInWorkflows}
          end={
            failingWorkflows > 0 ? (
              <Asking tone="bad" count={failingWorkflows} words="failing" />
            ) : (
              <Count of={workflows.total} />
            )
          }
        />
        {isInWorkflows && <Item to="/workflows/runs" label="Runs" isActive={isInRuns} />}
        <Item
          to="/assistant"
          icon={Bot}
          label="Assistant"
          isWithin={isInAssistant}
          end={
            held > 0 && (
              <Asking tone="warn" count={held} words="waiting" title="Calls waiting for your decision" />
            )
          }
        />
        {isInAssistant && (
          <>
            <Item to="/assistant" label="Connect" isActive={path === '/assistant'} />
            <Item
              to="/assistant/conversation/{-$conversationId}"
              params={{ conversationId: undefined }}
              label="Conversation"
              isActive={path.startsWith('/assistant/conversation')}
            />
          </>
        )}
        <Item to={shapes.widget.page.path} icon={Headset} label="Agent" isWithin={isInAgent} />
        {isInAgent &&
          agentPages.map(page => (
            <Item key={page.path} to={page.path} label={page.title} isActive={path === page.path} />
          ))}
        <Item
          to="/alerts"
          icon={Bell}
          label="Alerts"
          isActive={path.startsWith('/alerts')}
          end={openAlerts > 0 && <Asking tone="bad" count={openAlerts} words="open" />}
        />
        <Item
          to="/settings/$section"
          params={{ section: 'listener' }}
          icon={SlidersHorizontal}
          label="Settings"
          isActive={path.startsWith('/settings')}
        />
        {recentRows.length > 0 && <div className={classes.heading}>Recent</div>}
        {recentRows.map(({ connectionId, name, status }) => (
          <Link
            key={connectionId}
            to="/connections/$connectionId"
            params={{ connectionId }}
            className={`${classes.item} ${classes.recent}`}
            data-active={path.startsWith(`/connections/${connectionId}`) || undefined}
          >
            <Dot tone={status.tone} />
            <span className="cut">{name}</span>
            <span className="sr">{status.state === 'unknown' ? '' : status.label}</span>
          </Link>
        ))}
      </nav>
      <ListenerState />
    </aside>
  )
}

/** A screen in the navigation. Without an icon, it is below the one above it. */
function Item(
  props: LinkProps & {
    readonly icon?: LucideIcon
    readonly label: string
    readonly isActive?: boolean
    /** Whether the screen or one below it is open. */
    readonly isWithin?: boolean
    readonly end?: ReactNode
  },
) {
  const { icon: Icon, label, isActive, isWithin, end, ...link } = props
  return (
    <Link
      {...link}
      className={Icon === undefined ? `${classes.item} ${classes.sub}` : classes.item}
      data-active={isActive || undefined}
      data-within={isWithin || undefined}
    >
      {Icon && <Icon size={16} />}
      <span className={`cut ${classes.name}`}>{label}</span>
      {end}
    </Link>
  )
}

function Count({ of }: { readonly of: number | undefined }) {
  return <span className={classes.count}>{of === undefined ? <Unknown /> : formatNumber(of)}</span>
}

/** A count that asks for something. In the rail it is a dot on the icon. */
function Asking(props: {
  readonly tone: 'bad' | 'warn'
  readonly count: number
  /** Follow the count: “failing”. */
  readonly words: string
  readonly title?: string
}) {
  const { tone, count, words } = props
  return (
    <span
      className={classes.asking}
      data-tone={tone}
      title={props.title ?? `${formatNumber(count)} ${words}`}
    >
      <span aria-hidden="true">{formatNumber(count)}</span>
      <span className="sr">
        {formatNumber(count)} {words}
      </span>
    </span>
  )
}

const nodesEveryMs = 15_000

const troubleWords: Readonly<Record<Trouble, string>> = {
  service: 'Not reachable',
  storage: 'Refusing events',
}

/** Shows whether and where the inbound listener listens, on how many nodes, or that the page is reconnecting. */
function ListenerState() {
  const { open } = useOverlays()
  const live = useLiveState()
  const { data } = useQuery(api.service.get.queryOptions())
  const url = data?.listener.url ?? null
  const trouble = useTrouble()
  const isListening = trouble === null && url !== null
  const nodes = useNodes(nodesEveryMs).data ?? []
  const shownUrl = nodes.length > 1 ? (data?.publicUrl ?? null) : url
  const label = trouble !== null ? troubleWords[trouble] : url === null ? 'Not listening' : 'Listening'
  return (
    <div className={classes.foot} data-live={live}>
      <Dot
        tone={isListening ? 'ok' : data === undefined && trouble === null ? 'mute' : 'warn'}
        live={isListening}
      />
      <div className={`col ${classes.address}`} role="status">
        {isListening && nodes.length > 1 ? (
          <Link className="sm w5" to="/settings/$section" params={{ section: 'nodes' }}>
            {readyNodes(nodes)}
          </Link>
        ) : (
          <span className="sm w5">{data === undefined && trouble === null ? 'Connecting…' : label}</span>
        )}
        <span className="xs t3 mono cut">{shownUrl === null ? '' : new URL(shownUrl).host}</span>
      </div>
      <span className={classes.help}>
        <IconButton
          size="xs"
          icon={Keyboard}
          label="Keyboard shortcuts"
          onClick={() => open({ kind: 'shortcuts' })}
        />
      </span>
    </div>
  )
}
