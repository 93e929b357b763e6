import { Button } from '@mantine/core'
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  defaultStringifySearch,
  lazyRouteComponent,
  type RouteComponent,
  redirect,
  useNavigate,
} from '@tanstack/react-router'
import { z } from 'zod'
import { KnowledgeKind } from '#shared/model/platform/knowledge.ts'
import { AgentId } from '#shared/model/platform/parts.ts'
import { RunStatus } from '#shared/model/run.ts'
import { schemeNames } from '#shared/model/sender/templates.ts'
import { type ShapePagePath, shapePages } from './agent-pages.ts'
import { connectionStates } from './entities/connection/connection-status.ts'
import { workflowStates } from './entities/workflow/workflow-status.ts'
import { fileSorts } from './features/agent/knowledge/select-files.ts'
import { ConnectionList } from './features/connections/connection-list.tsx'
import { ConnectionPage } from './features/connections/connection-page.tsx'
import { connectionSorts } from './features/connections/select-connections.ts'
import { editorTabs } from './features/workflows/builder/tabs.ts'
import { workflowSorts } from './features/workflows/select-workflows.ts'
import { settingsSections } from './settings-sections.ts'
import { Shell } from './shell/shell.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { Body, Top } from './ui/page.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/connections' })
  },
})

const list = createRoute({
  getParentRoute: () => root,
  path: '/connections',
  validateSearch: z.object({
    filter: z.string().optional().catch(undefined),
    status: z.enum(connectionStates).optional().catch(undefined),
    sort: z.enum(connectionSorts).optional().catch(undefined),
  }),
  component: ConnectionList,
})

const connection = createRoute({
  getParentRoute: () => root,
  path: '/connections/$connectionId',
  component: ConnectionPage,
})

const overview = createRoute({
  getParentRoute: () => connection,
  path: '/',
  component: lazyRouteComponent(() => import('./features/connections/overview-tab.tsx'), 'OverviewTab'),
})

