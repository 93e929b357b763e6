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

export const connectionDefaults = {
  persistEvents: false,
  enabled: true,
  timeoutMs: 30_000,
  retention: { maxEvents: 10_000, maxDays: 30 },
  ignoreRepeats: false,
} as const

/** A row of the connection list. Never carries a credential. */
export const ConnectionSummary = z.object({
  connectionId: ConnectionId,
  workspaceId: WorkspaceId,
  name: Name,
  baseUrl: z.string().nullable(),
  persistEvents: z.boolean(),
  enabled: z.boolean(),
  actionCount: z.int(),
  eventTypeCount: z.int(),
  createdAt: Moment,
  updatedAt: Moment,
})
export type ConnectionSummary = z.infer<typeof ConnectionSummary>

/** A connection with all its settings (specification: Connection). Never carries a credential. */
export const Connection = ConnectionSummary.extend({
  timeoutMs: TimeoutMs,
  retention: Retention,
  ignoreRepeats: z.boolean(),
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

export const NewConnection = z.object({
  name: Name,
  baseUrl: BaseUrl.nullish(),
  persistEvents: z.boolean().optional(),
  workspaceId: z.string().optional().describe('Left out: the default workspace.'),
})
export type NewConnection = z.output<typeof NewConnection>

export const ConnectionChange = z.object({
  name: Name.optional(),
  baseUrl: BaseUrl.nullish(),
  persistEvents: z.boolean().optional(),
  enabled: z.boolean().optional(),
  timeoutMs: TimeoutMs.optional(),
  retention: Retention.partial().optional(),
  ignoreRepeats: z.boolean().optional(),
})
export type ConnectionChange = z.output<typeof ConnectionChange>

/** Hours for which the old secret is still accepted inbound after a rotation. */
export const GraceHours = z.literal([0, 1, 24, 168], 'The grace period is 0, 1, 24 or 168 hours.')
export type GraceHours = z.infer<typeof GraceHours>
