import { Button } from '@mantine/core'
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  useNavigate,
} from '@tanstack/react-router'
import { z } from 'zod'
import { ConnectionList } from './features/connections/connection-list.tsx'
import { ConnectionPage } from './features/connections/connection-page.tsx'
import { connectionStates } from './features/connections/connection-status.ts'
import { connectionSorts } from './features/connections/select-connections.ts'
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

const actions = createRoute({
  getParentRoute: () => connection,
  path: '/actions',
  validateSearch: z.object({
    /** The action that is open, or `new`. */
    action: z.string().optional().catch(undefined),
    panel: z.enum(['definition', 'test', 'assistant', 'history']).optional().catch(undefined),
    filter: z.string().optional().catch(undefined),
    /** What a new action is called at first. */
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
    // A text of digits, written into an address by hand, is read as a number.
    text: z.coerce.string().optional().catch(undefined),
    eventName: z.coerce.string().optional().catch(undefined),
    /** Whether one came to search: the search field is focused. */
    find: z.boolean().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import('./features/activity/activity-tab.tsx'), 'ActivityTab'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings/$section',
  params: {
    parse: ({ section }) => ({ section: z.enum(settingsSections).catch('listener').parse(section) }),
    stringify: ({ section }) => ({ section }),
  },
  component: lazyRouteComponent(() => import('./features/settings/settings-page.tsx'), 'SettingsPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    index,
    list,
    connection.addChildren([overview, actions, events, activity]),
    settings,
  ]),
  // Only `/` is a page of the server, and the desktop app's protocol knows no other either.
  history: createHashHistory(),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** For an address that leads nowhere. */
function NotFound() {
  const navigate = useNavigate()
  return (
    <>
      <Top title="Nothing here" />
      <Body>
        <EmptyState
          title="There is nothing at this address"
          actions={<Button onClick={() => void navigate({ to: '/connections' })}>Show connections</Button>}
        >
          The link may be old, or what it led to was deleted.
        </EmptyState>
      </Body>
    </>
  )
}
