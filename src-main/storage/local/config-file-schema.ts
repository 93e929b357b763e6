import { z } from 'zod'
import { isObject } from '#shared/json/exact-json.ts'
import { ActionData } from '#shared/model/action.ts'
import { ConnectionThresholds } from '#shared/model/alert.ts'
import { ClientToken } from '#shared/model/assistant.ts'
import { CaseData } from '#shared/model/case.ts'
import { ConnectionData } from '#shared/model/connection.ts'
import { EnvironmentName } from '#shared/model/environment.ts'
import { EventTypeData, type SamplePayload } from '#shared/model/event-type.ts'
import {
  ActionId,
  CaseId,
  ConnectionId,
  EventTypeId,
  Moment,
  WorkspaceId,
} from '#shared/model/identifiers.ts'
import { Imported, StoredSource } from '#shared/model/imported.ts'
import { StoredShapes } from '#shared/model/platform/agent.ts'
import { AgentId } from '#shared/model/platform/parts.ts'
import { Webhook } from '#shared/model/platform/webhook.ts'
import { Settings, settingsDefaults } from '#shared/model/settings.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { sealedPattern } from './secrets.ts'

export const schemaVersion = 5

const SealedText = z.string().regex(sealedPattern, 'must be a sealed text')

const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/)

const OldSecrets = z.array(z.object({ secret: SealedText, expiresAt: z.int() }))

// A custom check, because zod's record would copy it without keys such as `__proto__`.
const Sample = z.custom<z.infer<typeof SamplePayload>>(isObject, 'must be a JSON object')

export const EventTypeEntry = z.object({
  eventTypeId: EventTypeId,
  ...EventTypeData.shape,
  samplePayload: Sample.nullable(),
  sampleText: EventTypeData.shape.sampleText.default(null),
  createdAt: Moment,
  updatedAt: Moment,
  imported: Imported.optional(),
})
type EventTypeEntry = z.infer<typeof EventTypeEntry>

/** An action. Its headers contain names of environment variables, not their values. */
export const ActionEntry = z.object({
  actionId: ActionId,
  ...ActionData.shape,
  createdAt: Moment,
  updatedAt: Moment,
  imported: Imported.optional(),
})
type ActionEntry = z.infer<typeof ActionEntry>

/** A connection in plain text with sealed credentials. Rules for names that may change are not checked here. */
const connectionWith = (action: z.ZodType<ActionEntry>, eventType: z.ZodType<EventTypeEntry>) =>
  z.object({
    connectionId: ConnectionId,
    workspaceId: WorkspaceId,
    ...ConnectionData.pick({ name: true }).shape,
    slug: z.string(),
    ...ConnectionData.omit({ name: true }).shape,
    inboundToken: SealedText,
    signingSecret: SealedText,
    oldSecrets: OldSecrets,
    senderSecret: SealedText.optional(),
    oldSenderSecrets: OldSecrets.optional(),
    verifyToken: SealedText.optional(),
    activation: z.object({ answeredAt: Moment, openUrl: z.string().optional() }).optional(),
    watch: ConnectionThresholds.optional(),
    actions: z.array(action).check(unique('actionId')),
    eventTypes: z.array(eventType).check(unique('eventTypeId')),
    createdAt: Moment,
    updatedAt: Moment,
    source: StoredSource.optional(),
  })
const ConnectionEntry = connectionWith(ActionEntry, EventTypeEntry)
export type ConnectionEntry = z.infer<typeof ConnectionEntry>

/** A connection whose actions and event types were checked before. */
export const ShallowConnectionEntry = connectionWith(z.custom<ActionEntry>(), z.custom<EventTypeEntry>())

const CaseEntry = z.object({
  caseId: CaseId,
  connectionId: ConnectionId,
  actionId: ActionId,
  ...CaseData.shape,
  createdAt: Moment,
  updatedAt: Moment,
})

const EnvironmentEntry = z.object({ name: EnvironmentName, value: SealedText })

const WorkspaceEntry = z.object({
  workspaceId: WorkspaceId,
  name: z.string(),
  publicBaseUrl: z.string().nullable(),
  webhook: Webhook.nullable().default(null),
  removedWebhooks: z.int().min(0).default(0),
  createdAt: Moment,
  updatedAt: Moment,
})

