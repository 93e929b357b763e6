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
  'shortcuts',
] as const
export type SettingsSection = (typeof settingsSections)[number]
