import { z } from 'zod'
import { createBus } from '#main/lib/bus.ts'
import { describeProblems } from '#main/lib/describe-problems.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { ConnectionId } from '#shared/model/identifiers.ts'
import type { StoredDocument } from '../document.ts'
import {
  type LoadedCounts,
  mergeCounts,
  type NodeCounts,
  SavedCounts,
  type StatisticsStore,
} from '../statistics.ts'

/** The file that saves the counts across a restart. */
const SavedStatistics = z.object({
  version: z.literal(1),
  since: z.int().describe('When counting began, in milliseconds since 1970.'),
  connections: z.array(SavedCounts.extend({ connectionId: ConnectionId })),
})
type SavedStatistics = z.infer<typeof SavedStatistics>

const saveEveryMs = 60_000

/**
 * Keeps the statistics in a document. If it cannot be used, counting begins again.
 *
 * @param onProblem receives the reason why an existing document cannot be used.
 * @param onError receives what a listener throws.
 */
export function createStatisticsStore(
  document: StoredDocument,
  onProblem: (notice: string) => void,
  onError: (error: unknown) => void,
): StatisticsStore {
  /** The counts of each node that has saved. */
  const nodes = new Map<string, NodeCounts>()
  const saves = createBus<{ readonly node: string; readonly changed: Iterable<string> }>(onError)
  let isLoaded = false

  /** Returns the counts of a connection, of all nodes but one. */
  function countsOf(connectionId: string, except: string | null): SavedCounts | null {
    let merged: SavedCounts | null = null
    for (const [name, node] of nodes) {
      const counts = name === except ? null : node.countsOf(connectionId)
      if (counts !== null) merged = merged === null ? counts : mergeCounts(merged, counts)
    }
    return merged
  }

  function content(): SavedStatistics {
    const all = [...nodes.values()]
    const ids = new Set(all.flatMap(node => [...node.connectionIds()]))
    return {
      version: 1,
      since: Math.min(...all.map(node => node.since())),
      connections: Array.from(ids).flatMap(connectionId => {
        const counts = countsOf(connectionId, null)
        return counts === null ? [] : [{ connectionId, ...counts }]
      }),
    }
  }

  return {
    restAfter: () => saveEveryMs,
    async load() {
      const saved = isLoaded ? null : await read(document, onProblem)
      isLoaded = true
      return saved ?? { since: null, connections: new Map() }
    },
    async save(node, counts, changed) {
      nodes.set(node, counts)
      saves.publish({ node, changed })
      try {
        await document.write(content())
      } catch (cause) {
        const where = `The statistics could not be written to ${document.location}`
        throw new Error(`${where}: ${messageOf(cause)}`, { cause })
      }
    },
    follow(node, listener) {
      const tell = (ids: Iterable<string>) =>
        listener(new Map(Array.from(ids, id => [id, countsOf(id, node)])))
      for (const [name, { connectionIds }] of nodes) if (name !== node) tell(connectionIds())
      return saves.subscribe(saved => {
        if (saved.node !== node) tell(saved.changed)
      })
    },
  }
}

async function read(
  document: StoredDocument,
  onProblem: (notice: string) => void,
): Promise<LoadedCounts | null> {
  const refuse = (reason: string) => {
    onProblem(`The statistics were reset, because ${document.location} cannot be used: ${reason}`)
    return null
  }
  try {
    const saved = await document.read()
    if (saved === null) return null
    const { data, error } = SavedStatistics.safeParse(saved)
    if (data === undefined) return refuse(describeProblems(error))
    const connections = new Map(data.connections.map(({ connectionId, ...counts }) => [connectionId, counts]))
    return { since: data.since, connections }
  } catch (error) {
    return refuse(messageOf(error))
  }
}
