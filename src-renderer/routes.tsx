import { Button } from '@mantine/core'
import {
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
import { AlertKind } from '#shared/model/alert.ts'
import { AgentId } from '#shared/model/platform/parts.ts'
import { CheckId } from '#shared/model/receiver-check.ts'
import { type ShapePagePath, shapePages } from './agent-pages.ts'
import { createAddressHistory } from './client/address-history.ts'
import { activitySearch } from './features/activity/filters.ts'
import { fileList } from './features/agent/knowledge/select-files.ts'
import { connectionList } from './features/connections/select-connections.ts'
import { runFilters } from './features/runs/filters.ts'
import { editorTabs } from './features/workflows/builder/tabs.ts'
import { workflowAddress } from './features/workflows/workflow-address.ts'
import { settingsSections } from './settings-sections.ts'
import { Shell } from './shell/shell.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { addressOf, anId, anyText, oneOf } from './ui/filters.ts'
import { listAddress } from './ui/list-search.ts'
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
  validateSearch: z.object(listAddress(connectionList)),
  component: lazyRouteComponent(() => import('./features/connections/connection-list.tsx'), 'ConnectionList'),
})

const map = createRoute({
  getParentRoute: () => root,
  path: '/map',
  validateSearch: z.object({
    /** The node that is chosen. */
    node: anyText,
    text: anyText,
    range: oneOf(['day', 'week', 'month']),
    failing: z.boolean().optional().catch(undefined),
    /** The pane that a narrow window shows instead of the map. */
    pane: oneOf(['list']),
  }),
  component: lazyRouteComponent(() => import('./features/map/map-page.tsx'), 'MapPage'),
})

const connection = createRoute({
  getParentRoute: () => root,
  path: '/connections/$connectionId',
  component: lazyRouteComponent(() => import('./features/connections/connection-page.tsx'), 'ConnectionPage'),
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
    attempt: anId,
    /** The scheme with which the form begins; `seconds` is the default one with seconds. The page knows their names. */
    start: anyText,
  }),
  component: lazyRouteComponent(() => import('./features/connections/sender/sender-page.tsx'), 'SenderPage'),
})

const activation = createRoute({
  getParentRoute: () => connection,
  path: '/sender/activation',
  component: lazyRouteComponent(
    () => import('./features/connections/sender/activation-page.tsx'),
    'ActivationPage',
  ),
})

const signIn = createRoute({
  getParentRoute: () => connection,
  path: '/sign-in',
  component: lazyRouteComponent(
    () => import('./features/connections/sign-in/sign-in-page.tsx'),
    'SignInPage',
  ),
})

const actions = createRoute({
  getParentRoute: () => connection,
  path: '/actions',
  validateSearch: z.object({
    /** The action that is open, or `new`. */
    action: anId,
    panel: oneOf(['definition', 'test', 'cases', 'assistant', 'history']),
    /** The case that is open. */
    case: anId,
    filter: anyText,
    /** The initial name of a new action. */
    name: anyText,
  }),
  component: lazyRouteComponent(() => import('./features/actions/actions-tab.tsx'), 'ActionsTab'),
})

const events = createRoute({
  getParentRoute: () => connection,
  path: '/events',
  validateSearch: z.object({
    /** The event type that is open, or `new`. */
    eventType: anId,
    /** With `new`: the event name to declare. */
    name: anyText,
    filter: anyText,
  }),
  component: lazyRouteComponent(() => import('./features/events/events-tab.tsx'), 'EventsTab'),
})

const activity = createRoute({
  getParentRoute: () => connection,
  path: '/activity',
  validateSearch: activitySearch,
  component: lazyRouteComponent(() => import('./features/activity/activity-tab.tsx'), 'ActivityTab'),
})

const allActivity = createRoute({
  getParentRoute: () => root,
  path: '/activity',
  validateSearch: activitySearch,
  component: lazyRouteComponent(() => import('./features/activity/activity-page.tsx'), 'ActivityPage'),
})

const story = createRoute({
  getParentRoute: () => root,
  // The id of an event, a refused request, a run or a call.
  path: '/story/$id',
  validateSearch: z.object({
    /** The row that is chosen. */
    row: anyText,
    /** The pane that a narrow window shows instead of the rows. */
    pane: oneOf(['detail']),
  }),
  component: lazyRouteComponent(() => import('./features/story/story-page.tsx'), 'StoryPage'),
})

const receiverCheck = createRoute({
  getParentRoute: () => connection,
  path: '/check',
  validateSearch: z.object({
    /** The action whose receiver is checked. */
    action: anId,
    /** The check that is open. */
    check: oneOf(CheckId.options),
  }),
  component: lazyRouteComponent(
    () => import('./features/receiver-check/receiver-check-tab.tsx'),
    'ReceiverCheckTab',
  ),
})

const workflows = createRoute({
  getParentRoute: () => root,
  path: '/workflows',
  validateSearch: z.object(listAddress(workflowAddress)),
  component: lazyRouteComponent(() => import('./features/workflows/workflow-list.tsx'), 'WorkflowList'),
})

const builder = () => import('./features/workflows/builder/builder-page.tsx')

const { workflow: ofWorkflow, ...runAddress } = addressOf(runFilters)
/** The address of a list of runs. */
const runsSearch = z.object({
  workflow: ofWorkflow,
  /** The run that is open. */
  run: anId,
  ...runAddress,
})

const newWorkflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/new',
  validateSearch: z.object({
    tab: z.enum(editorTabs).extract(['settings']).optional().catch(undefined),
    /** The connection and the event that it starts on. */
    connectionId: anId,
    eventName: anyText,
    /** The event to try it with. */
    eventId: anId,
  }),
  component: lazyRouteComponent(builder, 'BuilderPage'),
})

const workflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$workflowId',
  validateSearch: runsSearch.extend({ tab: oneOf(editorTabs) }),
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
    text: anyText,
    /** Whether a model is being chosen. */
    setup: z.boolean().optional().catch(undefined),
    /** The pane that a narrow window shows instead of the conversation. */
    pane: oneOf(['list', 'model']),
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
    file: anId,
    ...listAddress(fileList),
  }),
  component: lazyRouteComponent(
    () => import('./features/agent/knowledge/knowledge-page.tsx'),
    'KnowledgePage',
  ),
})

const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts',
  validateSearch: z.object({
    /** The alert or the connection that is open. */
    alert: anId,
    connection: anId,
    text: anyText,
    /** Only connections with alerts, or disabled ones. */
    only: oneOf(['alerting', 'disabled']),
    kind: AlertKind.optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./features/alerts/alerts-page.tsx'), 'AlertsPage'),
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
    node: anId,
  }),
  component: lazyRouteComponent(() => import('./features/settings/settings-page.tsx'), 'SettingsPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    index,
    list,
    map,
    connection.addChildren([overview, sender, activation, signIn, actions, events, activity, receiverCheck]),
    allActivity,
    story,
    workflows,
    newWorkflow,
    runs,
    workflow,
    assistant,
    assistantConnect,
    conversation,
    ...agentRoutes,
    agentKnowledge,
    alerts,
    settings,
  ]),
  // The server and the desktop app's protocol serve only `/`.
  history: createAddressHistory(),
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
