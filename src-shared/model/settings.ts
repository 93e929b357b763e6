import { z } from 'zod'
import { ServiceWatch, serviceWatch } from './alert.ts'
import { AssistantModel } from './assistant-model.ts'
import { BackupSchedule } from './backup.ts'
import { connectionDefaults, Retention } from './connection.ts'
import { Moment } from './identifiers.ts'

/** A pattern for names of environment variables; `*` matches any characters, or none. */
const EnvironmentPattern = z
  .string()
  .regex(/^[A-Za-z0-9_*]{1,128}$/, 'A pattern has only letters, digits, _ and *, for example SHOP_*.')

/** Settings of the service as a whole. */
export const Settings = z.object({
  maxBodyBytes: z
    .int()
    .min(1024)
    .max(100 * 1024 * 1024)
    .describe('The largest accepted inbound body, in bytes.'),
  maxConnections: z
    .int()
    .min(16)
    .max(65_536)
    .describe('The most connections that the inbound listener keeps open.'),
  maxBodyMemoryBytes: z
    .int()
    .min(1024 * 1024)
    .max(4 * 1024 * 1024 * 1024)
    .describe('Memory for all inbound bodies that arrive or wait for storage, in bytes.'),
  environmentPatterns: z
    .array(EnvironmentPattern)
    .max(100)
    .describe(
      'Variables of the service’s process that {{NAME}} may use; never those named CUSTOM_CONNECTION_….',
    ),
  caFile: z
    .string()
    .trim()
    .min(1, 'Name a file, or null for none.')
    .max(4096)
    .nullable()
    .describe(
      'A PEM file on the service’s computer with certificate authorities that calls trust in addition to Node’s own.',
    ),
  /** The retention of stored events in a new connection. */
  defaultRetention: Retention,
  assistantTextBytes: z
    .int()
    .min(1024)
    .max(1024 * 1024)
    .describe('The longest response that the assistant gets, in bytes; longer ones are shortened.'),
  assistantModel: AssistantModel.nullable().describe(
    'The model that answers in conversations; null for none.',
  ),
  alertsQuietUntil: Moment.nullable().describe('Until when nobody is told of alerts; null for not at all.'),
  watch: ServiceWatch.describe('When alerts of the service open. Change them with `PATCH /watch`.'),
  backup: BackupSchedule.nullable().describe(
    'When the service makes backups of its data folder; null for never, and with a database.',
  ),
  updatedAt: Moment.nullable().describe('Null if nobody has changed them.'),
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
  assistantModel: null,
  alertsQuietUntil: null,
  watch: serviceWatch,
  backup: null,
  updatedAt: null,
}

export const SettingsChange = Settings.omit({ updatedAt: true, watch: true }).partial()
export type SettingsChange = z.infer<typeof SettingsChange>