const ClientTokenEntry = ClientToken.extend({
  name: z.string(),
  tools: ClientToken.shape.tools.optional(),
  updatedAt: Moment.optional(),
  digest: Sha256Hex,
}).transform(token => ({ ...token, updatedAt: token.updatedAt ?? token.createdAt }))

/** The shapes of an agent. A field that no shape has is kept with its path. */
const AgentEntry = z.object({
  workspaceId: WorkspaceId,
  agentId: AgentId,
  shapes: StoredShapes,
  unknown: z.array(
    z.object({ path: z.array(z.union([z.string(), z.int().min(0)])).min(1), value: z.unknown() }),
  ),
  createdAt: Moment,
  updatedAt: Moment,
})

const HeldEntry = z.object({
  deletedAt: z.int(),
  place: z.int().min(0),
  purging: z.boolean().optional(),
  connection: ConnectionEntry,
})

/**
 * The configuration file, version 5, without its lists. Absent settings, an absent listener address and an absent token
 * of the metrics get their defaults. Keys of other versions are dropped.
 */
export const ConfigHead = z.object({
  schemaVersion: z.literal(schemaVersion),
  /** The number of the last journal whose changes are in this file. */
  journal: z.int().min(0).default(0),
  /** The last entry of the file: its position and its checksum. See config-position.ts. */
  written: z.string().optional(),
  settings: z.preprocess(given => (isObject(given) ? { ...settingsDefaults, ...given } : given), Settings),
  listener: z
    .object({ host: z.string(), port: z.int().min(1).max(65_535) })
    .nullable()
    .default(null),
  metricsToken: z.object({ digest: Sha256Hex, setAt: Moment }).nullable().default(null),
})

/** The records of the lists of the file, in the order of the file. */
export const entrySchemas = {
  environment: EnvironmentEntry,
  workspaces: WorkspaceEntry,
  connections: ConnectionEntry,
  cases: CaseEntry,
  workflows: Workflow,
  clientTokens: ClientTokenEntry,
  agents: AgentEntry,
  /** Connections that were just deleted and can still be restored. */
  held: HeldEntry,
}
export const partNames = [
  ...(['environment', 'workspaces', 'connections', 'cases'] as const),
  ...(['workflows', 'clientTokens', 'agents', 'held'] as const),
]
export type PartName = (typeof partNames)[number]
export type Entry<Name extends PartName> = z.infer<(typeof entrySchemas)[Name]>

export const requiredParts: ReadonlySet<PartName> = new Set(['environment', 'workspaces', 'connections'])

function unique<Key extends string>(key: Key) {
  return z.superRefine<Record<Key, string>[]>((entries, context) => {
    const seen = new Set<string>()
    for (const [index, { [key]: value }] of entries.entries()) {
      if (seen.has(value))
        context.addIssue({ code: 'custom', path: [index, key], message: `"${value}" is there twice` })
      seen.add(value)
    }
  })
}

/** Returns whether a schema has left a JSON value as it was. Without arrays of keys: the file may have a million values. */
export function isUnchanged(raw: unknown, parsed: unknown): boolean {
  if (raw === parsed) return true
  if (Array.isArray(raw) && Array.isArray(parsed))
    return raw.length === parsed.length && raw.every((item, index) => isUnchanged(item, parsed[index]))
  if (!isObject(raw) || !isObject(parsed)) return false
  let more = 0
  for (const key in raw) {
    if (!Object.hasOwn(parsed, key) || !isUnchanged(raw[key], parsed[key])) return false
    more++
  }
  for (const _ in parsed) more--
  return more === 0
}

/** Returns the JSON paths of what a schema has dropped from `raw`. */
export function unknownKeys(raw: unknown, parsed: unknown, path = ''): string[] {
  if (raw === parsed) return []
  if (Array.isArray(raw) && Array.isArray(parsed)) {
    return raw.flatMap((item, index) => unknownKeys(item, parsed[index], `${path}[${index}]`))
  }
  if (!isObject(raw) || !isObject(parsed)) return []
  return Object.keys(raw).flatMap(key => {
    const at = path === '' ? key : `${path}.${key}`
    return Object.hasOwn(parsed, key) ? unknownKeys(raw[key], parsed[key], at) : [at]
  })
}
