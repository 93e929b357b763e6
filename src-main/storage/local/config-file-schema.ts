import { z } from 'zod'
import { isObject } from '#shared/json/exact-json.ts'
import { ActionData } from '#shared/model/action.ts'
import { ClientToken } from '#shared/model/assistant.ts'
import { ConnectionData } from '#shared/model/connection.ts'
import { EnvironmentName } from '#shared/model/environment.ts'
import { EventTypeData, type SamplePayload } from '#shared/model/event-type.ts'
import {
  ActionId,
  ConnectionId,
  defaultWorkspaceId,
  EventTypeId,
  Moment,
  WorkspaceId,
} from '#shared/model/identifiers.ts'
import { StoredShapes } from '#shared/model/platform/agent.ts'
import { AgentId } from '#shared/model/platform/parts.ts'
import { Webhook } from '#shared/model/platform/webhook.ts'
import { Settings, settingsDefaults } from '#shared/model/settings.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { sealedPattern } from './secrets.ts'

export const schemaVersion = 3

const SealedText = z.string().regex(sealedPattern, 'must be a sealed text')

// A custom check, because zod's record would copy it without keys such as `__proto__`.
const Sample = z.custom<z.infer<typeof SamplePayload>>(isObject, 'must be a JSON object')

export const EventTypeEntry = z.object({
  eventTypeId: EventTypeId,
  ...EventTypeData.shape,
  samplePayload: Sample.nullable(),
  sampleText: EventTypeData.shape.sampleText.default(null),
  createdAt: Moment,
  updatedAt: Moment,
})
type EventTypeEntry = z.infer<typeof EventTypeEntry>

/** An action. Its headers contain names of environment variables, not their values. */
export const ActionEntry = z.object({
  actionId: ActionId,
  ...ActionData.shape,
  createdAt: Moment,
  updatedAt: Moment,
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
    oldSecrets: z.array(z.object({ secret: SealedText, expiresAt: z.int() })),
    actions: z.array(action).check(unique('actionId')),
    eventTypes: z.array(eventType).check(unique('eventTypeId')),
    createdAt: Moment,
    updatedAt: Moment,
  })
const ConnectionEntry = connectionWith(ActionEntry, EventTypeEntry)
export type ConnectionEntry = z.infer<typeof ConnectionEntry>

/** A connection whose actions and event types were checked before. */
export const ShallowConnectionEntry = connectionWith(z.custom<ActionEntry>(), z.custom<EventTypeEntry>())

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
  updatedAt: Moment.optional(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
}).transform(token => ({ ...token, updatedAt: token.updatedAt ?? token.createdAt }))

/** The shapes of an agent. A field that no shape has is kept with its path. */
export const AgentEntry = z.object({
  workspaceId: WorkspaceId,
  agentId: AgentId,
  shapes: StoredShapes,
  unknown: z.array(
    z.object({ path: z.array(z.union([z.string(), z.int().min(0)])).min(1), value: z.unknown() }),
  ),
  createdAt: Moment,
  updatedAt: Moment,
})
export type AgentEntry = z.infer<typeof AgentEntry>

const fileWith = (
  connection: z.ZodType<ConnectionEntry>,
  workflow: z.ZodType<Workflow>,
  agent: z.ZodType<AgentEntry>,
) =>
  z
    .object({
      schemaVersion: z.literal(schemaVersion),
      settings: z.preprocess(
        given => (isObject(given) ? { ...settingsDefaults, ...given } : given),
        Settings,
      ),
      listener: z
        .object({ host: z.string(), port: z.int().min(1).max(65_535) })
        .nullable()
        .default(null),
      environment: z.array(z.object({ name: EnvironmentName, value: SealedText })).check(unique('name')),
      workspaces: z.array(WorkspaceEntry).check(unique('workspaceId')),
      connections: z.array(connection).check(unique('connectionId')),
      workflows: z.array(workflow).check(unique('workflowId')).default([]),
      clientTokens: z.array(ClientTokenEntry).check(unique('tokenId')).default([]),
      agents: z.array(agent).default([]),
      held: z
        .array(z.object({ deletedAt: z.int(), place: z.int().min(0), connection: ConnectionEntry }))
        .optional()
        .describe('Connections that were just deleted and can still be restored.'),
    })
    .superRefine((file, context) => {
      const addIssue = (path: (string | number)[], message: string) =>
        context.addIssue({ code: 'custom', path, message })
      const known = new Set(file.workspaces.map(workspace => workspace.workspaceId))
      if (!known.has(defaultWorkspaceId))
        addIssue(['workspaces'], `the workspace "${defaultWorkspaceId}" is missing`)
      for (const [index, { workspaceId }] of file.connections.entries())
        if (!known.has(workspaceId))
          addIssue(['connections', index, 'workspaceId'], `there is no workspace "${workspaceId}"`)
    })

/**
 * The configuration file, version 3. Absent settings and an absent listener address get their defaults. Keys of other
 * versions are dropped; see `unknownKeys`.
 */
export const ConfigFile = fileWith(ConnectionEntry, Workflow, AgentEntry)
export type ConfigFile = z.infer<typeof ConfigFile>

/** A file whose connections, workflows and agents were checked before. */
export const ShallowConfigFile = fileWith(
  z.custom<ConnectionEntry>(),
  z.custom<Workflow>(),
  z.custom<AgentEntry>(),
)

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
