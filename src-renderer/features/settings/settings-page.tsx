import { UnstyledButton } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import {
  AppWindow,
  Archive,
  Gauge,
  Globe,
  HardDrive,
  Keyboard,
  KeyRound,
  Layers,
  type LucideIcon,
  Moon,
  Plug,
  Radio,
  Server,
  SlidersHorizontal,
  Webhook,
} from 'lucide-react'
import type { ComponentType } from 'react'
import { api } from '../../client/client.ts'
import { useTrouble } from '../../client/use-health.ts'
import { readyNodes } from '../../entities/node/node-labels.ts'
import { useHasNodes, useNodes } from '../../entities/node/use-nodes.ts'
import { useOverlays } from '../../overlays.tsx'
import { appSections, type SettingsSection, serviceSections, useSections } from '../../settings-sections.ts'
import { useReturnFocus } from '../../ui/focus.ts'
import { formatSince } from '../../ui/format.ts'
import { Foot, type Hints, Top, useTitle } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { useNow } from '../../ui/use-now.ts'
import { AppearanceSection } from './appearance-section.tsx'
import { DataFolderSection } from './data-folder-section.tsx'
import { DesktopSection } from './desktop-section.tsx'
import { EnvironmentSection } from './environment-section.tsx'
import { LimitsSection } from './limits-section.tsx'
import { ListenerSection } from './listener-section.tsx'
import { MonitoringSection } from './monitoring-section.tsx'
import { NodesActions, NodesSection, NodesVersions } from './nodes-section.tsx'
import { PublicUrlSection } from './public-url-section.tsx'
import { RetentionSection } from './retention-section.tsx'
import classes from './settings-page.module.css'
import { WebhookSection } from './webhook-section.tsx'
import { WorkspacesSection } from './workspaces-section.tsx'

type Page = {
  readonly icon: LucideIcon
  readonly component: ComponentType
  /** Whether it has a Save button; changes on other pages apply at once. */
  readonly hasForm?: boolean
  readonly hints?: Hints
  /** In the bar above it, instead of how long the listener has listened. */
  readonly actions?: ComponentType
  /** In the line below it, instead of the program’s version. */
  readonly foot?: ComponentType
}
const pages: Readonly<Record<SettingsSection, Page>> = {
  listener: { icon: Radio, component: ListenerSection, hasForm: true },
  nodes: {
    icon: Server,
    component: NodesSection,
    hints: { updown: 'select', c: 'copy as JSON' },
    actions: NodesActions,
    foot: NodesVersions,
  },
  'public-url': { icon: Globe, component: PublicUrlSection, hasForm: true },
  environment: { icon: KeyRound, component: EnvironmentSection, hints: { 'mod+e': 'add variable' } },
  workspaces: { icon: Layers, component: WorkspacesSection },
  webhook: { icon: Webhook, component: WebhookSection, hasForm: true },
  monitoring: { icon: Gauge, component: MonitoringSection },
  limits: { icon: SlidersHorizontal, component: LimitsSection, hasForm: true },
  retention: { icon: Archive, component: RetentionSection, hasForm: true },
  appearance: { icon: Moon, component: AppearanceSection },
  desktop: { icon: AppWindow, component: DesktopSection },
  'data-folder': { icon: HardDrive, component: DataFolderSection, hasForm: true },
}

/** Settings: the list of pages on the left, the open one on the right. */
export function SettingsPage() {
  const { section } = useParams({ from: '/settings/$section' })
  const {
    component: Shown,
    hasForm = false,
    hints,
    actions: Actions = ListeningPill,
    foot: Facts = Program,
  } = pages[section]
  const { titleOf } = useSections()
  // Backups of a database have no schedule.
  const isEditable = useHasNodes() && section === 'data-folder' ? false : hasForm
  useTitle(titleOf(section))
  return (
    <>
      <Top crumbs={['Settings']} title={titleOf(section)} actions={<Actions />} />
      <div className={classes.split}>
        <SettingsNav shown={section} />
        <div className={classes.page}>
          <Shown key={section} />
        </div>
      </div>
      <Foot
        hints={{
          ...hints,
          'mod+k': 'search or run',
          ...(isEditable && { 'mod+s': 'save' }),
          '?': 'all shortcuts',
        }}
      >
        <Facts />
      </Foot>
    </>
  )
}

