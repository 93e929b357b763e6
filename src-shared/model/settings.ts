import { z } from 'zod'
import { connectionDefaults, Retention } from './connection.ts'

/** A pattern for names of environment variables; `*` matches any characters, or none. */
const EnvironmentPattern = z
  .string()
  .regex(/^[A-Za-z0-9_*]{1,128}$/, 'A pattern is letters, digits, _ and *, such as SHOP_*.')

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
  maxBodyMemoryBytes: z
    .int()
    .min(1024 * 1024)
    .max(4 * 1024 * 1024 * 1024)
    .describe('Memory for all inbound bodies that are being received or stored, in bytes.'),
  environmentPatterns: z
    .array(EnvironmentPattern)
    .max(100)
    .describe(
      'Which variables of the service’s own process {{NAME}} may use; never those named CUSTOM_CONNECTION_….',
    ),
  caFile: z
    .string()
    .trim()
    .min(1, 'Name a file, or null for none.')
    .max(4096)
    .nullable()
    .describe(
      'A PEM file on the service’s computer: certificate authorities that outbound calls trust beside Node’s own.',
    ),
  defaultRetention: Retention.describe('What a new connection keeps of its stored events.'),
  assistantTextBytes: z
    .int()
    .min(1024)
    .max(1024 * 1024)
    .describe('The longest answer of a call that the assistant gets, in bytes; what is over is cut.'),
})
export type Settings = z.infer<typeof Settings>

export const settingsDefaults: Settings = {
  maxBodyBytes: 1024 * 1024,
  maxConnections: 1024,
  maxBodyMemoryBytes: 64 * 1024 * 1024,
  environmentPatterns: ['*'],
  defaultRetention: connectionDefaults.retention,
  assistantTextBytes: 64 * 1024,
  caFile: null,
}

export const SettingsChange = Settings.partial()
export type SettingsChange = z.infer<typeof SettingsChange>
