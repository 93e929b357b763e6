export const serviceSections = [
  'listener',
  'public-url',
  'environment',
  'workspaces',
  'webhook',
  'limits',
  'retention',
] as const
export const appSections = ['appearance', 'desktop', 'data-folder'] as const

/** The pages of Settings, as they are in addresses. */
export const settingsSections = [...serviceSections, ...appSections] as const
export type SettingsSection = (typeof settingsSections)[number]

export const sectionTitles: Readonly<Record<SettingsSection, string>> = {
  listener: 'Listener',
  'public-url': 'Public URL',
  environment: 'Environment',
  workspaces: 'Workspaces',
  webhook: 'Webhook',
  limits: 'Limits',
  retention: 'Retention',
  appearance: 'Appearance',
  desktop: 'Desktop app',
  'data-folder': 'Data folder',
}
