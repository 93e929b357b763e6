import { z } from 'zod'
import { listRuns } from '../list-runs.ts'
import type { Nodes } from '../nodes.ts'
import { readStored } from '../stored-events.ts'
import type { StoredEvent, StoredRun } from './history.ts'
import type { Opened } from './streams.ts'

const Connections = z.array(z.object({ connectionId: z.string() }))

/** Reads all events and runs that are stored. Connections that belong to no stream are the switched ones. */
export async function readStoredHistory(
  nodes: Nodes,
  opened: Readonly<Record<string, Opened>>,
): Promise<{ readonly events: readonly StoredEvent[]; readonly runs: readonly StoredRun[] }> {
  const all = Object.entries(opened)
  const events: StoredEvent[] = []
  for (const { connectionId } of Connections.parse(await nodes.call('GET', '/connections'))) {
    const stream = all.find(([, one]) => one.connectionId === connectionId)?.[0] ?? 'switched'
    for (const { eventId, data } of await readStored(nodes, connectionId))
      events.push({ eventId, stream, id: data.id })
  }
  const runs = (await listRuns(nodes)).map(({ workflowId, ...run }) => ({
    ...run,
    stream: all.find(([, one]) => one.workflowId === workflowId)?.[0] ?? '',
  }))
  return { events, runs }
}