const sender = createRoute({
  getParentRoute: () => connection,
  path: '/sender',
  validateSearch: z.object({
    /** The refused request to try. */
    attempt: z.string().optional().catch(undefined),
    /** The scheme with which the form begins; `seconds` is the default one with seconds. */
    start: z
      .enum([...schemeNames, 'seconds'])
      .optional()
      .catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./features/connections/sender/sender-page.tsx'), 'SenderPage'),
})

const actions = createRoute({
  getParentRoute: () => connection,
  path: '/actions',
  validateSearch: z.object({
    /** The action that is open, or `new`. */
    action: z.string().optional().catch(undefined),
    panel: z.enum(['definition', 'test', 'assistant', 'history']).optional().catch(undefined),
    filter: z.string().optional().catch(undefined),
    /** The initial name of a new action. */
    name: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./features/actions/actions-tab.tsx'), 'ActionsTab'),
})

const events = createRoute({
  getParentRoute: () => connection,
  path: '/events',
  validateSearch: z.object({
    /** The event type that is open, or `new`. */
    eventType: z.string().optional().catch(undefined),
    /** With `new`: the event name to declare. */
    name: z.string().optional().catch(undefined),
    filter: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./features/events/events-tab.tsx'), 'EventsTab'),
})

const activity = createRoute({
  getParentRoute: () => connection,
  path: '/activity',
  validateSearch: z.object({
    /** Id of the activity item, or of the stored event, that is open. */
    item: z.string().optional().catch(undefined),
    show: z.enum(['inbound', 'outbound', 'rejected']).optional().catch(undefined),
    // The router parses digits in an address as a number.
    text: z.coerce.string().optional().catch(undefined),
    eventName: z.coerce.string().optional().catch(undefined),
    /** Whether to focus the search field. */
    find: z.boolean().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./features/activity/activity-tab.tsx'), 'ActivityTab'),
})

const workflows = createRoute({
  getParentRoute: () => root,
  path: '/workflows',
  validateSearch: z.object({
    filter: z.string().optional().catch(undefined),
    status: z.enum(workflowStates).optional().catch(undefined),
    sort: z.enum(workflowSorts).optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./features/workflows/workflow-list.tsx'), 'WorkflowList'),
})

const builder = () => import('./features/workflows/builder/builder-page.tsx')

/** The address of a list of runs. */
const runsSearch = z.object({
  /** Only on the page of all runs. */
  workflow: z.string().optional().catch(undefined),
  /** The run that is open. */
  run: z.string().optional().catch(undefined),
  status: RunStatus.optional().catch(undefined),
  /** The id of the event that started the runs. */
  event: z.string().optional().catch(undefined),
  // The router parses digits in an address as a number.
  eventName: z.coerce.string().optional().catch(undefined),
  text: z.coerce.string().optional().catch(undefined),
  /** `hour`, `day`, `week`, `all` or an ISO time. */
  since: z.string().optional().catch(undefined),
})

const newWorkflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/new',
  validateSearch: z.object({
    tab: z.enum(editorTabs).extract(['settings']).optional().catch(undefined),
    /** The connection and the event that it starts on. */
    connectionId: z.string().optional().catch(undefined),
    eventName: z.coerce.string().optional().catch(undefined),
    /** The event to try it with. */
    eventId: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(builder, 'BuilderPage'),
})

const workflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$workflowId',
  validateSearch: runsSearch.extend({ tab: z.enum(editorTabs).optional().catch(undefined) }),
  component: lazyRouteComponent(builder, 'BuilderPage'),
})

const runs = createRoute({
  getParentRoute: () => root,
  path: '/workflows/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('./features/runs/runs-page.tsx'), 'RunsPage'),
})

const assistant = createRoute({
  getParentRoute: () => root,
  path: '/assistant',
  validateSearch: z.object({
    /** Whether a token is being made. */
    token: z.literal('new').optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./features/assistant/connect-page.tsx'), 'ConnectPage'),
})

/** The sidebar calls the page Connect. */
const assistantConnect = createRoute({
  getParentRoute: () => root,
  path: '/assistant/connect',
  beforeLoad: () => {
    throw redirect({ to: '/assistant' })
  },
})

const conversation = createRoute({
  getParentRoute: () => root,
  path: '/assistant/conversation/{-$conversationId}',
  validateSearch: z.object({
    // The router parses digits in an address as a number.
    text: z.coerce.string().optional().catch(undefined),
    /** Whether a model is being chosen. */
    setup: z.boolean().optional().catch(undefined),
    /** The pane that a narrow window shows instead of the conversation. */
    pane: z.enum(['list', 'model']).optional().catch(undefined),
  }),
  component: lazyRouteComponent(
    () => import('./features/conversation/conversation-page.tsx'),
    'ConversationPage',
  ),
})

const agentSearch = z.object({
  /** The id of the agent; without it, the one that was open last. */
  agent: z.coerce.string().pipe(AgentId).optional().catch(undefined),
})

/** The pages of the shapes. */
const ofShapes: Readonly<Record<ShapePagePath, RouteComponent>> = {
  '/agent/widget': lazyRouteComponent(() => import('./features/agent/widget/widget-page.tsx'), 'WidgetPage'),
  '/agent/voice': lazyRouteComponent(() => import('./features/agent/voice/voice-page.tsx'), 'VoicePage'),
  '/agent/crawler': lazyRouteComponent(
    () => import('./features/agent/crawler/crawler-page.tsx'),
    'CrawlerPage',
  ),
  '/agent/calendar': lazyRouteComponent(
    () => import('./features/agent/calendar/calendar-page.tsx'),
    'CalendarPage',
  ),
  '/agent/languages': lazyRouteComponent(
    () => import('./features/agent/languages/languages-page.tsx'),
    'LanguagesPage',
  ),
  '/agent/actions': lazyRouteComponent(
    () => import('./features/agent/actions/actions-page.tsx'),
    'ActionsPage',
  ),
}
const agentRoutes = shapePages.map(({ path }) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: agentSearch,
    component: ofShapes[path],
  }),
)

const agentKnowledge = createRoute({
  getParentRoute: () => root,
  path: '/agent/knowledge',
  validateSearch: agentSearch.extend({
    /** The file that is read. */
    file: z.string().optional().catch(undefined),
    filter: z.coerce.string().optional().catch(undefined),
    status: KnowledgeKind.optional().catch(undefined),
    sort: z.enum(fileSorts).optional().catch(undefined),
  }),
  component: lazyRouteComponent(
    () => import('./features/agent/knowledge/knowledge-page.tsx'),
    'KnowledgePage',
  ),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings/$section',
  params: {
    parse: ({ section }) => ({ section: z.enum(settingsSections).catch('listener').parse(section) }),
    stringify: ({ section }) => ({ section }),
  },
  validateSearch: z.object({
    /** The node that is shown, of the page of nodes. */
    node: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./features/settings/settings-page.tsx'), 'SettingsPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    index,
    list,
    connection.addChildren([overview, sender, actions, events, activity]),
    workflows,
    newWorkflow,
    runs,
    workflow,
    assistant,
    assistantConnect,
    conversation,
    ...agentRoutes,
    agentKnowledge,
    settings,
  ]),
  // The server and the desktop app's protocol serve only `/`.
  history: createHashHistory(),
  // An empty text is none.
  stringifySearch: search =>
    defaultStringifySearch(Object.fromEntries(Object.entries(search).filter(([, value]) => value !== ''))),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** The screen for an unknown address. */
function NotFound() {
  const navigate = useNavigate()
  return (
    <>
      <Top title="Not found" />
      <Body>
        <EmptyState
          title="This page does not exist"
          actions={<Button onClick={() => void navigate({ to: '/connections' })}>Show connections</Button>}
        >
          The link may be old, or its target may have been deleted.
        </EmptyState>
      </Body>
    </>
  )
}
