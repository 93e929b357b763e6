import { z } from 'zod'

/** Preferences of the desktop app. They are stored with its window state, not in the service's configuration. */
export const DesktopPreferences = z.object({
  launchAtLogin: z.boolean().describe('Start in the tray when the user logs in.'),
  keepRunning: z.boolean().describe('Go on receiving events when the window is closed.'),
  notifyRejected: z.boolean().describe('A native notification when a request is refused.'),
  useKeychain: z
    .boolean()
    .describe('Protect the key of the stored secrets with the system’s keychain, where there is one.'),
  dashboardOnTcp: z.boolean().describe('Also serve REST and the dashboard on 127.0.0.1:8788.'),
})
export type DesktopPreferences = z.infer<typeof DesktopPreferences>

export const desktopDefaults: DesktopPreferences = {
  launchAtLogin: false,
  keepRunning: true,
  notifyRejected: false,
  useKeychain: true,
  dashboardOnTcp: false,
}

export const DesktopInfo = z.object({
  preferences: DesktopPreferences,
  keychain: z.object({
    protects: z.boolean().describe('Whether the system’s keychain wraps the key of the stored secrets.'),
    warning: z.string().nullable().describe('Why it does not, and what to do; null where it does.'),
  }),
  dashboardUrl: z.string().nullable().describe('Where the dashboard is on TCP; null where it is not.'),
})
export type DesktopInfo = z.infer<typeof DesktopInfo>
