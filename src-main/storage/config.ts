import type { z } from 'zod'
import type { Action } from '#shared/model/action.ts'
import type { ConnectionThresholds } from '#shared/model/alert.ts'
import type { ClientToken } from '#shared/model/assistant.ts'
import type { CaseData } from '#shared/model/case.ts'
import type { ConnectionData } from '#shared/model/connection.ts'
import type { EventType } from '#shared/model/event-type.ts'
import type { Imported, StoredSource } from '#shared/model/imported.ts'
import type { SomeShapes } from '#shared/model/platform/agent.ts'
import type { ListenerAddress } from '#shared/model/service.ts'
import type { Settings } from '#shared/model/settings.ts'
import type { ToolListing } from '#shared/model/tool.ts'
import type { Workflow } from '#shared/model/workflow.ts'
import type { Workspace } from '#shared/model/workspace.ts'

/** A declared event type, without its variables, which are derived when it is read. */
export type EventTypeRecord = Readonly<Omit<EventType, 'variables'>> & FromImport

export type ActionRecord = Readonly<Action> & FromImport

/** A case of an action. Apart from its connection, which is written as a whole with each change. */
export type CaseRecord = Readonly<CaseData> & {
  readonly caseId: string
  readonly connectionId: string
  readonly actionId: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** `imported` is missing if no import created the record. */
type FromImport = { readonly imported?: Imported | undefined }

export type WorkspaceRecord = Readonly<Workspace> & {
  /** How many webhooks it had before. Deliveries carry the number, so that none reaches a later webhook. */
  readonly removedWebhooks: number
}

export type WorkflowRecord = Readonly<Workflow>

/** A token for MCP clients. The token itself is not stored. */
export type ClientTokenRecord = Readonly<Omit<ClientToken, 'tools'>> & {
  /** Missing for all. */
  readonly tools?: ToolListing | undefined
  /** SHA-256 of the token, as lowercase hex. */
  readonly digest: string
}

/** The token of those who read the metrics. The token itself is not stored. */
export type MetricsTokenRecord = {
  /** SHA-256 of the token, as lowercase hex. */
  readonly digest: string
  /** ISO 8601. */
  readonly setAt: string
}

/** A field that an import brought and no shape has. The path begins with the shape's name. */
export type UnknownField = { readonly path: readonly (string | number)[]; readonly value: unknown }

/** The shapes of an agent that were saved. */
export type AgentRecord = {
  readonly workspaceId: string
  readonly agentId: string
  readonly shapes: SomeShapes
  readonly unknown: readonly UnknownField[]
  readonly createdAt: string
  readonly updatedAt: string
}

/** A replaced signing secret, accepted until `expiresAt`, in ms since 1970. */
export type OldSecret = { readonly secret: string; readonly expiresAt: number }

/** The answers that are kept to the questions of a sender. */
export type Activated = {
  /** When the first one was answered, as ISO 8601. */
  readonly answeredAt: string
  /** The address that its owner can open to confirm the URL. */
  readonly openUrl?: string | undefined
}

/** A connection with its credentials: plain text in memory, sealed on disk. */
export type ConnectionRecord = Readonly<z.infer<typeof ConnectionData>> & {
  readonly connectionId: string
  readonly workspaceId: string
  /** Derived from the name at creation and then fixed: part of the assistant's tool names. */
  readonly slug: string
  readonly inboundToken: string
  readonly signingSecret: string
  /** Replaced secrets, the latest first: those in their grace period, and some later ones. */
  readonly oldSecrets: readonly OldSecret[]
  /** The secret of the sender; missing until it is set, and for the default scheme. */
  readonly senderSecret?: string | undefined
  /** The same of it; missing for none. */
  readonly oldSenderSecrets?: readonly OldSecret[] | undefined
  /** The token that its sender's question must have; missing for a scheme whose questions have none. */
  readonly verifyToken?: string | undefined
  /** When a question of its sender was answered; missing before, and for a scheme without one. */
  readonly activation?: Activated | undefined
  /** Missing for the defaults. */
  readonly watch?: ConnectionThresholds | undefined
  readonly actions: readonly ActionRecord[]
  readonly eventTypes: readonly EventTypeRecord[]
  /** Missing without an import that can be repeated. */
  readonly source?: StoredSource | undefined
  readonly createdAt: string
  readonly updatedAt: string
}

/** A connection that was just deleted and can still be restored. */
export type HeldConnection = {
  readonly record: ConnectionRecord
  /** Milliseconds since 1970. */
  readonly deletedAt: number
  /** How many connections were listed before it. */
  readonly place: number
  /** Whether the deletion of its data has begun, so that it cannot be restored any more. */
  readonly purging?: boolean | undefined
}

/** The whole configuration. Maps are in the order of creation; a change creates new ones. */
export type Config = {
  readonly settings: Settings
  /** The address that the inbound listener was moved to; null if it was not moved. */
  readonly listener: ListenerAddress | null
  /** Null if none was set. */
  readonly metricsToken: MetricsTokenRecord | null
  /** Variables for `{{NAME}}` in headers: plain text in memory, sealed on disk. */
  readonly environment: ReadonlyMap<string, string>
  readonly workspaces: ReadonlyMap<string, WorkspaceRecord>
  readonly connections: ReadonlyMap<string, ConnectionRecord>
  /** Those of a connection that can still be restored are among them. */
  readonly cases: ReadonlyMap<string, CaseRecord>
  readonly workflows: ReadonlyMap<string, WorkflowRecord>
  readonly clientTokens: ReadonlyMap<string, ClientTokenRecord>
  /** By `agentKey`. */
  readonly agents: ReadonlyMap<string, AgentRecord>
  /** Connections that were just deleted. Everything else treats them as deleted. */
  readonly held?: ReadonlyMap<string, HeldConnection>
}

/** Returns a connection that exists or can still be restored. */
export function keptConnection(
  { connections, held }: Config,
  connectionId: string,
): ConnectionRecord | undefined {
  return connections.get(connectionId) ?? held?.get(connectionId)?.record
}

/** Returns whether a connection's data is kept: it exists, or can still be restored. */
export function isKept({ connections, held }: Config, connectionId: string): boolean {
  return connections.has(connectionId) || held?.has(connectionId) === true
}

/** Returns the ids of the kept connections, those that can still be restored last. */
export function keptConnectionIds({ connections, held }: Config): string[] {
  return [...connections.keys(), ...(held?.keys() ?? [])]
}

/**
 * Returns the ids of connections for a search in the stores: null, which searches everything, if they are all whose data
 * is kept. So a search of everything does not name ten thousand.
 */
export function searchedIds(
  { connections: { size }, held }: Config,
  wanted: readonly ConnectionRecord[],
): string[] | null {
  const isEverything = wanted.length === size && (held?.size ?? 0) === 0
  return isEverything ? null : wanted.map(({ connectionId }) => connectionId)
}

/** Returns a configuration with only the client tokens that pass a test. */
export function withClientTokens(config: Config, isKept: (token: ClientTokenRecord) => boolean): Config {
  const kept = [...config.clientTokens].filter(([, token]) => isKept(token))
  return kept.length === config.clientTokens.size ? config : { ...config, clientTokens: new Map(kept) }
}

/** Returns the key of an agent in the configuration. */
export function agentKey({ workspaceId, agentId }: Pick<AgentRecord, 'workspaceId' | 'agentId'>): string {
  return `${workspaceId}/${agentId}`
}

/** Returns a configuration with only the agents that pass a test. */
export function withAgents(config: Config, isKept: (agent: AgentRecord) => boolean): Config {
  const kept = [...config.agents].filter(([, agent]) => isKept(agent))
  return kept.length === config.agents.size ? config : { ...config, agents: new Map(kept) }
}
