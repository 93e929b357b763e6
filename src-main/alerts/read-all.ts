import type { Watched } from '#main/history/statistics/statistics.ts'
import { idOf, numberOfId } from '#main/lib/sequence.ts'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { Config, ConnectionRecord, WorkflowRecord } from '#main/storage/config.ts'
import type { NodeStore } from '#main/storage/nodes.ts'
import type { LaneCounts, RunStore } from '#main/storage/runs.ts'
import { connectionThresholds, serviceConnectionId } from '#shared/model/alert.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import type { ServiceNode } from '#shared/model/nodes.ts'
import type { Deciding } from './decide-all.ts'
import { listedRules } from './kinds.ts'
import { silentSince } from './memory.ts'
import type { NodeNumbers } from './numbers.ts'
import { comparedNow, workflowsReading } from './payloads.ts'
import type { Reader } from './step.ts'

export type NumberSources = {
  readonly config: () => Config
  readonly watched: (connectionId: string) => Watched
  readonly runs: Pick<RunStore, 'figures' | 'laneCounts' | 'list'>
  readonly nodes: Pick<NodeStore, 'list'>
  readonly backups: { newestGoodAt(): Promise<number | null> }
}

const sliceMs = 5
/** Connections that are read without looking at the time. */
const readTogether = 20
/** Lanes with waiting runs that a step looks into. */
const mostLanes = 200
const runPrefix = 'run_'

