import { z } from 'zod'

/** Settings of the service as a whole. */
export const Settings = z.object({
  maxBodyBytes: z
    .int()
    .min(1024)
    .max(100 * 1024 * 1024)
    .describe('The largest inbound body accepted, in bytes.'),
  maxConnections: z
    .int()
    .min(16)
    .max(65_536)
    .describe('Open connections that the inbound listener holds at once.'),
})
export type Settings = z.infer<typeof Settings>

export const settingsDefaults: Settings = { maxBodyBytes: 1024 * 1024, maxConnections: 1024 }

export const SettingsChange = Settings.partial()
export type SettingsChange = z.infer<typeof SettingsChange>
