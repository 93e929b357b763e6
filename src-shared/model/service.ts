import { z } from 'zod'
import { Moment } from './identifiers.ts'

const ListenerHost = z
  .string()
  .trim()
  // URLs have brackets around an IPv6 address.
  .transform(host => host.replace(/^\[([0-9a-f:.]+)\]$/i, '$1'))
  .pipe(
    z
      .string()
      .regex(
        /^[A-Za-z0-9.:_-]{1,253}$/,
        'Write an address such as 127.0.0.1, 0.0.0.0 or ::, or a host name.',
      ),
  )

export const ListenerAddress = z.object({
  host: ListenerHost,
  port: z.int().min(0).max(65_535).describe('0 selects a free port.'),
})
export type ListenerAddress = z.infer<typeof ListenerAddress>

/** The current state of the inbound listener. */
export const ListenerStatus = z.object({
  host: z.string(),
  port: z.int().describe('The port that it listens on, or tries to.'),
  url: z.string().nullable().describe('Its base URL; null while it does not listen.'),
  since: Moment.nullable().describe('When it started to listen; null while it does not listen.'),
  fixedBy: z.enum(['command line']).nullable().describe('Null if the settings can change the address.'),
})
export type ListenerStatus = z.infer<typeof ListenerStatus>

/** Facts about the running service. */
export const ServiceInfo = z.object({
  version: z.string(),
  startedAt: Moment,
  platform: z.string().describe('linux, darwin or win32.'),
  dataFolder: z.string(),
  database: z
    .string()
    .nullable()
    .describe('The hosts and the name of the database that keeps the data; null if the data folder does.'),
  dataKey: z
    .enum(['file', 'environment', 'keychain'])
    .describe('Where the key of the stored secrets is kept.'),
  publicUrl: z.string().describe('The base of inbound URLs in workspaces without their own public URL.'),
  listener: ListenerStatus,
  notices: z
    .array(z.string())
    .describe('Reports of lost or damaged data since the start, one or more sentences each.'),
})
export type ServiceInfo = z.infer<typeof ServiceInfo>
