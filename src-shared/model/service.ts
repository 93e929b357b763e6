import { z } from 'zod'
import { Moment } from './identifiers.ts'

const ListenerHost = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'Write an address such as 127.0.0.1, 0.0.0.0 or ::, or a host name.')

export const ListenerAddress = z.object({
  host: ListenerHost,
  port: z.int().min(0).max(65_535).describe('0 takes a free one.'),
})
export type ListenerAddress = z.infer<typeof ListenerAddress>

/** The current state of the inbound listener. */
export const ListenerStatus = z.object({
  host: z.string(),
  port: z.int().describe('The port it listens on, or would.'),
  url: z.string().nullable().describe('Its own base URL; null while it does not listen.'),
  since: Moment.nullable().describe('Listening since; null while it does not.'),
  fixedBy: z
    .enum(['command line'])
    .nullable()
    .describe('Null where the address can be changed in the settings.'),
})
export type ListenerStatus = z.infer<typeof ListenerStatus>

/** Facts about the running service. */
export const ServiceInfo = z.object({
  version: z.string(),
  startedAt: Moment,
  platform: z.string().describe('linux, darwin or win32.'),
  dataFolder: z.string(),
  dataKey: z
    .enum(['file', 'environment', 'keychain'])
    .describe('Where the key of the stored secrets is kept.'),
  publicUrl: z
    .string()
    .describe('Base of the inbound URLs of workspaces without a public address of their own.'),
  listener: ListenerStatus,
  notices: z
    .array(z.string())
    .describe('What became known of lost or damaged events since the start, one sentence or more each.'),
})
export type ServiceInfo = z.infer<typeof ServiceInfo>
