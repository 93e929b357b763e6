import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { PortableConnection } from '#shared/model/connection.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import type { ImportSelection } from '#shared/model/import-preview.ts'
import type { ServerTargets } from '#shared/model/import-server.ts'
import { senderOf } from '#shared/model/sender/sender.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { type Problem, problem, warning } from './problem.ts'
import type { ImportContent } from './validate-document.ts'

/** The target of an import: a connection, or a new one in a workspace (null for the default workspace). */
export type ImportTarget = {
  readonly connectionId: string | null
  readonly workspaceId: string | null
  /** The names to import; by default all. */
  readonly only?: ImportSelection | null
  /** Gives an existing connection without a base URL the one in the document. */
  readonly useBaseUrl?: boolean
  /** Gives an existing connection the sign-in in the document. */
  readonly useAuth?: boolean
  /** The target of each server, by its URL. By default all that operations need are taken. */
  readonly servers?: ServerTargets
}

/** The parts of a connection that planning needs. */
export type PlanConnection = Pick<
  ConnectionRecord,
  'connectionId' | 'workspaceId' | keyof PortableConnection
> & {
  readonly actions: readonly {
    readonly toolName: string
    /** Left out where an import cannot change where they are sent. */
    readonly headers?: Readonly<Record<string, string>> | null
  }[]
  readonly eventTypes: readonly { readonly eventName: string }[]
}

/** The parts of the configuration that planning needs. A configuration is a `PlanConfig`. */
export type PlanConfig = {
  readonly workspaces: ReadonlyMap<string, unknown>
  readonly connections: ReadonlyMap<string, PlanConnection>
}

/** Returns the workspace of a new connection. */
export function workspaceOf({ workspaceId }: ImportTarget): string {
  return workspaceId ?? defaultWorkspaceId
}

/** The connection after the import: an existing one, or a new one without an id. */
export type ConnectionPlan = Readonly<PortableConnection> & {
  readonly connectionId: string | null
  readonly workspaceId: string
}

/**
 * Finds the connection that an earlier import of the same document created: it has the document's name, base URL, actions
 * and event types. Importing the document again then creates nothing. Returns null if there is none, or if the document
 * has no connection.
 *
 * @param toolNames of the document's actions.
 */
export function findEarlierImport(
  config: PlanConfig,
  { connection, events }: ImportContent,
  toolNames: readonly string[],
  workspaceId: string,
): PlanConnection | null {
  if (connection === null || connection === 'faulty' || connection.name === null) return null
  for (const record of config.connections.values()) {
    const isAlike =
      record.workspaceId === workspaceId &&
      record.name === connection.name &&
      record.baseUrl === connection.baseUrl
    if (!isAlike) continue
    const actions = new Set(record.actions.map(({ toolName }) => toolName))
    const names = new Set(record.eventTypes.map(({ eventName }) => eventName))
    if (
      toolNames.every(name => actions.has(name)) &&
      events.every(({ fields }) => names.has(fields.eventName))
    )
      return record
  }
  return null
}

/**
 * Decides which connection the document's parts go to.
 *
 * @param target `existing` is null for a new one; `isEarlierImport` if `findEarlierImport` found it.
 */
