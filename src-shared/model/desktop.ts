import { z } from 'zod'

/** Preferences of the desktop app. They are stored with its window state, not in the service's configuration. */
export const DesktopPreferences = z.object({
  launchAtLogin: z.boolean().describe('Start in the tray when the user logs in.'),
  keepRunning: z.boolean().describe('Keep receiving events after the window closes.'),
  notifyRejected: z.boolean().describe('Show a native notification when a request is refused.'),
  useKeychain: z
    .boolean()
    .describe('Protect the key of the stored secrets with the system’s keychain, if there is one.'),
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
    warning: z.string().nullable().describe('Why it does not, and the remedy; null if it does.'),
  }),
  dashboardUrl: z.string().nullable().describe('The dashboard’s address on TCP; null if it is not on TCP.'),
})
export type DesktopInfo = z.infer<typeof DesktopInfo>
