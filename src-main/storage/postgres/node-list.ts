import { z } from 'zod'
import type { NodeList, NodeState, ServiceNode } from '#shared/model/nodes.ts'
import type { Row } from './connect.ts'

/** A node that was not seen for so long has ended: its slot is free. */
export const goneAfterMs = 30_000
/** A node that was not seen for so long, or does not know how the configuration is, does nothing. Others do not wait for it. */
export const silentAfterMs = 4000

/** Keeps other nodes from joining until the transaction ends. */
export const joinLock = 'SELECT pg_advisory_xact_lock(7236304)'

/** The facts that a node writes about itself with each heartbeat. */
const NodeFacts = z.object({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  /** Equal for equal admin tokens, and useless without the key of the data; null of an older program. */
  adminTokenMark: z.string().nullable().default(null),
  /** The number of its program (migrate.ts); 0 of one before those that tell it. */
  program: z.int().default(0),
  startedAt: z.int(),
  state: z.enum(['ready', 'unready', 'draining']),
  runsUnderWay: z.int().nullable(),
  eventsPerSecond: z.number().nullable(),
  clockOffsetMs: z.int(),
  databaseMs: z.number(),
  /** An older program does not tell these two. */
  disk: z.object({ free: z.number(), size: z.number() }).nullable().default(null),
  certificateEndsAt: z.iso.datetime().nullable().default(null),
})
export type NodeFacts = z.infer<typeof NodeFacts>

type OwnFacts = Pick<NodeFacts, 'id' | 'adminTokenMark'>

/**
 * Returns the nodes to show, from their rows.
 *
 * @param own those of this node.
 */
export function nodesOf(rows: readonly Row[], own: OwnFacts): NodeList {
  const nodes = rows.flatMap(row => (row.name === null ? [] : nodeOf(row, own)))
  const isBack = (lost: ServiceNode) =>
    nodes.some(other => other !== lost && other.name === lost.name && (other.startedAt ?? '') > lost.seenAt)
  return nodes
    .filter(node => node.state !== 'lost' || !isBack(node))
    .sort(
      (a, b) =>
        (a.name ?? '').localeCompare(b.name ?? '') || (a.startedAt ?? '').localeCompare(b.startedAt ?? ''),
    )
}

function nodeOf(row: Row, { id, adminTokenMark: ownMark }: OwnFacts): ServiceNode {
  const facts = factsOf(row)
  const seenAt = Number(row.seen_at)
  const silentMs = Math.max(0, Number(row.now) - seenAt)
  const mark = facts?.adminTokenMark ?? null
  return {
    ...{ nodeId: String(row.name), slot: Number(row.slot) },
    ...{ name: facts?.name ?? null, version: facts?.version ?? null },
    startedAt: facts === null ? null : momentOf(facts.startedAt),
    ...{ seenAt: momentOf(seenAt), silentMs, state: stateOf(silentMs, facts) },
    configVersion: Number(row.config_version),
    ...{ runsUnderWay: facts?.runsUnderWay ?? null, heldRuns: Number(row.runs) },
    eventsPerSecond: facts?.eventsPerSecond ?? null,
    clockOffsetMs: facts?.clockOffsetMs ?? null,
    databaseMs: facts?.databaseMs ?? null,
    disk: facts?.disk ?? null,
    certificateEndsAt: facts?.certificateEndsAt ?? null,
    hasSameToken: mark === null || ownMark === null ? null : mark === ownMark,
    isThis: row.name === id,
  }
}

function stateOf(silentMs: number, facts: NodeFacts | null): NodeState {
  if (silentMs >= goneAfterMs) return 'lost'
  if (silentMs >= silentAfterMs) return 'silent'
  return facts === null ? 'ready' : facts.state
}

/** Returns what a node tells of itself; null if its program is one that does not. */
export function factsOf({ name, facts }: Row): NodeFacts | null {
  if (typeof facts !== 'string') return null
  const parsed = NodeFacts.safeParse(JSON.parse(facts))
  return parsed.success && parsed.data.id === name ? parsed.data : null
}

const momentOf = (ms: number) => new Date(ms).toISOString()
