import { randomUUID } from 'node:crypto'
import { version } from '#main/lib/version.ts'
import { ServiceError } from '#shared/errors.ts'
import type { NodeReport, NodeStore } from '../nodes.ts'

/**
 * The only process that uses a data folder.
 *
 * @param configuration returns what counts the changes of the configuration.
 */
export function createSingleNode(name: string, clock: () => number, configuration: () => number): NodeStore {
  const id = `node_${randomUUID()}`
  const startedAt = new Date(clock()).toISOString()
  let report: (() => NodeReport) | null = null
  let isDraining = false
  return {
    id,
    living: () => 1,
    async list() {
      const { isReady = false, runs = 0, eventsPerSecond = null } = report?.() ?? {}
      const at = new Date(clock()).toISOString()
      const node = {
        ...{ nodeId: id, name, version, startedAt, seenAt: at, runs, heldRuns: runs, isThis: true },
        state: isDraining ? ('draining' as const) : isReady ? ('ready' as const) : ('unready' as const),
        configuration: configuration(),
        ...{ eventsPerSecond, clockDifferenceMs: null, databaseMs: null },
      }
      return { nodes: [node], configuration: configuration(), at }
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
