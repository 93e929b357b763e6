import { Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useMatches } from '@tanstack/react-router'
import {
  Activity,
  Bell,
  Bot,
  Ellipsis,
  Headset,
  Keyboard,
  type LucideIcon,
  Plug,
  Search,
  SlidersHorizontal,
  Workflow,
} from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import { shapePages } from '#shared/model/platform/shape-pages.ts'
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

/** Returns how many of each ask for something. */
function useAsking() {
  const states = useConnectionFigures()?.states
  return {
    connections: states === undefined ? 0 : states.failing + states.rejecting + states.attention,
    workflows: useWorkflowCounts().failing ?? 0,
    calls: useApprovals().data?.length ?? 0,
    alerts: useAlerts('open').data?.length ?? 0,
  }
}

const usePath = () => useMatches({ select: matches => matches.at(-1)?.pathname ?? '' })

/** The places at the foot of a phone, instead of the sidebar, which More opens. */
export function Places() {
  const asking = useAsking()
  const path = usePath()
  const isStale = useTrouble() !== null
  const [isOpen, { open, close }] = useDisclosure()
  // Menus of the sidebar are below it for React, too.
  const leave = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest('a, [data-search], [role="menuitem"]')) close()
  }
  const isIn = (...heads: string[]) => heads.some(head => path.startsWith(head))
  return (
    <nav
      className={classes.places}
      aria-label="Main"
      data-stale={isStale || undefined}
      data-live={useLiveState()}
    >
      <Place to="/connections" icon={Plug} label="Connections" isActive={isIn('/connections')}>
        <Asking tone="warn" count={asking.connections} words="need attention" />
      </Place>
      <Place to="/activity" icon={Activity} label="Activity" isActive={isIn('/activity')} />
      <Place to="/workflows/runs" icon={Workflow} label="Runs" isActive={isIn('/workflows/runs')}>
        <Asking tone="bad" count={asking.workflows} words="failing" />
      </Place>
      <Place to="/alerts" icon={Bell} label="Alerts" isActive={isIn('/alerts')}>
        <Asking tone="bad" count={asking.alerts} words="open" />
      </Place>
      <button type="button" className={classes.place} aria-haspopup="dialog" onClick={open}>
        <Ellipsis size={18} />
        More
        <Asking tone="warn" count={asking.calls} words="waiting" />
      </button>
      <Drawer
        opened={isOpen}
        onClose={close}
        title="More"
        position="bottom"
        size="auto"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: links and buttons in it take the keys */}
        <div onClick={leave}>
          <Sidebar label="All places" />
        </div>
      </Drawer>
    </nav>
  )
}

function Place(
  props: LinkProps & {
    readonly icon: LucideIcon
    readonly label: string
    readonly isActive: boolean
    readonly children?: ReactNode
  },
) {
  const { icon: Icon, label, isActive, children, ...link } = props
  return (
    <Link {...link} className={classes.place} data-active={isActive || undefined}>
      <Icon size={18} />
      <span className={`cut ${classes.name}`}>{label}</span>
      {children}
    </Link>
  )
}

/**
 * The navigation, the recent connections and the listener's state. A rail in a narrow window.
 *
 * @param props.label names the navigation.
 */
export function Sidebar({ label = 'Main' }: { readonly label?: string }) {
  const { open } = useOverlays()
  const [recent] = useRecentConnections()
  const connectionOf = useConnectionsById(recent)
  const figures = useConnectionFigures()
  const workflows = useWorkflowCounts()
  const asking = useAsking()
  const isStale = useTrouble() !== null
  const path = usePath()
  const recentRows = recent.flatMap(id => connectionOf?.(id) ?? [])
  const isRecent = recentRows.some(row => path.startsWith(`/connections/${row.connectionId}`))
  const isInConnections = path.startsWith('/connections') || path === '/map'
  const isInWorkflows = path.startsWith('/workflows')
  const isInAssistant = path.startsWith('/assistant')
  const isInAgent = path.startsWith('/agent/')
  const isInRuns = path.startsWith('/workflows/runs')
  return (
    <aside className={classes.side}>
      <WorkspaceMenu />
      <button type="button" className={classes.find} data-search onClick={() => open({ kind: 'palette' })}>
        <Search />
        <span className={`grow ${classes.name}`}>Search or run</span>
        <span className={classes.keys}>
          <Keys keys="mod+k" />
        </span>
      </button>
      <nav className={classes.nav} aria-label={label} data-stale={isStale || undefined}>
        <Item
          to="/connections"
          icon={Plug}
          label="Connections"
          isActive={path.startsWith('/connections') && !isRecent}
          isWithin={isInConnections}
          end={
            asking.connections > 0 ? (
              <Asking tone="warn" count={asking.connections} words="need attention" />
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
            asking.workflows > 0 ? (
              <Asking tone="bad" count={asking.workflows} words="failing" />
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
            <Asking
              tone="warn"
              count={asking.calls}
              words="waiting"
              title="Calls waiting for your decision"
            />
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
        <Item to={shapePages.widget.path} icon={Headset} label="Agent" isWithin={isInAgent} />
        {isInAgent &&
          agentPages.map(page => (
            <Item key={page.path} to={page.path} label={page.title} isActive={path === page.path} />
          ))}
        <Item
          to="/alerts"
          icon={Bell}
          label="Alerts"
          isActive={path.startsWith('/alerts')}
          end={<Asking tone="bad" count={asking.alerts} words="open" />}
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
  return (
    <span className={classes.count}>
      {of === undefined ? <Unknown /> : formatNumber(of)}
      <span className="sr"> in all</span>
    </span>
  )
}

/** A count that asks for something; nothing for 0. In the rail it is a dot on the icon. */
function Asking(props: {
  readonly tone: 'bad' | 'warn'
  readonly count: number
  /** Follow the count: “failing”. */
  readonly words: string
  readonly title?: string
}) {
  const { tone, count, words } = props
  if (count === 0) return null
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
