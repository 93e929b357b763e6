import { Link } from '@tanstack/react-router'
import {
  AppWindow,
  Archive,
  Gauge,
  Globe,
  HardDrive,
  KeyRound,
  Layers,
  type LucideIcon,
  Moon,
  Plug,
  Radio,
} from 'lucide-react'
import { isDesktop } from '../../client/client.ts'
import type { SettingsSection } from '../../settings-sections.ts'
import classes from './settings-page.module.css'

type Item = { readonly section: SettingsSection; readonly title: string; readonly icon: LucideIcon }

const service: readonly Item[] = [
  { section: 'listener', title: 'Listener', icon: Radio },
  { section: 'public-url', title: 'Public URL', icon: Globe },
  { section: 'environment', title: 'Environment', icon: KeyRound },
  { section: 'workspaces', title: 'Workspaces', icon: Layers },
  { section: 'limits', title: 'Limits', icon: Gauge },
  { section: 'retention', title: 'Retention', icon: Archive },
]
const app: readonly Item[] = [
  { section: 'appearance', title: 'Appearance', icon: Moon },
  { section: 'desktop', title: 'Desktop app', icon: AppWindow },
  { section: 'data-folder', title: 'Data folder', icon: HardDrive },
]

export function sectionTitle(section: SettingsSection): string {
  return [...service, ...app].find(item => item.section === section)?.title ?? 'Settings'
}

/** The pages of Settings. Those of the desktop app are there only in it. */
export function SettingsNav({ open }: { readonly open: SettingsSection }) {
  return (
    <nav className={classes.nav} aria-label="Settings">
      <h2>Service</h2>
      {service.map(item => (
        <NavItem key={item.section} item={item} isOpen={item.section === open} />
      ))}
      <h2>Integrations</h2>
      <Link to="/connections">
        <Plug size={14} aria-hidden="true" />
        Custom API
      </Link>
      <h2>App</h2>
      {app
        .filter(({ section }) => section !== 'desktop' || isDesktop)
        .map(item => (
          <NavItem key={item.section} item={item} isOpen={item.section === open} />
        ))}
    </nav>
  )
}

function NavItem({ item, isOpen }: { readonly item: Item; readonly isOpen: boolean }) {
  const { section, title, icon: Icon } = item
  return (
    <Link to="/settings/$section" params={{ section }} aria-current={isOpen ? 'page' : undefined}>
      <Icon size={14} aria-hidden="true" />
      <span className="cut">{title}</span>
    </Link>
  )
}
