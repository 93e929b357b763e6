import { z } from 'zod'
import { isObject } from '#shared/json/exact-json.ts'
import { ActionData } from '#shared/model/action.ts'
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
import { Settings, settingsDefaults } from '#shared/model/settings.ts'
import { sealedPattern } from './secrets.ts'

export const schemaVersion = 3

const SealedText = z.string().regex(sealedPattern, 'must be a sealed text')

// By identity: zod's record would rebuild it and lose a key such as `__proto__`.
const Sample = z.custom<z.infer<typeof SamplePayload>>(isObject, 'must be a JSON object')

/** An event type as the file has it, which is as it is kept. */
export const EventTypeEntry = z.object({
  eventTypeId: EventTypeId,
  ...EventTypeData.shape,
  samplePayload: Sample.nullable(),
  sampleText: EventTypeData.shape.sampleText.default(null),
  createdAt: Moment,
  updatedAt: Moment,
})
type EventTypeEntry = z.infer<typeof EventTypeEntry>

/** An action as the file has it, which is as it is kept: its headers name environment variables, no values. */
export const ActionEntry = z.object({
  actionId: ActionId,
  ...ActionData.shape,
  createdAt: Moment,
  updatedAt: Moment,
})
type ActionEntry = z.infer<typeof ActionEntry>

/** A connection as the file has it: readable, its credentials sealed. Texts keep to no rule that may change. */
const connectionOf = (action: z.ZodType<ActionEntry>, eventType: z.ZodType<EventTypeEntry>) =>
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
const ConnectionEntry = connectionOf(ActionEntry, EventTypeEntry)
export type ConnectionEntry = z.infer<typeof ConnectionEntry>

/** The same where actions and event types were checked before, one by one. */
export const ConnectionEntryAround = connectionOf(z.custom<ActionEntry>(), z.custom<EventTypeEntry>())

const WorkspaceEntry = z.object({
  workspaceId: WorkspaceId,
  name: z.string(),
  publicBaseUrl: z.string().nullable(),
  createdAt: Moment,
  updatedAt: Moment,
})

const EnvironmentEntry = z.object({ name: EnvironmentName, value: SealedText })

const KeptAddress = z.object({ host: z.string(), port: z.int().min(1).max(65_535) })

const fileOf = (connection: z.ZodType<ConnectionEntry>) =>
  z
    .object({
      schemaVersion: z.literal(schemaVersion),
      settings: z.preprocess(
        given => (isObject(given) ? { ...settingsDefaults, ...given } : given),
        Settings,
      ),
      listener: KeptAddress.nullable().default(null),
      environment: z.array(EnvironmentEntry).check(unique('name')),
      workspaces: z.array(WorkspaceEntry).check(unique('workspaceId')),
      connections: z.array(connection).check(unique('connectionId')),
      held: z
        .array(z.object({ deletedAt: z.int(), place: z.int().min(0), connection: ConnectionEntry }))
        .optional()
        .describe('Connections that were deleted a moment ago and can still be restored.'),
    })
    .superRefine((file, context) => {
      const known = new Set(file.workspaces.map(workspace => workspace.workspaceId))
      if (!known.has(defaultWorkspaceId)) {
        context.addIssue({
          code: 'custom',
          path: ['workspaces'],
          message: `the workspace "${defaultWorkspaceId}" is missing`,
        })
      }
      file.connections.forEach(({ workspaceId }, index) => {
        if (known.has(workspaceId)) return
        const path = ['connections', index, 'workspaceId']
        context.addIssue({ code: 'custom', path, message: `there is no workspace "${workspaceId}"` })
      })
    })

/**
 * The configuration file, version 3. Settings that it does not name have their defaults, and so has the
 * listener's address. Keys that are not of this version are left out; see `unknownKeys`.
 */
export const ConfigFile = fileOf(ConnectionEntry)
export type ConfigFile = z.infer<typeof ConfigFile>

/** The same where the connections were checked before, one by one. */
export const ConfigFileAround = fileOf(z.custom<ConnectionEntry>())

function unique<Key extends string>(key: Key) {
  return z.superRefine<Record<Key, string>[]>((entries, context) => {
    const seen = new Set<string>()
    entries.forEach((entry, index) => {
      if (seen.has(entry[key]))
        context.addIssue({ code: 'custom', path: [index, key], message: `"${entry[key]}" is there twice` })
      seen.add(entry[key])
    })
  })
}

/** The JSON paths of what `parsed`, the outcome of a schema, has left out of `raw`. */
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

/** `connections[2].timeoutMs: …` for each problem, at most `limit` of them. */
export function describeProblems(error: z.ZodError, limit = 5): string {
  const shown = error.issues.slice(0, limit).map(({ path, message }) => {
    const at = path.reduce<string>(
      (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
      '',
    )
    return at === '' ? message : `${at.replace(/^\./, '')}: ${message}`
  })
  const more = error.issues.length - shown.length
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