function Program() {
  const { data } = useQuery(api.service.get.queryOptions())
  return (
    <>
      {data !== undefined && `Custom Connection ${data.version} · `}
      <LicensesButton />
    </>
  )
}

function ListeningPill() {
  const now = useNow(30_000)
  const trouble = useTrouble()
  const { data } = useQuery(api.service.get.queryOptions())
  const nodes = useNodes().data ?? []
  if (data === undefined) return null
  const { since } = data.listener
  if (trouble !== null) return <Pill tone="warn">Reconnecting…</Pill>
  // How long the node that has answered listens is not what a reader of several wants to know.
  if (nodes.length > 1)
    return (
      <Pill tone={nodes.every(({ state }) => state === 'ready') ? 'ok' : 'warn'}>
        {readyNodes(nodes)} ready
      </Pill>
    )
  if (since === null) return <Pill tone="warn">Not listening</Pill>
  return <Pill tone="ok">Listening for {formatSince(since, now)}</Pill>
}

function SettingsNav({ shown }: { readonly shown: SettingsSection }) {
  const { open } = useOverlays()
  const { isShown } = useSections()
  return (
    <nav className={classes.nav} aria-label="Settings">
      <h2 className="xs w5 t3">Service</h2>
      {serviceSections.filter(isShown).map(section => (
        <NavItem key={section} section={section} isOpen={section === shown} />
      ))}
      <h2 className="xs w5 t3">Integrations</h2>
      <Link className="row" to="/connections">
        <Plug />
        Custom API
      </Link>
      <h2 className="xs w5 t3">App</h2>
      {appSections.filter(isShown).map(section => (
        <NavItem key={section} section={section} isOpen={section === shown} />
      ))}
      <UnstyledButton className="row" onClick={() => open({ kind: 'shortcuts' })}>
        <Keyboard />
        Shortcuts
      </UnstyledButton>
    </nav>
  )
}

function NavItem({ section, isOpen }: { readonly section: SettingsSection; readonly isOpen: boolean }) {
  const { icon: Icon } = pages[section]
  const { titleOf } = useSections()
  return (
    <Link
      className="row"
      to="/settings/$section"
      params={{ section }}
      aria-current={isOpen ? 'page' : undefined}
      // In a small window the list is one line that scrolls.
      ref={link => {
        if (isOpen) link?.scrollIntoView({ block: 'nearest', inline: 'center' })
      }}
    >
      <Icon />
      <span className="cut">{titleOf(section)}</span>
    </Link>
  )
}

/** Opens the licenses of third-party software. */
function LicensesButton() {
  const open = () => modals.open({ title: 'Licenses', size: 'xl', children: <LicenseTexts /> })
  return (
    <button type="button" className="link" onClick={open}>
      Licenses
    </button>
  )
}

/** The text that the build writes beside the page (scripts/third-party-licenses.ts). */
function LicenseTexts() {
  useReturnFocus()
  const query = useQuery({
    queryKey: ['licenses'],
    staleTime: Number.POSITIVE_INFINITY,
    async queryFn() {
      const answer = await fetch('./licenses.txt')
      if (!answer.ok) throw new Error(`The service answered ${answer.status}.`)
      return answer.text()
    },
  })
  if (query.data === undefined) return <QueryState query={query} failed="The licenses could not be read" />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it can be scrolled with the keyboard
    <pre tabIndex={0} style={{ whiteSpace: 'pre-wrap', maxHeight: '60vh', overflow: 'auto' }}>
      {query.data}
    </pre>
  )
}
