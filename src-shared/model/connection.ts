import { z } from 'zod'
import { ConnectionAuth, ConnectionAuthData } from './connection-auth.ts'
import { ConnectionId, Moment, WorkspaceId } from './identifiers.ts'
import { RateLimit } from './rate-limit.ts'
import { SavedWarning } from './saved-warning.ts'
import { Sender } from './sender/sender.ts'
import { SenderSecret } from './sender/sender-secret.ts'
import { PublicKey } from './sender/sender-template.ts'
import { Name, NewName } from './text.ts'
import { BaseUrl } from './urls.ts'

/** How many stored events are kept, and how long. The limit that is reached first deletes the oldest. */
export const Retention = z.object({
  maxEvents: z.int().min(1).max(10_000_000),
  maxDays: z.int().min(1).max(3650),
})
export type Retention = z.infer<typeof Retention>

/** Total time of one outbound call, in milliseconds. */
export const TimeoutMs = z.int().min(1000).max(120_000)

/** The settings of a connection as stored, without the rules for their texts. */
export const ConnectionData = z.object({
  name: z.string(),
  baseUrl: z.string().nullable(),
  persistEvents: z.boolean(),
  enabled: z.boolean(),
  timeoutMs: TimeoutMs,
  retention: Retention,
  ignoreRepeats: z.boolean(),
  sender: Sender.optional(),
  auth: ConnectionAuthData.optional(),
  rateLimit: RateLimit.optional(),
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

const listed = { name: true, baseUrl: true, persistEvents: true } as const
const portable = { ...listed, sender: true, auth: true, rateLimit: true } as const

/** The settings in an import document. */
export const PortableConnection = ConnectionData.pick(portable)
export type PortableConnection = z.infer<typeof PortableConnection>

/** The settings that a row of the connection list shows. */
export const ListedConnection = ConnectionData.pick({ ...listed, enabled: true })

const Facts = z.object({
  connectionId: ConnectionId,
  workspaceId: WorkspaceId,
  actionCount: z.int(),
  eventTypeCount: z.int(),
  createdAt: Moment,
  updatedAt: Moment,
})

/** A row of the connection list. Never carries a credential. */
export const ConnectionSummary = z.object({
  ...ListedConnection.shape,
  name: Name,
  ...Facts.shape,
  unsigned: z
    .literal(true)
    .optional()
    .describe('Present only if nothing signs its events: who knows its URL, or its token, can send them.'),
})
export type ConnectionSummary = z.infer<typeof ConnectionSummary>

/** A connection with all its settings. Never carries a credential. */
export const Connection = z.object({
  ...ConnectionData.shape,
  name: Name,
  sender: Sender,
  auth: ConnectionAuthData.nullable().describe(
    'The header or query parameter that each call carries; null for none.',
  ),
  rateLimit: RateLimit.nullable().describe('The most calls in a window, over all nodes; null for no limit.'),
  pausedUntil: Moment.nullable().describe(
    'Until when it takes no calls, because its server asked for that with `Retry-After`.',
  ),
  ...Facts.shape,
  previousSecretExpiresAt: Moment.nullable().describe('When the last replaced secret stops being accepted.'),
  oldSecretsExpireAt: z
    .array(Moment)
    .describe('When the grace periods of replaced secrets end, the latest rotation first; at most three.'),
  hasSenderSecret: z
    .boolean()
    .describe(
      'Whether the secret of the sender is set. Without it, a scheme other than the default refuses every event.',
    ),
  oldSenderSecretsExpireAt: z
    .array(Moment)
    .describe(
      'When the grace periods of replaced secrets of the sender end, the latest first; at most three.',
    ),
})
export type Connection = z.infer<typeof Connection>

/** A connection in a response, with warnings about unusual but valid settings. */
export const ConnectionWithWarnings = Connection.extend({
  warnings: z.array(SavedWarning).optional().describe('Present only if something is unusual.'),
})

/** The credentials that an external system needs to send events. Only requests for credentials return them. */
export const Credentials = z.object({
  inboundUrl: z.string(),
  inboundToken: z.string(),
  signingSecret: z.string(),
})
export type Credentials = z.infer<typeof Credentials>

/** The same with the secret of the sender. Only the read of the credentials returns it. */
export const AllCredentials = Credentials.extend({
  senderSecret: z
    .string()
    .optional()
    .describe('The secret of the sender, for a scheme other than the default; missing until it is set.'),
  verifyToken: z
    .string()
    .optional()
    .describe('What the question of the sender must have, to be entered there.'),
})
export type AllCredentials = z.infer<typeof AllCredentials>

const fields = {
  ...ConnectionData.shape,
  name: NewName,
  baseUrl: BaseUrl.nullable(),
  auth: ConnectionAuth.nullable(),
  rateLimit: RateLimit.nullable(),
}

/** The settings of the connection of an import document, with the rules for their texts. */
export const DocumentConnection = z.object(fields).pick(portable).partial().required({ name: true })
export type DocumentConnection = z.output<typeof DocumentConnection>

export const ConnectionChange = z.object({ ...fields, retention: Retention.partial() }).partial()

/** Everything that a change can set can be given from the start. */
export const NewConnection = ConnectionChange.required({ name: true }).extend({
  workspaceId: z.string().optional().describe('By default the default workspace.'),
})
export type NewConnection = z.output<typeof NewConnection>
export type ConnectionChange = z.output<typeof ConnectionChange>

/** Hours for which the old secret stays valid after a rotation. */
export const GraceHours = z.literal([0, 1, 24, 168], 'The grace period must be 0, 1, 24 or 168 hours.')
export type GraceHours = z.infer<typeof GraceHours>

/** The secret of a sender in a request to set it. */
export const NewSenderSecret = z.object({
  secret: SenderSecret.optional(),
  user: z
    .string()
    .regex(/^[^:\p{Cc}]{1,200}$/u, 'A user has no colon.')
    .optional()
    .describe('With `password`, instead of `secret`: for a sender that has both.'),
  password: z.string().min(1).max(700).optional(),
  verifyToken: z
    .string()
    .regex(/^[!-~]{1,200}$/, 'A verify token has 1 to 200 visible ASCII characters.')
    .optional()
    .describe('What the question of a sender must have.'),
  publicKey: PublicKey.optional(),
  graceHours: GraceHours.default(24).describe('Hours for which the secret before stays valid.'),
})