/** Creates the reader of a step. */
export function createReader(sources: NumberSources): Reader {
  const slices = createTimeSlices({ sliceMs, isBusy: () => false })

  function readConnection(
    deciding: Deciding,
    connection: ConnectionRecord,
    { oldSecretAt, recent, measured }: Watched,
    since: number | null,
  ): void {
    const { connectionId, workspaceId, name, oldSecrets, oldSenderSecrets = [] } = connection
    const numbers = {
      ...{ connection, recent, measured, silentSince: since, oldSecretAt },
      thresholds: connection.watch ?? connectionThresholds,
      graceEnds: [...oldSecrets, ...oldSenderSecrets].map(({ expiresAt }) => expiresAt),
    }
    const place = { subject: connectionId, workspaceId, connectionId, connectionName: name }
    const all = { ...place, workflowId: null, workflowName: null, node: null }
    for (const { kind, rule } of listedRules.connections) deciding.read(kind, rule, numbers, all)
    // Most events fit, and need not be looked at.
    const mayOpen = measured.payloads.some(({ differs }) => differs.includes('1'))
    if (!mayOpen && !listedRules.payloads.some(({ kind }) => deciding.hasOpen(kind))) return
    for (const compared of comparedNow(connection, measured)) {
      const { eventName } = compared
      const workflows = () => workflowsReading(sources.config(), connectionId, compared)
      const ofPayload = { connection, thresholds: numbers.thresholds, compared, workflows }
      const atEvent = { ...all, subject: `${connectionId} ${eventName}`, eventName }
      for (const { kind, rule } of listedRules.payloads) deciding.read(kind, rule, ofPayload, atEvent)
    }
  }

  /** Returns the newest waiting run of a workflow that is not newer than the one that is followed; null for none. */
  async function waitingRun(workflowId: string, followed: string | undefined) {
    const upTo = followed === undefined ? null : numberOfId(runPrefix, followed)
    const before = upTo === null ? {} : { before: idOf(runPrefix, upTo + 1) }
    const { runs } = await sources.runs.list({
      ...{ workflowIds: [workflowId], state: 'waiting', limit: 1, ...before },
    })
    return runs[0] ?? null
  }

  async function readWorkflows(
    deciding: Deciding,
    { settings, workflows }: Config,
    followedRun: Readonly<Record<string, string>>,
    now: number,
  ): Promise<Record<string, string>> {
    // Alerts about what alerts start would never end.
    const watched = [...workflows.values()].filter(
      ({ trigger }) => trigger.connectionId !== serviceConnectionId,
    )
    const ids = watched.map(({ workflowId }) => workflowId)
    if (ids.length === 0) return {}
    const [figures, lanes] = await Promise.all([sources.runs.figures(ids, now), sources.runs.laneCounts()])
    const failed = new Map(figures.map(one => [one.workflowId, one.failedLastHour]))
    const counts = new Map(lanes.map(lane => [lane.lane, lane]))
    const followed: Record<string, string> = {}
    let left = mostLanes
    for (const workflow of watched) {
      const { workflowId, workspaceId, name } = workflow
      let dueSince: number | null = null
      if (settings.watch.runsStuck.enabled && mayBeStuck(workflow, counts.get(workflowId)) && left-- > 0) {
        const before = followedRun[workflowId]
        const run =
          (await waitingRun(workflowId, before)) ??
          (before === undefined ? null : await waitingRun(workflowId, undefined))
        if (run !== null) {
          followed[workflowId] = run.runId
          dueSince = Math.max(run.queuedAt, run.dueAt ?? 0)
        }
      }
      const failedLastHour = failed.get(workflowId) ?? 0
      const numbers = { workflow, thresholds: settings.watch, failedLastHour, dueSince }
      const place = {
        ...{ subject: workflowId, workspaceId, workflowId, workflowName: name },
        ...{ connectionId: null, connectionName: null, node: null },
      }
      for (const { kind, rule } of listedRules.workflows) deciding.read(kind, rule, numbers, place)
    }
    return followed
  }

  return async (deciding, memory, { now, wasDown }) => {
    const config = sources.config()
    const silent: Record<string, number> = {}
    function readOne(connection: ConnectionRecord): void {
      const { connectionId, enabled } = connection
      const watched = sources.watched(connectionId)
      let since: number | null = null
      if (connection.watch?.silent.enabled === true) {
        const { lastEventAt } = watched
        const before = memory.silentSince[connectionId]
        since = silentSince({ isEnabled: enabled, lastEventAt, before, wasDown }, now)
        if (since !== null) silent[connectionId] = since
      }
      readConnection(deciding, connection, watched, since)
    }
    const connections = [...config.connections.values()]
    for (let from = 0; from < connections.length; from += readTogether)
      await slices.run(() => connections.slice(from, from + readTogether).forEach(readOne))
    const followedRun = await readWorkflows(deciding, config, memory.followedRun, now)
    const atService = { workspaceId: defaultWorkspaceId, connectionId: null, connectionName: null }
    const plain = { ...atService, workflowId: null, workflowName: null }
    const thresholds = config.settings.watch
    for (const numbers of nodeNumbers(await sources.nodes.list(), thresholds)) {
      const place = { ...plain, subject: numbers.name, node: numbers.name }
      for (const { kind, rule } of listedRules.nodes) deciding.read(kind, rule, numbers, place)
    }
    const { backup, updatedAt } = config.settings
    const expectedSince = backup === null || updatedAt === null ? null : Date.parse(updatedAt)
    const backups = { thresholds, newestAt: await sources.backups.newestGoodAt(), expectedSince }
    const place = { ...plain, subject: 'service', node: null }
    for (const { kind, rule } of listedRules.service) deciding.read(kind, rule, backups, place)
    return { ...memory, silentSince: silent, followedRun }
  }
}

/** A run behind the retry of an ordered workflow waits as it should. */
const mayBeStuck = ({ enabled, ordered }: WorkflowRecord, lane: LaneCounts | undefined) =>
  enabled && lane !== undefined && lane.waiting > 0 && !(ordered && lane.retrying > 0)

/** Returns the numbers of nodes by their names, which last longer than a start; of one name the worst. */
function nodeNumbers(
  nodes: readonly ServiceNode[],
  thresholds: NodeNumbers['thresholds'],
): Iterable<NodeNumbers> {
  const byName = Map.groupBy(nodes, ({ name, nodeId }) => name ?? nodeId)
  return Array.from(byName, ([name, ones]) => {
    const living = ones.filter(({ state }) => state !== 'lost')
    const disks = living.flatMap(({ disk }) => disk ?? [])
    const ends = living.flatMap(({ certificateEndsAt }) =>
      certificateEndsAt === null ? [] : [Date.parse(certificateEndsAt)],
    )
    return {
      ...{ name, thresholds, isLost: living.length === 0 },
      silentMs: Math.min(...ones.map(({ silentMs }) => silentMs)),
      disk: disks.sort((one, other) => one.free - other.free)[0] ?? null,
      certificateEndsAt: ends.length === 0 ? null : Math.min(...ends),
    }
  })
}
