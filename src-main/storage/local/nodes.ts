import { randomUUID } from 'node:crypto'
import { version } from '#main/lib/version.ts'
import { ServiceError } from '#shared/errors.ts'
import type { NodeReport, NodeStore } from '../nodes.ts'

/**
 * The only process that uses a data folder.
 *
 * @param configVersion returns what counts the changes of the configuration.
 */
export function createSingleNode(name: string, clock: () => number, configVersion: () => number): NodeStore {
  const id = `node_${randomUUID()}`
  const startedAt = new Date(clock()).toISOString()
  let report: (() => NodeReport) | null = null
  let isDraining = false
  return {
    id,
    living: () => 1,
    async list() {
      const { isReady = false, runsUnderWay = 0, eventsPerSecond = null, ...machine } = report?.() ?? {}
      const at = new Date(clock()).toISOString()
      const node = {
        ...{ nodeId: id, slot: 0, name, version, startedAt, seenAt: at, silentMs: 0 },
        ...{ runsUnderWay, heldRuns: runsUnderWay, hasSameToken: true, isThis: true },
        state: isDraining ? ('draining' as const) : isReady ? ('ready' as const) : ('unready' as const),
        configVersion: configVersion(),
        ...{ eventsPerSecond, clockOffsetMs: null, databaseMs: null },
        ...{ disk: null, certificateEndsAt: null, ...machine },
      }
      return [node]
    },
    async forget(nodeId) {
      throw new ServiceError(nodeId === id ? 'node_not_lost' : 'node_not_found')
    },
    report(of) {
      report = of
    },
    async drain() {
      isDraining = true
    },
  }
}
