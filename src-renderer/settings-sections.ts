import { isDesktop } from './client/client.ts'
import { useHasNodes } from './entities/node/use-nodes.ts'

export const serviceSections = [
  'listener',
  'nodes',
  'public-url',
  'environment',
  'workspaces',
  'webhook',
  'monitoring',
  'limits',
  'retention',
] as const
export const appSections = ['appearance', 'desktop', 'data-folder'] as const

/** The pages of Settings, as they are in addresses. */
export const settingsSections = [...serviceSections, ...appSections] as const
export type SettingsSection = (typeof settingsSections)[number]

const titles: Readonly<Record<SettingsSection, string>> = {
  listener: 'Listener',
  nodes: 'Nodes',
  'public-url': 'Public URL',
  environment: 'Environment',
  workspaces: 'Workspaces',
  webhook: 'Webhook',
  monitoring: 'Monitoring',
  limits: 'Limits',
  retention: 'Retention',
  appearance: 'Appearance',
  desktop: 'Desktop app',
  'data-folder': 'Data folder',
}

/** Returns which pages are shown here, and their titles. */
export function useSections() {
  const hasDatabase = useHasNodes()
  return {
    isShown: (section: SettingsSection) =>
      (section !== 'desktop' || isDesktop) &&
      // The app has no port of the dashboard.
      (section !== 'monitoring' || !isDesktop) &&
      (section !== 'nodes' || hasDatabase),
    titleOf: (section: SettingsSection) =>
      section === 'data-folder' && hasDatabase ? 'Database' : titles[section],
  }
}

/** Other words by which the palette finds a page. */
export const sectionWords: Readonly<Record<SettingsSection, string>> = {
  listener: 'port address host bind network requests to unknown URLs',
  nodes: 'cluster services machines database postgresql version health draining lost clock runs',
  'public-url': 'tunnel ngrok cloudflare domain internet https webhook address',
  environment: 'variables secrets api keys credentials tokens .env',
  workspaces: 'teams projects rename',
  webhook: 'outgoing events notifications deliveries callback signing secret',
  monitoring: 'metrics prometheus grafana openmetrics scrape token observability',
  limits: 'body size memory open connections responses certificate authorities trust tls',
  retention: 'days keep delete old events log history disk space',
  appearance: 'theme dark light colours numbers times format motion contrast',
  desktop: 'tray start at login autostart window notifications keychain background',
  'data-folder':
    'backup back up schedule nightly restore storage path encryption key secret sign out log out session',
}
