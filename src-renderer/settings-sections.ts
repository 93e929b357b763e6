/** The pages of Settings, as their addresses name them. */
export const settingsSections = [
  'listener',
  'public-url',
  'environment',
  'workspaces',
  'limits',
  'retention',
  'appearance',
  'desktop',
  'data-folder',
] as const
export type SettingsSection = (typeof settingsSections)[number]
