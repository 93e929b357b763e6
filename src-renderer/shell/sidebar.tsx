import { useQuery } from '@tanstack/react-query'
import { Link, useMatches } from '@tanstack/react-router'
import { Bot, Headset, Keyboard, Plug, Search, SlidersHorizontal, Workflow } from 'lucide-react'
import { agentPages } from '../agent-pages.ts'
import { api } from '../client/client.ts'
import { useLiveState } from '../client/live-provider.tsx'
import { useApprovals } from '../features/assistant/use-assistant.ts'
import { useConnections, useRecentConnections } from '../features/connections/use-connections.ts'
import { useWorkflows } from '../features/workflows/use-workflows.ts'
import { WorkspaceMenu } from '../features/workspaces/workspace-menu.tsx'
import { Unknown } from '../ui/badges.tsx'
import { formatNumber } from '../ui/format.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Keys } from '../ui/keys.tsx'
import { Dot } from '../ui/pill.tsx'
import { useOverlays } from './overlays.tsx'
import classes from './sidebar.module.css'

/** The navigation, the recent connections and the listener's state. A rail in a narrow window. */
export function Sidebar() {
  const { open } = useOverlays()
  const { rows, isKnown } = useConnections()
  const [recent] = useRecentConnections()
  const workflows = useWorkflows()
  const path = useMatches({ select: matches => matches.at(-1)?.pathname ?? '' })
  const recentRows = recent.flatMap(id => rows.find(row => row.connectionId === id) ?? [])
  const isRecent = recentRows.some(row => path.startsWith(`/connections/${row.connectionId}`))
  const isInWorkflows = path.startsWith('/workflows')
  const held = useApprovals().data?.length ?? 0
  const isInAssistant = path.startsWith('/assistant')
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
      <nav className={classes.nav} aria-label="Main">
        <Link
          to="/connections"
          className={classes.item}
          data-active={(path.startsWith('/connections') && !isRecent) || undefined}
          data-within={path.startsWith('/connections') || undefined}
        >
          <Plug size={16} />
          <span className={`cut ${classes.name}`}>Connections</span>
          <span className={classes.count}>{isKnown ? formatNumber(rows.length) : <Unknown />}</span>
        </Link>
        <Link
          to="/workflows"
          className={classes.item}
          data-active={(isInWorkflows && !isInRuns) || undefined}
          data-within={isInWorkflows || undefined}
        >
          <Workflow size={16} />
          <span className={`cut ${classes.name}`}>Workflows</span>
          <span className={classes.count}>
            {workflows.data === undefined ? <Unknown /> : formatNumber(workflows.data.length)}
          </span>
        </Link>
        {isInWorkflows && (
          <Link
            to="/workflows/runs"
            className={`${classes.item} ${classes.sub}`}
            data-active={isInRuns || undefined}
          >
            <span className="cut">Runs</span>
          </Link>
        )}
        <Link to="/assistant" className={classes.item} data-within={isInAssistant || undefined}>
          <Bot size={16} />
          <span className={`cut ${classes.name}`}>Assistant</span>
          {held > 0 && (
            <span className={classes.waiting} title="Calls waiting for your decision">
              {formatNumber(held)}
              <span className="sr"> waiting</span>
            </span>
          )}
        </Link>
        {isInAssistant && (
          <>
            <Link
              to="/assistant"
              className={`${classes.item} ${classes.sub}`}
              data-active={path === '/assistant' || undefined}
            >
              <span className="cut">Connect</span>
            </Link>
            <Link
              to="/assistant/conversation/{-$conversationId}"
              params={{ conversationId: undefined }}
              className={`${classes.item} ${classes.sub}`}
              data-active={path.startsWith('/assistant/conversation') || undefined}
            >
              <span className="cut">Conversation</span>
            </Link>
          </>
        )}
        <Link
          to={agentPages[0].path}
          className={classes.item}
          data-within={path.startsWith('/agent/') || undefined}
        >
          <Headset size={16} />
          <span className={`cut ${classes.name}`}>Agent</span>
        </Link>
        {path.startsWith('/agent/') &&
          agentPages.map(page => (
            <Link
              key={page.path}
              to={page.path}
              className={`${classes.item} ${classes.sub}`}
              data-active={path === page.path || undefined}
            >
              <span className="cut">{page.title}</span>
            </Link>
          ))}
        <Link
          to="/settings/$section"
          params={{ section: 'listener' }}
          className={classes.item}
          data-active={path.startsWith('/settings') || undefined}
        >
          <SlidersHorizontal size={16} />
          <span className={`cut ${classes.name}`}>Settings</span>
        </Link>
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

/** Shows whether and where the inbound listener listens, or that the page is reconnecting. */
function ListenerState() {
  const { open } = useOverlays()
  const live = useLiveState()
  const { data } = useQuery(api.service.get.queryOptions())
  const url = data?.listener.url ?? null
  const isListening = live !== 'lost' && url !== null
  const label = live === 'lost' ? 'Reconnecting…' : url === null ? 'Not listening' : 'Listening'
  return (
    <div className={classes.foot} data-live={live}>
      <Dot
        tone={isListening ? 'ok' : data === undefined && live !== 'lost' ? 'mute' : 'warn'}
        live={isListening}
      />
      <div className={`col ${classes.address}`} role="status">
        <span className="sm w5">{data === undefined && live !== 'lost' ? 'Connecting…' : label}</span>
        <span className="xs t3 mono cut">{url === null ? '' : new URL(url).host}</span>
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
