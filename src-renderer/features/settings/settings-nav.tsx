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
import { type SettingsSection, sectionTitles } from '../../settings-sections.ts'
import classes from './settings-page.module.css'

const icons: Readonly<Record<SettingsSection, LucideIcon>> = {
  listener: Radio,
  'public-url': Globe,
  environment: KeyRound,
  workspaces: Layers,
  limits: Gauge,
  retention: Archive,
  appearance: Moon,
  desktop: AppWindow,
  'data-folder': HardDrive,
}
const ofService = ['listener', 'public-url', 'environment', 'workspaces', 'limits', 'retention'] as const
const ofApp = ['appearance', ...(isDesktop ? (['desktop'] as const) : []), 'data-folder'] as const

/** The pages of Settings. Those of the desktop app are there only in it. */
export function SettingsNav({ open }: { readonly open: SettingsSection }) {
  return (
    <nav className={classes.nav} aria-label="Settings">
      <h2>Service</h2>
      {ofService.map(section => (
        <NavItem key={section} section={section} isOpen={section === open} />
      ))}
      <h2>Integrations</h2>
      <Link to="/connections">
        <Plug size={14} aria-hidden="true" />
        Custom API
      </Link>
      <h2>App</h2>
      {ofApp.map(section => (
        <NavItem key={section} section={section} isOpen={section === open} />
      ))}
    </nav>
  )
}

function NavItem({ section, isOpen }: { readonly section: SettingsSection; readonly isOpen: boolean }) {
  const Icon = icons[section]
  return (
    <Link
      to="/settings/$section"
      params={{ section }}
      aria-current={isOpen ? 'page' : undefined}
      // In a small window they are one line, which scrolls.
      ref={link => {
        if (isOpen) link?.scrollIntoView({ block: 'nearest', inline: 'center' })
      }}
    >
      <Icon size={14} aria-hidden="true" />
      <span className="cut">{sectionTitles[section]}</span>
    </Link>
  )
}
