import { describeProblems } from '#main/lib/describe-problems.ts'
import { ServiceError } from '#shared/errors.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { agentKey, type Config, type ConnectionRecord } from '../config.ts'
import {
  ActionEntry,
  AgentEntry,
  ConfigFile,
  type ConnectionEntry,
  EventTypeEntry,
  ShallowConfigFile,
  ShallowConnectionEntry,
  schemaVersion,
  unknownKeys,
} from './config-file-schema.ts'
import { DamagedContent } from './durable-json-file.ts'
import { SealedTextError, type Sealer } from './secrets.ts'

/** A configuration with its file, whose sealed texts are reused. */
export type StoredConfig = { readonly config: Config; readonly file: ConfigFile }

/** The context of all replaced secrets is `previousSecret`. */
type Field = 'inboundToken' | 'signingSecret' | 'previousSecret'
const contextOf = (connectionId: string, field: Field) => `connection/${connectionId}/${field}`
const contextOfVariable = (name: string) => `environment/${name}`

/**
 * Returns the file of a configuration. Only what differs from `before` is sealed and checked, so unchanged lines of the
 * file stay as they are, and a change of one action does not check ten thousand others.
 *
 * @throws Error if the file cannot hold `config`, which is a programming error.
 */
export function toFile(config: Config, sealer: Sealer, before: StoredConfig | null = null): ConfigFile {
  const entries = new Map(before?.file.connections.map(entry => [entry.connectionId, entry]))
  const connections = Array.from(config.connections.values(), record => {
    const known = before?.config.connections.get(record.connectionId)
    const entry = entries.get(record.connectionId)
    if (known === undefined || entry === undefined) return toEntry(record, sealer, null)
    return record === known ? entry : toEntry(record, reusingSealer(sealer, known, entry), known)
  })
  // Each deletion is held for moments, so these are sealed again with each write.
  const held = Array.from(config.held?.values() ?? [], ({ record, deletedAt, place }) => ({
    deletedAt,
    place,
    connection: toEntry(record, sealer, null),
  }))
  // Parsed as when it is read: what cannot be read again must not be written.
  return ShallowConfigFile.parse({
    schemaVersion,
    settings: config.settings,
    listener: config.listener,
    environment: sealEnvironment(config, sealer, before),
    workspaces: [...config.workspaces.values()],
    connections,
    workflows: checkedWorkflows(config, before),
    clientTokens: [...config.clientTokens.values()],
    agents: checkedAgents(config, before),
    ...(held.length === 0 ? {} : { held }),
  })
}

function sealEnvironment(
  { environment }: Config,
  sealer: Sealer,
  before: StoredConfig | null,
): ConfigFile['environment'] {
  const entries = new Map(before?.file.environment.map(entry => [entry.name, entry]))
  return Array.from(environment, ([name, value]) => {
    const entry = before?.config.environment.get(name) === value ? entries.get(name) : undefined
    return entry ?? { name, value: sealer.seal(value, contextOfVariable(name)) }
  })
}

/** Returns the workflows of a configuration; those that have changed are checked. */
function checkedWorkflows({ workflows }: Config, before: StoredConfig | null): Workflow[] {
  return Array.from(workflows.values(), workflow =>
    before?.config.workflows.get(workflow.workflowId) === workflow ? workflow : Workflow.parse(workflow),
  )
}

/** Returns the agents of a configuration; those that have changed are checked. */
function checkedAgents({ agents }: Config, before: StoredConfig | null): AgentEntry[] {
  const entries = new Map(before?.file.agents.map(entry => [agentKey(entry), entry]))
  return Array.from(agents, ([key, agent]) => {
    const entry = before?.config.agents.get(key) === agent ? entries.get(key) : undefined
    return entry ?? AgentEntry.parse(agent)
  })
}

/** @param known the earlier record, whose actions and event types were checked. */
function toEntry(record: ConnectionRecord, sealer: Sealer, known: ConnectionRecord | null): ConnectionEntry {
  const seal = (text: string, field: Field) => sealer.seal(text, contextOf(record.connectionId, field))
  const checked = new Set<object>([...(known?.actions ?? []), ...(known?.eventTypes ?? [])])
  for (const action of record.actions) if (!checked.has(action)) ActionEntry.parse(action)
  for (const type of record.eventTypes) if (!checked.has(type)) EventTypeEntry.parse(type)
  return ShallowConnectionEntry.parse({
    ...record,
    actions: [...record.actions],
    eventTypes: [...record.eventTypes],
    inboundToken: seal(record.inboundToken, 'inboundToken'),
    signingSecret: seal(record.signingSecret, 'signingSecret'),
    oldSecrets: record.oldSecrets.map(({ secret, expiresAt }) => ({
      secret: seal(secret, 'previousSecret'),
      expiresAt,
    })),
  })
}

