import { findWorkspace } from '#main/connections/workspaces.ts'
import { formatPath } from '#main/importing/problem.ts'
import { type AgentRecord, agentKey, type Config, withAgents } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import type { AgentFiles } from '#main/storage/knowledge.ts'
import { ServiceError } from '#shared/errors.ts'
import {
  type Agent,
  defaultShapes,
  type ShapeName,
  type Shapes,
  type SomeShapes,
  shapeNames,
} from '#shared/model/platform/agent.ts'
import { exportAgent, type ReadAgent } from './agent-document.ts'
import { followEntries } from './unknown-fields.ts'

/** An agent of a workspace. */
export type Scope = Pick<AgentRecord, 'workspaceId' | 'agentId'>

/** The configuration is written as a whole, so its agents must stay small. */
const maxAgents = 200
const maxAgentBytes = 1024 * 1024
const maxBytes = 16 * 1024 * 1024

/** Returns the agents that have a shape, then those that have only files. */
export function listAgents(
  { agents, workspaces }: Config,
  withFiles: readonly AgentFiles[],
  workspaceId?: string,
): Agent[] {
  const files = new Map(withFiles.map(one => [agentKey(one), one.files]))
  const withShapes = [...agents.values()].map(({ shapes, unknown, ...agent }) => ({
    ...agent,
    shapes: shapeNames.filter(name => shapes[name] !== undefined),
    unknownFields: unknown.map(({ path }) => formatPath(path)),
    files: files.get(agentKey(agent)) ?? 0,
  }))
  const withoutShapes = withFiles
    // The files of a deleted workspace are deleted a moment later.
    .filter(one => workspaces.has(one.workspaceId) && !agents.has(agentKey(one)))
    .map(({ firstAddedAt, lastAddedAt, ...agent }) => ({
      ...agent,
      shapes: [],
      unknownFields: [],
      createdAt: firstAddedAt,
      updatedAt: lastAddedAt,
    }))
  return [...withShapes, ...withoutShapes].filter(
    agent => workspaceId === undefined || agent.workspaceId === workspaceId,
  )
}

/** Returns the shapes of an agent; those that were not saved have their defaults. @throws ServiceError `workspace_not_found`. */
export function shapesOf(config: Config, scope: Scope): Shapes {
  findWorkspace(config, scope.workspaceId)
  return { ...defaultShapes(scope.agentId), ...config.agents.get(agentKey(scope))?.shapes }
}

/**
 * Sets one shape of an agent. Unknown fields of the shape stay, those of a list with their entries.
 *
 * @param now ISO 8601.
 * @throws ServiceError `workspace_not_found`, `too_many_agents`, `invalid_input` if the agent gets too large.
 */
export function setShape<N extends ShapeName>(
  config: Config,
  scope: Scope,
  name: N,
  shape: Shapes[N],
  now: string,
): ConfigChange<Shapes[N]> {
  const before = agentBefore(config, scope, now)
  const shapes: SomeShapes = { ...before.shapes }
  shapes[name] = shape
  const unknown = followEntries(before.unknown, before.shapes, shapes)
  return { next: withAgent(config, { ...before, shapes, unknown, updatedAt: now }), result: shape }
}

/**
 * Sets the shapes of a document; the others stay. The unknown fields of a shape are replaced with it.
 *
 * @throws like `setShape`.
 */
export function importAgent(
  config: Config,
  scope: Scope,
  read: Pick<ReadAgent, 'shapes' | 'unknown'>,
  now: string,
): ConfigChange<void> {
  const before = agentBefore(config, scope, now)
  const replaced = new Set<unknown>([...Object.keys(read.shapes), ...read.unknown.map(({ path }) => path[0])])
  const unknown = [...before.unknown.filter(({ path }) => !replaced.has(path[0])), ...read.unknown]
  const shapes = { ...before.shapes, ...read.shapes }
  return { next: withAgent(config, { ...before, shapes, unknown, updatedAt: now }), result: undefined }
}

/** Removes a shape with its unknown fields, and the agent with its last shape. Returns how many shapes were removed. */
export function removeShape(
  config: Config,
  scope: Scope,
  name: ShapeName,
  now: string,
): ConfigChange<number> {
  findWorkspace(config, scope.workspaceId)
  const before = config.agents.get(agentKey(scope))
  if (before?.shapes[name] === undefined) return { next: config, result: 0 }
  const { [name]: _removed, ...shapes } = before.shapes
  const unknown = before.unknown.filter(({ path }) => path[0] !== name)
  if (Object.keys(shapes).length === 0 && unknown.length === 0) return removeAgent(config, scope)
  return { next: withAgent(config, { ...before, shapes, unknown, updatedAt: now }), result: 1 }
}

/** Removes all shapes of an agent. Returns how many agents were removed. */
export function removeAgent(config: Config, scope: Scope): ConfigChange<number> {
  findWorkspace(config, scope.workspaceId)
  const next = withAgents(config, agent => agentKey(agent) !== agentKey(scope))
  return { next, result: next === config ? 0 : 1 }
}

function agentBefore(config: Config, { workspaceId, agentId }: Scope, now: string): AgentRecord {
  findWorkspace(config, workspaceId)
  const known = config.agents.get(agentKey({ workspaceId, agentId }))
  if (known === undefined && config.agents.size >= maxAgents) throw new ServiceError('too_many_agents')
  return known ?? { workspaceId, agentId, shapes: {}, unknown: [], createdAt: now, updatedAt: now }
}

/** @throws ServiceError `too_many_agents`; `invalid_input` if the agent is too large. */
function withAgent(config: Config, agent: AgentRecord): Config {
  const agents = new Map(config.agents).set(agentKey(agent), agent)
  if (bytesOf(agent) > maxAgentBytes) {
    const message = 'All shapes of an agent together may have at most 1 MiB of JSON.'
    throw new ServiceError('invalid_input', { detail: message, data: { issues: [{ path: '', message }] } })
  }
  const bytes = [...agents.values()].reduce((sum, one) => sum + bytesOf(one), 0)
  if (bytes > maxBytes) throw new ServiceError('too_many_agents')
  return { ...config, agents }
}

/** Records are immutable, so each is measured once. */
const measured = new WeakMap<AgentRecord, number>()

function bytesOf(agent: AgentRecord): number {
  const known = measured.get(agent)
  if (known !== undefined) return known
  const bytes = Buffer.byteLength(JSON.stringify(exportAgent(agent)))
  measured.set(agent, bytes)
  return bytes
}
