import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import type { ImportTarget, PlanConfig, PlanConnection } from './plan.ts'
import { workspaceOf } from './plan.ts'

/** Returns what planning looks at, without what makes a configuration large: a worker thread gets a copy. */
export function planConfigOf(config: Config, target: ImportTarget): PlanConfig {
  const connections = lookedAt(config, target).map((record): [string, PlanConnection] => {
    const { connectionId, workspaceId, name, baseUrl, persistEvents, actions, eventTypes } = record
    return [
      connectionId,
      {
        connectionId,
        workspaceId,
        name,
        baseUrl,
        persistEvents,
        actions: actions.map(({ toolName }) => ({ toolName })),
        eventTypes: eventTypes.map(({ eventName }) => ({ eventName })),
      },
    ]
  })
  const workspaces = Array.from(config.workspaces.keys(), (id): [string, unknown] => [id, null])
  return { workspaces: new Map(workspaces), connections: new Map(connections) }
}

/** Returns whether a plan made for one configuration holds for another: records never change in place. */
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

/** The target itself, or for a new connection those beside which it will be. */
function lookedAt(config: Config, target: ImportTarget): ConnectionRecord[] {
  if (target.connectionId === null) {
    const workspaceId = workspaceOf(target)
    return [...config.connections.values()].filter(record => record.workspaceId === workspaceId)
  }
  const record = config.connections.get(target.connectionId)
  return record === undefined ? [] : [record]
}