/** Returns a sealer that reuses the sealed texts of `entry` for what has not changed. */
function reusingSealer(sealer: Sealer, known: ConnectionRecord, entry: ConnectionEntry): Sealer {
  const keyOf = (field: Field, text: string) => `${contextOf(known.connectionId, field)}\n${text}`
  const sealed = new Map([
    [keyOf('inboundToken', known.inboundToken), entry.inboundToken],
    [keyOf('signingSecret', known.signingSecret), entry.signingSecret],
    ...known.oldSecrets.map(
      ({ secret }, index) => [keyOf('previousSecret', secret), entry.oldSecrets[index]?.secret] as const,
    ),
  ])
  return {
    ...sealer,
    seal: (text, context) => sealed.get(`${context}\n${text}`) ?? sealer.seal(text, context),
  }
}

/**
 * Reads the JSON of a configuration file of the present version.
 *
 * @returns also the JSON paths of unknown keys, which the next write drops.
 * @throws DamagedContent naming the JSON paths; ServiceError `wrong_key` if no credential opens.
 */
export function fromFile(
  raw: unknown,
  sealer: Sealer,
): StoredConfig & { readonly unknown: readonly string[] } {
  const parsed = ConfigFile.safeParse(raw)
  if (!parsed.success) throw new DamagedContent(describeProblems(parsed.error))
  const file = parsed.data
  const failed: string[] = []
  let opened = 0
  const open: Open = (sealed, context, path) => {
    try {
      const text = sealer.open(sealed, context)
      opened += 1
      return text
    } catch (error) {
      if (!(error instanceof SealedTextError)) throw error
      failed.push(path)
      return ''
    }
  }
  const config: Config = {
    settings: file.settings,
    listener: file.listener,
    environment: new Map(
      file.environment.map(({ name, value }, index) => [
        name,
        open(value, contextOfVariable(name), `environment[${index}].value`),
      ]),
    ),
    workspaces: new Map(file.workspaces.map(workspace => [workspace.workspaceId, workspace])),
    connections: new Map(
      file.connections.map((entry, index) => [
        entry.connectionId,
        openConnection(entry, `connections[${index}]`, open),
      ]),
    ),
    workflows: new Map(file.workflows.map(workflow => [workflow.workflowId, workflow])),
    clientTokens: new Map(file.clientTokens.map(token => [token.tokenId, token])),
    agents: new Map(file.agents.map(agent => [agentKey(agent), agent])),
    ...(file.held && {
      held: new Map(
        file.held.map(({ deletedAt, place, connection }, index) => {
          const record = openConnection(connection, `held[${index}].connection`, open)
          return [connection.connectionId, { deletedAt, place, record }]
        }),
      ),
    }),
  }
  // A wrong key opens nothing. If only some texts do not open, they were changed.
  if (failed.length > 0 && opened === 0) throw new ServiceError('wrong_key')
  if (failed.length > 0)
    throw new DamagedContent(`${failed.join(', ')}: cannot be decrypted, while others can`)
  return { config, file, unknown: unknownKeys(raw, file) }
}

/** Opens a sealed text. @param path in the file, for messages. */
type Open = (sealed: string, context: string, path: string) => string

function openConnection(entry: ConnectionEntry, path: string, open: Open): ConnectionRecord {
  const openField = (sealed: string, field: Field, at: string = field) =>
    open(sealed, contextOf(entry.connectionId, field), `${path}.${at}`)
  return {
    ...entry,
    inboundToken: openField(entry.inboundToken, 'inboundToken'),
    signingSecret: openField(entry.signingSecret, 'signingSecret'),
    oldSecrets: entry.oldSecrets.map(({ secret, expiresAt }, index) => ({
      secret: openField(secret, 'previousSecret', `oldSecrets[${index}].secret`),
      expiresAt,
    })),
  }
}
