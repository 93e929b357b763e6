import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect } from 'react'
import type { Health } from '#shared/contract/health.ts'
import { shapePages } from '#shared/model/platform/shape-pages.ts'
import { api, isDesktop } from '../client/client.ts'
import { queries } from '../client/query-client.ts'
import { troubleOf, useHealth, useIsAway, useTrouble } from '../client/use-health.ts'
import { useHasNodes, useHasSeveralNodes } from '../entities/node/use-nodes.ts'
import { HeldCallNotices } from '../features/assistant/held-call-notices.tsx'
import { ImportDropTarget } from '../features/imports/import-drop-target.tsx'
import { useOverlays } from '../overlays.tsx'
import { Delayed } from '../ui/delayed.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { isMac } from '../ui/is-mac.ts'
import { useKeptFocus } from '../ui/keep-focus.ts'
import { onIdle } from '../ui/lazy-component.tsx'
import { Note } from '../ui/note.tsx'
import { TopStart } from '../ui/page.tsx'
import { setReadOnly } from '../ui/read-only.ts'
import { useShortcut } from '../ui/shortcuts.tsx'
import { usePhone } from '../ui/use-narrow.ts'
import { Dialogs, dialogs } from './dialogs.tsx'
import { useKeptForms } from './kept-forms.ts'
import classes from './shell.module.css'
import { Places, Sidebar } from './sidebar.tsx'

/** The frame around every screen: the sidebar, the screen, and the open dialog. */
export function Shell() {
  usePreloadScreens()
  useKeptFocus()
  useKeptForms()
  const isPhone = usePhone()
  return (
    <div className={classes.app} data-inset-titlebar={(isDesktop && isMac) || undefined}>
      <GlobalShortcuts />
      {!isPhone && <Sidebar />}
      <main className={classes.main} tabIndex={-1}>
        <ConnectionNotice />
        <StorageNotice />
        <TopStart value={isPhone ? <SearchButton /> : null}>
          <Outlet />
        </TopStart>
      </main>
      {isPhone && <Places />}
      <Dialogs />
      <ImportDropTarget />
      <HeldCallNotices />
    </div>
  )
}

/** Opens the palette where there is neither a sidebar nor a keyboard. */
function SearchButton() {
  const { open } = useOverlays()
  return <IconButton icon={Search} label="Search or run" onClick={() => open({ kind: 'palette' })} />
}

const group = 'Everywhere'

/** The shortcuts that work on every screen. */
function GlobalShortcuts() {
  const { open } = useOverlays()
  const navigate = useNavigate()
  const toConnections = () => void navigate({ to: '/connections' })
  const toSettings = () => void navigate({ to: '/settings/$section', params: { section: 'listener' } })
  useShortcut({ keys: 'mod+k', label: 'Search or run a command', group }, () => open({ kind: 'palette' }))
  useShortcut({ keys: '?', label: 'All shortcuts', group }, () => open({ kind: 'shortcuts' }))
  useShortcut({ keys: 'mod+,', label: 'Settings', group }, toSettings)
  useShortcut({ keys: 'g c', label: 'Go to connections', group }, toConnections)
  useShortcut({ keys: 'g m', label: 'Go to the map', group }, () => void navigate({ to: '/map' }))
  useShortcut({ keys: 'g v', label: 'Go to the activity', group }, () => void navigate({ to: '/activity' }))
  useShortcut({ keys: 'g w', label: 'Go to workflows', group }, () => void navigate({ to: '/workflows' }))
  useShortcut({ keys: 'g r', label: 'Go to runs', group }, () => void navigate({ to: '/workflows/runs' }))
  useShortcut({ keys: 'g a', label: 'Go to the assistant', group }, () => void navigate({ to: '/assistant' }))
  useShortcut({ keys: 'g t', label: 'Go to conversations', group }, () => {
    void navigate({ to: '/assistant/conversation/{-$conversationId}', params: { conversationId: undefined } })
  })
  useShortcut({ keys: 'g g', label: 'Go to the agent', group }, () => {
    void navigate({ to: shapePages.widget.path })
  })
  useShortcut({ keys: 'g s', label: 'Go to settings', group }, toSettings)
  useShortcut({ keys: 'i', label: 'Import', group }, () => open({ kind: 'import', request: {} }))
  return null
}

/** Says above every screen that the service does not answer, so that nobody takes what is shown for the present. */
function ConnectionNotice() {
  return (
    <div role="status">
      {useTrouble() === 'service' && (
        <Delayed ms={1000}>
          <Note tone="warn">Not up to date: the service does not answer. Reconnecting…</Note>
        </Delayed>
      )}
      {useIsAway() && (
        <Delayed ms={1000}>
          <ReadOnly />
        </Delayed>
      )}
    </div>
  )
}

/** Makes what changes something inactive. */
function ReadOnly() {
  useEffect(() => {
    setReadOnly('The service does not answer. Nothing can be changed until it is back.')
    return () => setReadOnly(null)
  }, [])
  return null
}

const askEveryMs = 10_000

/** Messages that say what is refused, and what to do. */
const refusals: Readonly<Record<NonNullable<Health['refused']>, string | null>> = {
  // The sidebar shows it.
  all: null,
  stored:
    'Events are refused because the event log cannot be written. If the disk is full, delete events or free some space.',
  large: 'Large events are refused because the disk is nearly full. Delete events or free some space.',
}

/** Shows above every screen that events are being refused, and the service's notices. */
function StorageNotice() {
  const { data, dataUpdatedAt } = useHealth()
  const trouble = useTrouble()
  useEffect(() => {
    // The service and the storage are back, so what failed can be read.
    if (dataUpdatedAt > 0)
      void queries.invalidateQueries({ predicate: ({ state }) => troubleOf(state.error) !== null })
  }, [dataUpdatedAt])
  const isOneOfSeveral = useHasSeveralNodes()
  const hasNodes = useHasNodes()
  const refusal = data?.refused === undefined ? null : refusals[data.refused]
  const service = useQuery(api.service.get.queryOptions({ refetchInterval: askEveryMs }))
  return (
    <>
      {trouble === 'storage' ? (
        <Note tone="bad">
          {isOneOfSeveral ? 'The node that has answered' : 'The service'} cannot use{' '}
          {hasNodes ? 'the database' : 'its storage'}. Events are refused, and what is shown may be old.
          Trying again…
        </Note>
      ) : (
        refusal !== null && <Note tone="bad">{refusal}</Note>
      )}
      {service.data?.notices.map(notice => (
        <Note key={notice} tone="bad">
          {notice}
        </Note>
      ))}
    </>
  )
}

/** Loads the code of the other screens and large dialogs when the page is idle, so that they open at once. */
function usePreloadScreens(): void {
  const router = useRouter()
  useEffect(
    () =>
      onIdle(() => {
        // A failed load is retried, and reported, when the screen is opened.
        for (const route of Object.values(router.routesById)) void router.loadRouteChunk(route)
        for (const dialog of dialogs) dialog.preload().catch(() => {})
      }),
    [router],
  )
}