export function planConnection(
  config: PlanConfig,
  content: ImportContent,
  {
    existing,
    isEarlierImport,
    useBaseUrl,
    useAuth,
  }: { existing: PlanConnection | null; isEarlierImport: boolean; useBaseUrl: boolean; useAuth: boolean },
  workspaceId: string,
): { plan: ConnectionPlan | null; documentBaseUrl: string | null; problems: Problem[] } {
  const { connection } = content
  const documentBaseUrl = null
  if (existing !== null) {
    const { connectionId, baseUrl } = existing
    const plan = { ...PortableConnection.parse(existing), connectionId, workspaceId }
    if (connection === null || connection === 'faulty') return { plan, documentBaseUrl, problems: [] }
    if (isEarlierImport)
      return { plan, documentBaseUrl, problems: [warning(['connection', 'name'], imported)] }
    const offered = baseUrl === null ? connection.baseUrl : null
    const used = useBaseUrl ? (baseUrl ?? offered) : baseUrl
    return {
      plan: { ...plan, baseUrl: used, ...(useAuth && connection.auth && { auth: connection.auth }) },
      documentBaseUrl: offered,
      problems: ignoredPart(connection.baseUrl, used),
    }
  }
  if (connection === 'faulty') return { plan: null, documentBaseUrl, problems: [] }
  if (connection === null) return { plan: null, documentBaseUrl, problems: [problem([], noTarget)] }
  const { name } = connection
  if (name === null) {
    const message = 'The field "name" is missing. A new connection needs a name.'
    return { plan: null, documentBaseUrl, problems: [problem(['connection', 'name'], message)] }
  }
  const plan = { ...connection, name, connectionId: null, workspaceId }
  const isTaken = [...config.connections.values()].some(
    other => other.workspaceId === workspaceId && other.name === name,
  )
  const problems = isTaken ? [warning(['connection', 'name'], sameName)] : []
  if (schemes[senderOf(connection).scheme].hasOwnSecret)
    problems.push(warning(['connection', 'sender'], needsSecret))
  return { plan, documentBaseUrl, problems }
}

const noTarget =
  'The document has no "connection", so it can only be imported into an existing connection. Choose one.'
const imported =
  'A connection with all of this already exists, so nothing is created. For a second one, change the name.'
const sameName =
  'A connection with this name already exists. The import creates a second one. To extend the first, import into it.'

const needsSecret =
  'The secret of the sender is not in the document. Set it in the new connection: without it, every event is refused.'

function ignoredPart(given: string | null, present: string | null): Problem[] {
  const ignored = 'The connection keeps its own name and settings. Those in the document are ignored.'
  if (given === null || given === present) return [warning(['connection'], ignored)]
  if (present === null) {
    const detail = `The connection has no base URL. The document has ${given}.`
    return [warning(['connection'], `${ignored} ${detail}`)]
  }
  const message = `The actions are called at ${present}, the base URL of the connection, not at ${given} as in the document.`
  return [{ ...warning(['connection', 'baseUrl'], message), code: 'host' }, warning(['connection'], ignored)]
}

/** Returns the parts of a configuration that planning needs. They are copied to a worker thread. */
export function planConfigOf(config: Config, target: ImportTarget): PlanConfig {
  const named = new Set<unknown>([target.connectionId, ...Object.values(target.servers ?? {})])
  const connections = lookedAt(config, target).map((record): [string, PlanConnection] => {
    const { connectionId, workspaceId, actions, eventTypes } = record
    return [
      connectionId,
      {
        connectionId,
        workspaceId,
        ...PortableConnection.parse(record),
        actions: actions.map(({ toolName, headers }) =>
          named.has(connectionId) ? { toolName, headers } : { toolName },
        ),
        eventTypes: eventTypes.map(({ eventName }) => ({ eventName })),
      },
    ]
  })
  const workspaces = Array.from(config.workspaces.keys(), (id): [string, unknown] => [id, null])
  return { workspaces: new Map(workspaces), connections: new Map(connections) }
}

/** Returns whether a plan for one configuration is valid for another. Records are immutable, so identity is enough. */
export function isSamePlanConfig(one: Config, other: Config, target: ImportTarget): boolean {
  if (one === other) return true
  const before = lookedAt(one, target)
  const after = lookedAt(other, target)
  const { workspaceId } = target
  const isWorkspaceThere = workspaceId === null || other.workspaces.has(workspaceId)
  return (
    isWorkspaceThere &&
    before.length === after.length &&
    before.every((record, index) => record === after[index])
  )
}

/** Returns the target, and the connections of its workspace: other servers of the document may have theirs there. */
function lookedAt(config: Config, target: ImportTarget): ConnectionRecord[] {
  const record = target.connectionId === null ? undefined : config.connections.get(target.connectionId)
  const workspaceId = record?.workspaceId ?? workspaceOf(target)
  return [...config.connections.values()].filter(one => one.workspaceId === workspaceId)
}
