import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import type { ImportServer } from '#shared/model/import-server.ts'
import type { Parsed } from './parse.ts'
import { type Plan, planImport, select } from './plan.ts'
import type { ImportTarget, PlanConfig } from './plan-connection.ts'
import type { Problem } from './problem.ts'
import { type ChosenServer, chooseServers, contentAt, serversByAction } from './servers.ts'
import type { ImportContent } from './validate-document.ts'

/** The plan of a connection, and the server of its actions; null in formats without servers. */
export type ServerPlan = { readonly server: ChosenServer | null; readonly plan: Plan }

export type PlannedServers = {
  /** The part of the text that is imported. */
  readonly parsed: Parsed
  readonly servers: readonly ChosenServer[]
  /** A plan for each connection, the base URL first. */
  readonly plans: readonly ServerPlan[]
}

/**
 * Plans the import of a document: one connection for each server that is taken. Pure.
 *
 * @throws ServiceError `connection_not_found`, `workspace_not_found`, `invalid_input`.
 */
export function planAll(config: PlanConfig, given: Parsed, target: ImportTarget): PlannedServers {
  const { parsed, servers } = chooseServers(given, target)
  const { content } = parsed
  const taken = servers.filter(one => one.target !== false)
  const [base = null] = taken
  if (content === null || base === null || (taken.length === 1 && base.index === 0)) {
    const plan = planImport(config, content, base === null ? target : targetAt(config, base, target))
    return { parsed, servers, plans: [{ server: base, plan }] }
  }
  const { content: selected, problems } = select(content, target.only ?? {})
  const serverOf = serversByAction(parsed)
  const parts = taken.map(server => ({ server, content: contentAt(selected, serverOf, server.index) }))
  const filled = parts.filter(
    ({ server, content: { actions, events } }) =>
      actions.length + events.length > 0 || (server.index === 0 && target.connectionId !== null),
  )
  const plans = (filled.length > 0 ? filled : parts.slice(0, 1)).map((part, index): ServerPlan => {
    const { server } = part
    const own = { ...targetAt(config, server, target), only: null }
    const plan = planImport(config, server.index === 0 ? part.content : elsewhere(part.content, server), own)
    const found = plan.problems.map(one => placedAt(one, server))
    return { server, plan: { ...plan, problems: index === 0 ? [...problems, ...found] : found } }
  })
  return { parsed, servers, plans }
}

/** Returns the target of the actions of one server. All connections are in the same workspace. */
function targetAt(config: PlanConfig, server: ChosenServer, target: ImportTarget): ImportTarget {
  const { target: into, index } = server
  const connectionId = typeof into === 'string' ? into : null
  if (index === 0 && connectionId === target.connectionId) return target
  const main = target.connectionId === null ? undefined : config.connections.get(target.connectionId)
  const workspaceId = target.workspaceId ?? main?.workspaceId ?? null
  return {
    ...target,
    ...{ connectionId, useAuth: index === 0 && target.useAuth === true },
    workspaceId: connectionId === null ? workspaceId : (workspaceId ?? defaultWorkspaceId),
  }
}

function elsewhere(content: ImportContent, { name, baseUrl, auth }: ChosenServer): ImportContent {
  const { connection } = content
  if (connection === null || connection === 'faulty') return content
  const { auth: _auth, ...rest } = connection
  return { ...content, connection: { ...rest, name, baseUrl, ...(auth !== null && { auth }) } }
}

/** Returns a problem of a connection at its server in the text. Those of the base URL are found by their paths. */
function placedAt(one: Problem, { index, offset }: ChosenServer): Problem {
  return index === 0 || one.path[0] === 'actions' ? one : { ...one, offset }
}

/** Returns the plans as one: its connection is that of the base URL. */
export function mergePlans(plans: readonly ServerPlan[]): Plan {
  const all = plans.map(({ plan }) => plan)
  return {
    connection: all[0]?.connection ?? null,
    documentBaseUrl: all[0]?.documentBaseUrl ?? null,
    actions: all.flatMap(({ actions }) => actions),
    eventTypes: all.flatMap(({ eventTypes }) => eventTypes),
    skipped: {
      actions: all.flatMap(({ skipped }) => skipped.actions),
      eventTypes: all.flatMap(({ skipped }) => skipped.eventTypes),
    },
    entries: {
      actions: all.flatMap(({ entries }) => entries.actions),
      eventTypes: all.flatMap(({ entries }) => entries.eventTypes),
    },
    environment: all.flatMap(({ environment }) => environment),
    problems: all.flatMap(({ problems }) => problems),
  }
}

/** Returns the servers of a document for the preview. */
export function describeServers({ servers, plans }: PlannedServers): ImportServer[] {
  return servers.map(({ url, operations, target, isAlternative, index, name }) => {
    const found = plans.find(one => one.server?.index === index)?.plan.connection
    return {
      ...{ url, operations, chosen: target !== false, alternative: isAlternative },
      connectionId: found?.connectionId ?? (typeof target === 'string' ? target : null),
      ...{ name: found?.name ?? name, auth: found?.auth ?? null },
    }
  })
}
