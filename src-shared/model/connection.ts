import { z } from 'zod'
import { ConnectionId, Moment, WorkspaceId } from './identifiers.ts'
import { Name } from './text.ts'
import { BaseUrl } from './urls.ts'

/** How much of the stored events is kept; whichever bound is reached first prunes the oldest. */
export const Retention = z.object({
  maxEvents: z.int().min(1).max(10_000_000),
  maxDays: z.int().min(1).max(3650),
})
export type Retention = z.infer<typeof Retention>

/** Total time of one outbound call, in milliseconds (decisions: settings). */
export const TimeoutMs = z.int().min(1000).max(120_000)

/** The settings of a connection as they are stored, without the rules for their texts. */
export const ConnectionData = z.object({
  name: z.string(),
  baseUrl: z.string().nullable(),
  persistEvents: z.boolean(),
  enabled: z.boolean(),
  timeoutMs: TimeoutMs,
  retention: Retention,
  ignoreRepeats: z.boolean(),
})
type ConnectionData = z.infer<typeof ConnectionData>

export const connectionDefaults: Omit<ConnectionData, 'name'> = {
  baseUrl: null,
  persistEvents: false,
  enabled: true,
  timeoutMs: 30_000,
  retention: { maxEvents: 10_000, maxDays: 30 },
  ignoreRepeats: false,
}

const portable = { name: true, baseUrl: true, persistEvents: true } as const

/** The settings that a new connection is given and that an import document carries. */
export const PortableConnection = ConnectionData.pick(portable)
export type PortableConnection = z.infer<typeof PortableConnection>

/** The settings that a row of the connection list shows. */
export const ListedConnection = ConnectionData.pick({ ...portable, enabled: true })

const Facts = z.object({
  connectionId: ConnectionId,
  workspaceId: WorkspaceId,
  actionCount: z.int(),
  eventTypeCount: z.int(),
  createdAt: Moment,
  updatedAt: Moment,
})

/** A row of the connection list. Never carries a credential. */
export const ConnectionSummary = z.object({ ...ListedConnection.shape, name: Name, ...Facts.shape })
export type ConnectionSummary = z.infer<typeof ConnectionSummary>

/** A connection with all its settings (specification: Connection). Never carries a credential. */
export const Connection = z.object({
  ...ConnectionData.shape,
  name: Name,
  ...Facts.shape,
  previousSecretExpiresAt: Moment.nullable().describe(
    'Until then a secret from before a rotation is accepted inbound; the latest, where there are several.',
  ),
  oldSecretsExpireAt: z
    .array(Moment)
    .describe('When the grace periods of replaced secrets end, the latest rotation first; at most three.'),
})
export type Connection = z.infer<typeof Connection>

/** A connection as one answer shows it, with what is unusual about it, though allowed. */
export const ConnectionWithWarnings = Connection.extend({
  warnings: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .describe('There only where something is unusual.'),
})

/** What an external system needs to send events; read only where it is asked for by name. */
export const Credentials = z.object({
  inboundUrl: z.string(),
  inboundToken: z.string(),
  signingSecret: z.string(),
})
export type Credentials = z.infer<typeof Credentials>

const fields = { ...ConnectionData.shape, name: Name, baseUrl: BaseUrl.nullable() }

export const NewConnection = z
  .object(fields)
  .pick(portable)
  .partial()
  .extend({
    name: Name,
    workspaceId: z.string().optional().describe('Left out: the default workspace.'),
  })
export type NewConnection = z.output<typeof NewConnection>

export const ConnectionChange = z.object({ ...fields, retention: Retention.partial() }).partial()
export type ConnectionChange = z.output<typeof ConnectionChange>

/** Hours for which the old secret is still accepted inbound after a rotation. */
export const GraceHours = z.literal([0, 1, 24, 168], 'The grace period is 0, 1, 24 or 168 hours.')
export type GraceHours = z.infer<typeof GraceHours>
