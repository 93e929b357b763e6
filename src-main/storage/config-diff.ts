import {
  type AgentRecord,
  type CaseRecord,
  type ClientTokenRecord,
  type Config,
  type ConnectionRecord,
  type HeldConnection,
  isKept,
  type WorkflowRecord,
  type WorkspaceRecord,
} from './config.ts'

/** A record that an update added (`before` is undefined), removed (`after` is undefined), replaced or moved. */
export type RecordDiff<Entry> = {
  readonly id: string
  readonly before: Entry | undefined
  readonly after: Entry | undefined
  /** Its index in the next configuration, if it was moved, or was not added at the end. */
  readonly at?: number
}

/**
 * The changes of an update, as plain data. In each part, removed records come first, then the others in the order of the
 * next configuration. Delete the removed and the moved ones, then apply the others one after another: this gives that
 * order.
 */
export type ConfigDiff = {
  readonly settings: boolean
  readonly listener: boolean
  readonly metricsToken: boolean
  readonly environment: readonly RecordDiff<string>[]
  readonly workspaces: readonly RecordDiff<WorkspaceRecord>[]
  readonly connections: readonly RecordDiff<ConnectionRecord>[]
  readonly cases: readonly RecordDiff<CaseRecord>[]
  readonly workflows: readonly RecordDiff<WorkflowRecord>[]
  readonly clientTokens: readonly RecordDiff<ClientTokenRecord>[]
  /** By `agentKey`. */
  readonly agents: readonly RecordDiff<AgentRecord>[]
  readonly held: readonly RecordDiff<HeldConnection>[]
}

/** Returns what has changed. It compares the identity of records, and looks only into parts that are not the same. */
export function diffConfig(previous: Config, next: Config): ConfigDiff {
  return {
    settings: previous.settings !== next.settings,
    listener: previous.listener !== next.listener,
    metricsToken: previous.metricsToken !== next.metricsToken,
    environment: diffMap(previous.environment, next.environment),
    workspaces: diffMap(previous.workspaces, next.workspaces),
    connections: diffMap(previous.connections, next.connections),
    cases: diffMap(previous.cases, next.cases),
    workflows: diffMap(previous.workflows, next.workflows),
    clientTokens: diffMap(previous.clientTokens, next.clientTokens),
    agents: diffMap(previous.agents, next.agents),
    held: diffMap(previous.held ?? nothing, next.held ?? nothing),
  }
}

const nothing: ReadonlyMap<string, HeldConnection> = new Map()
const same: readonly never[] = []

/** Returns the differences of one part, in the order that ConfigDiff describes. */
function diffMap<Entry>(
  previous: ReadonlyMap<string, Entry>,
  next: ReadonlyMap<string, Entry>,
): readonly RecordDiff<Entry>[] {
  if (previous === next) return same
  return diffInOrder(previous, next) ?? diffMoved(previous, next)
}

/** Returns the differences if records were only replaced, or added at the end, as nearly always; null otherwise. */
function diffInOrder<Entry>(
  previous: ReadonlyMap<string, Entry>,
  next: ReadonlyMap<string, Entry>,
): readonly RecordDiff<Entry>[] | null {
  const changed: RecordDiff<Entry>[] = []
  const earlier = previous.entries()
  for (const [id, after] of next) {
    const { value } = earlier.next()
    if (value === undefined) changed.push({ id, before: undefined, after })
    else if (value[0] !== id) return null
    else if (value[1] !== after) changed.push({ id, before: value[1], after })
  }
  return earlier.next().done ? changed : null
}

function diffMoved<Entry>(
  previous: ReadonlyMap<string, Entry>,
  next: ReadonlyMap<string, Entry>,
): readonly RecordDiff<Entry>[] {
  const present: { id: string; before: Entry | undefined; after: Entry; at?: number }[] = []
  const moved = new Set<string>()
  const inOrder = previous.keys()
  let known = 0
  let index = 0
  /** Those from here on were added at the end. */
  let tail = 0
  for (const [id, after] of next) {
    const before = previous.get(id)
    if (before !== undefined) known++
    if (before === undefined || moved.has(id)) present.push({ id, before, after, at: index })
    else {
      for (let earlier = inOrder.next().value; earlier !== undefined && earlier !== id; ) {
        if (next.has(earlier)) moved.add(earlier)
        earlier = inOrder.next().value
      }
      if (before !== after) present.push({ id, before, after })
      tail = present.length
    }
    index++
  }
  for (const added of present.slice(tail)) if (!moved.has(added.id)) delete added.at
  if (known === previous.size) return present
  const removed = [...previous].filter(([id]) => !next.has(id))
  return [...removed.map(([id, before]) => ({ id, before, after: undefined })), ...present]
}

/** Returns the ids of the connections that an update has removed for good. */
export function goneConnectionIds(next: Config, { connections, held }: ConfigDiff): string[] {
  const ids = new Set([...connections, ...held].map(({ id }) => id))
  return [...ids].filter(connectionId => !isKept(next, connectionId))
}

/** Returns whether an update has removed a workspace. */
export function hasRemovedWorkspace({ workspaces }: ConfigDiff): boolean {
  return workspaces.some(({ after }) => after === undefined)
}
