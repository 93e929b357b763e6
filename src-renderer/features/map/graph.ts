import type { CallEdge, EdgeList, EventEdge } from '#shared/model/edges.ts'

export const columns = ['connection', 'event', 'workflow', 'action'] as const
export type Column = (typeof columns)[number]

/** A count; some more may have happened if it is `atLeast`. */
export type Count = { readonly count: number; readonly atLeast: boolean }

/** A connection, an event type, a workflow or another caller, or an action. */
export type MapNode = Count & {
  readonly id: string
  readonly column: Column
  /** Its connection; null for a workflow. */
  readonly connectionId: string | null
  /** The name of an event or a tool, the id of a workflow, or the kind of another caller. */
  readonly name: string
  /** The runs that failed of a workflow, or the calls of an action. */
  readonly failed: number
  /** The calls that a workflow made, and those that failed. */
  readonly calls: number
  readonly callsFailed: number
  /** The events of a connection that started nothing, of names that never do. */
  readonly nothing: number
}

/** `count` is of events from a connection, of runs to a workflow, of calls to an action. */
export type MapEdge = Count & {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly failed: number
  /** Whether it is drawn as one that fails: the cause is here, and not in a call further on. */
  readonly isFailing: boolean
}

export type MapGraph = {
  readonly nodes: ReadonlyMap<string, MapNode>
  readonly edges: readonly MapEdge[]
  /** The events that start nothing, the most frequent first. */
  readonly startNothing: readonly EventEdge[]
}

/** The callers of actions besides workflows. */
export const otherCallers = { client: 'MCP clients', other: 'Tests and conversations' } as const

export const connectionNode = (connectionId: string) => `connection ${connectionId}`
export const eventNode = (connectionId: string, eventName: string) => `event ${connectionId} ${eventName}`
export const workflowNode = (workflowId: string) => `workflow ${workflowId}`
export const actionNode = (connectionId: string, toolName: string) => `action ${connectionId} ${toolName}`

type Making = { -readonly [Key in keyof MapNode]: MapNode[Key] }

/** Returns whether a node asks for something: a workflow whose runs or calls fail, or an action whose calls do. */
export const isFailing = ({ failed, callsFailed }: MapNode) => failed > 0 || callsFailed > 0

/** Makes the nodes and edges of the map. */
export function graphOf({ events, calls }: Pick<EdgeList, 'events' | 'calls'>): MapGraph {
  const nodes = new Map<string, Making>()
  const edges: MapEdge[] = []
  const startNothing: EventEdge[] = []

  function node(id: string, column: Column, connectionId: string | null, name: string): Making {
    const known = nodes.get(id)
    if (known !== undefined) return known
    const none = { count: 0, atLeast: false, failed: 0, calls: 0, callsFailed: 0, nothing: 0 }
    const made = { id, column, connectionId, name, ...none }
    nodes.set(id, made)
    return made
  }
  const edge = (made: Omit<MapEdge, 'id'>) => void edges.push({ id: `${made.from} > ${made.to}`, ...made })

  for (const call of calls) {
    const { connectionId, toolName } = call
    const caller = node(workflowNode(callerOf(call)), 'workflow', null, callerOf(call))
    const action = node(actionNode(connectionId, toolName), 'action', connectionId, toolName)
    caller.calls += call.calls
    caller.callsFailed += call.failed
    action.count += call.calls
    action.failed += call.failed
    const counts = { count: call.calls, failed: call.failed, isFailing: call.failed > 0 }
    edge({ from: caller.id, to: action.id, atLeast: false, ...counts })
  }
  const byName = Map.groupBy(events, ({ connectionId, eventName }) => eventNode(connectionId, eventName))
  for (const [id, own] of byName) {
    const [first] = own
    if (first === undefined) continue
    const { connectionId, eventName } = first
    const { count, atLeast } = totalOf(own)
    const connection = node(connectionNode(connectionId), 'connection', connectionId, connectionId)
    connection.count += count
    connection.atLeast ||= atLeast
    if (own.every(({ workflowId }) => workflowId === null)) {
      connection.nothing += count
      startNothing.push({ ...first, events: count })
      continue
    }
    const event = node(id, 'event', connectionId, eventName)
    Object.assign(event, { count, atLeast })
    edge({ from: connection.id, to: id, count, atLeast, failed: 0, isFailing: false })
    for (const { workflowId, runs, failed } of own) {
      if (workflowId === null) continue
      const workflow = node(workflowNode(workflowId), 'workflow', null, workflowId)
      workflow.count += runs
      workflow.failed += failed
      const isCause = failed > 0 && workflow.callsFailed === 0
      edge({ from: id, to: workflow.id, count: runs, atLeast: false, failed, isFailing: isCause })
    }
  }
  return { nodes, edges, startNothing: startNothing.sort((one, other) => other.events - one.events) }
}

const callerOf = ({ workflowId, client }: CallEdge) => workflowId ?? (client ? 'client' : 'other')

/**
 * Returns how many events of one name there were. Each event that starts several workflows is counted with each, so there
 * may have been more than those of the busiest workflow unless all have the same count.
 */
function totalOf(edges: readonly EventEdge[]): Count {
  const nothing = edges.find(({ workflowId }) => workflowId === null)?.events ?? 0
  const started = edges.flatMap(({ workflowId, events }) => (workflowId === null ? [] : events))
  const most = Math.max(0, ...started)
  return { count: nothing + most, atLeast: started.some(events => events !== most) }
}
