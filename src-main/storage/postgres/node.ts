import { setTimeout as delay } from 'node:timers/promises'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { dayMs } from '#shared/durations.ts'
import { ServiceError } from '#shared/errors.ts'
import { mostClockDifferenceMs } from '#shared/model/nodes.ts'
import { createCoalescedPoll } from '../coalesced-poll.ts'
import type { NodeReport, NodeStore } from '../nodes.ts'
import type { Row } from './connect.ts'
import { serverNow } from './housekeeping.ts'
import { slots } from './ids.ts'
import { program, requireFitting, storesTogether } from './migrate.ts'
import { goneAfterMs, joinLock, type NodeFacts, nodesOf, silentAfterMs } from './node-list.ts'
import { noteOlderNodes } from './oldest-program.ts'
import type { Pool } from './pool.ts'

const heartbeatMs = 1000
/** A node that was not seen for so long has ended its calls: the leases of its runs have ended. */
const callsEndAfterMs = 10_000
/** Milliseconds after which all others have counted a node that joins: each does it with its next heartbeat. */
const countedAfterMs = 2 * heartbeatMs
/** Milliseconds for which a change waits for the others, and between two polls of them: the second one is longer. */
const mostWaitMs = 5000
const pollAfterMs = [1, 2, 4, 8, 16, 32]

/** This process among those that share a database. */
export type Node = NodeStore & {
  /** Returns what is unique among the nodes that live. It changes when others have believed that this one has ended. */
  slot(): number
  /** Returns the database's time, in milliseconds since 1970. */
  clock(): number
  /** Milliseconds since the database has last confirmed this node. */
  silentMs(): number
  /** Returns why the database has not confirmed this node the last time it was asked; null if it has. */
  failure(): unknown
  /** Tells the others that this node has applied a version of the configuration of a server; of any, by default. */
  hasApplied(version: number, server?: number): void
  /**
   * Returns the version of the configuration that the database knows this node to have applied: by it, or a newer one, this
   * node decides. A change that is answered has fenced off each that is lower than its own. Another server knows nothing yet.
   */
  version(server: number): number
  /** Returns the number of the oldest program that may use a server's database; 0 for a server that was not asked yet. */
  oldestProgram(server: number): number
  /** Resolves when the database knows that this node has applied what it has told last. @throws ServiceError. */
  told(): Promise<void>
  /**
   * Resolves when nothing is accepted any more that was decided by an older version of the configuration: when all nodes
   * have applied this one, or after a few seconds, in which it fences off those that have not.
   *
   * @throws ServiceError `storage_unavailable` if it cannot: some node may then still decide by an older version.
   */
  allHaveApplied(version: number): Promise<void>
  leave(): Promise<void>
}

export type NodeOptions = Pick<NodeFacts, 'id' | 'name' | 'version'> & {
  /** Tells its admin token from others. */
  readonly adminTokenMark?: string | null | undefined
  /** Milliseconds since 1970, by the clock of this computer, which is only compared. */
  readonly clock: () => number
  /** Called when the clock begins to be so much ahead of the database's, or behind if negative, that it should be set. */
  readonly onClockDifference?: ((ms: number) => void) | undefined
  /** Receives why this node is not confirmed any more. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/**
 * Joins the nodes on a database, and tells it each second that this one lives. Once a newer program has removed from the
 * schema what this one uses, this node is not confirmed any more.
 *
 * @param options the id is new at each start.
 * @throws ServiceError `storage_unavailable`, also if all slots are taken; `newer_database`.
 */
export async function joinNodes(pool: Pool, options: NodeOptions): Promise<Node> {
  const { id, name, version, adminTokenMark = null, clock, onError } = options
  /** The time of the database when `performance.now()` is 0, which does not change when somebody sets this computer's clock. */
  let epoch = 0
  let seenAt = Number.NEGATIVE_INFINITY
  let databaseMs = 0
  let slot = -1
  let applied: { readonly version: number; readonly server?: number | undefined } = { version: 0 }
  let told = { version: 0, server: 0 }
  let oldest = { program: 0, server: 0 }
  let living = 1
  let isNew = true
  let countedAt = 0
  let isOff = false
  let isDraining = false
  let hasLeft = false
  let report: () => NodeReport | null = () => null
  const now = () => Math.round(performance.now() + epoch)

  /** Sends a statement that returns the server's time. Returns its row, if there is one. */
  async function ask(send: () => Promise<Row[]>) {
    const before = performance.now()
    const [row] = await send()
    databaseMs = performance.now() - before
    if (row === undefined) return null
    // The server has told its time at some moment since `before`.
    const latest = Number(row.now) - before
    epoch = Math.min(Math.max(epoch, latest - databaseMs), latest)
    return { row, before }
  }

  /** Takes a slot. Returns whether one was free. */
  async function takeSlot(): Promise<boolean> {
    const joined = await pool.transaction(async connection => {
      await connection.query(joinLock)
      if ((await requireFitting(connection)) < storesTogether) await noteOlderNodes(connection)
      return ask(() => connection.query(join, [id, slots, goneAfterMs]))
    })
    if (joined !== null) slot = Number(joined.row.slot)
    told = { version: 0, server: 0 }
    isNew = true
    return joined !== null
  }

  if (!(await takeSlot()))
    throw new ServiceError('storage_unavailable', {
      detail: `${slots} other services use this database, which is the limit.`,
    })
  const startedAt = now()

  /** Returns by how much the clock of this computer is ahead. */
  function clockDifference(): number {
    const ahead = Math.round(clock() - now())
    const wasOff = isOff
    // One that differs by about so much must not be reported again and again.
    isOff = Math.abs(ahead) > (wasOff ? mostClockDifferenceMs / 2 : mostClockDifferenceMs)
    if (isOff && !wasOff) options.onClockDifference?.(ahead)
    return ahead
  }

  /** Returns whether the slot still is this node's. */
  const beatOnce = async () => {
    const own = report()
    const { runsUnderWay = null, eventsPerSecond = null, isReady = false } = own ?? {}
    const facts: NodeFacts = {
      ...{ id, name, version, program, adminTokenMark, startedAt, runsUnderWay, eventsPerSecond },
      state: isDraining ? 'draining' : isReady ? 'ready' : 'unready',
      ...{ disk: own?.disk ?? null, certificateEndsAt: own?.certificateEndsAt ?? null },
      clockOffsetMs: clockDifference(),
      databaseMs: Math.round(databaseMs * 10) / 10,
    }
    let telling = told
    /** Returns the values for a server. Another one may have another history than what was read. */
    function valuesFor(server: number): unknown[] {
      telling = { version: [undefined, server].includes(applied.server) ? applied.version : 0, server }
      return [slot, id, telling.version, JSON.stringify(facts), callsEndAfterMs, program]
    }
    const answer = await ask(() => pool.query(beat, valuesFor))
    // While another node has its slot, it must do nothing until it has one of its own.
    seenAt = answer === null ? Number.NEGATIVE_INFINITY : answer.before
    if (answer !== null) {
      told = telling
      oldest = { program: Number(answer.row.oldest), server: telling.server }
      living = 1 + Number(answer.row.others)
      if (isNew && living > 1) countedAt = performance.now() + countedAfterMs
      isNew = false
    }
    return answer !== null
  }
  const oneByOne = createSerialQueue()
  const beatNow = () =>
    oneByOne(async () => {
      if (hasLeft) return
      if (!(await beatOnce()) && (await takeSlot())) await beatOnce()
    })
  let isTooOld = false
  let failure: unknown = null
  const beatOrTell = async () => {
    try {
      await beatNow()
      failure = null
    } catch (error) {
      failure = error
      if (isTooOld || !(error instanceof ServiceError && error.code === 'newer_database')) return
      isTooOld = true
      onError?.(error)
    }
  }
  await beatNow()
  const beatSoon = createCoalescedPoll(beatOrTell)
  const timer = setInterval(beatSoon, heartbeatMs).unref()
  return {
    id,
    slot: () => slot,
    clock: now,
    silentMs: () => performance.now() - seenAt,
    failure: () => failure,
    // Until the others take less, it takes as little as it can.
    living: () => (performance.now() < countedAt ? slots : living),
    hasApplied(newest, server) {
      applied = { version: newest, server }
      beatSoon()
    },
    version: server => (server === told.server ? told.version : 0),
    oldestProgram: server => (server === oldest.server ? oldest.program : 0),
    told: beatNow,
    async allHaveApplied(newest) {
      const until = performance.now() + mostWaitMs
      for (let poll = 0; performance.now() < until; poll++) {
        const askedAt = performance.now()
        // Without an answer, some may be.
        const behind = await pool.query(nodesBehind, [newest, silentAfterMs]).catch(() => null)
        if (behind?.length === 0) return
        if (behind !== null && !behind.some(row => row.is_waited_for === true)) break
        // It has waited for a lock, and would again.
        if (behind === null && performance.now() > askedAt + mostWaitMs / 2) break
        await delay(pollAfterMs[poll] ?? pollAfterMs.at(-1))
      }
      if ((await pool.query(fence, [newest])).length === 0)
        throw new ServiceError('storage_unavailable', {
          detail: 'Another server of the database has taken over, and has not got the change.',
        })
    },
    async list() {
      await beatNow()
      return nodesOf(await pool.query(list, [dayMs]), { id, adminTokenMark })
    },
    async forget(nodeId) {
      const [row] = await pool.query(forget, [nodeId, goneAfterMs])
      if (row === undefined) throw new ServiceError('node_not_found')
      if (row.is_lost !== true) throw new ServiceError('node_not_lost')
    },
    report(of) {
      report = of
      beatSoon()
    },
    async drain() {
      isDraining = true
      await beatNow().catch(() => {})
    },
    async leave() {
      clearInterval(timer)
      await oneByOne(async () => {
        hasLeft = true
        // Without the database, others see in a while that this one has ended.
        await pool.query(leave, [slot, id]).catch(() => {})
      })
    },
  }
}

/** Returns a row if a node has been there a short time ago. */
export const livingNodes = `SELECT FROM node WHERE seen_at > ${serverNow} - ${goneAfterMs} LIMIT 1`

/** The next change fences: the nodes that `which` selects are not asked any more, and may come back. */
const fenceLater = (which: string) =>
  `later AS (UPDATE config_head SET fences_next = true WHERE EXISTS (${which}))`
/** Takes the slot that is free for the longest time: lost nodes stay listed, and no number of a node is made again. */
const join = {
  name: 'join_nodes',
  text: `WITH free AS (SELECT s.slot FROM generate_series(0, $2::int - 1) AS s(slot) LEFT JOIN node USING (slot)
      WHERE seen_at IS NULL OR seen_at <= ${serverNow} - $3::bigint ORDER BY abs(seen_at) NULLS FIRST, s.slot LIMIT 1),
    ${fenceLater('SELECT FROM node JOIN free USING (slot) WHERE seen_at > 0')}
    INSERT INTO node AS n (slot, name, seen_at, config_version) SELECT slot, $1, ${serverNow}, 0 FROM free
    ON CONFLICT (slot) DO UPDATE SET name = excluded.name, seen_at = excluded.seen_at, config_version = 0
    RETURNING slot, seen_at AS now`,
}
const beat = {
  name: 'beat',
  text: `UPDATE node SET seen_at = ${serverNow}, config_version = greatest(config_version, $3), facts = $4
    WHERE slot = $1 AND name = $2 AND $6::int >= (SELECT oldest_program FROM meta)
    RETURNING ${serverNow} AS now, (SELECT oldest_program FROM meta) AS oldest,
      (SELECT count(*)::int FROM node WHERE slot <> $1 AND seen_at > ${serverNow} - $5::bigint) AS others`,
}
/** The nodes that may decide by an older version than $1, and whether they are waited for. */
const nodesBehind = {
  name: 'nodes_behind',
  text: `SELECT seen_at > ${serverNow} - $2::bigint AS is_waited_for FROM config_head LEFT JOIN node
      ON seen_at > 0 AND config_version < $1 AND (config_version >= fenced OR seen_at > ${serverNow} - $2::bigint)
    WHERE slot IS NOT NULL OR fences_next AND fenced < $1`,
}
const fence = {
  name: 'fence',
  text: `UPDATE config_head SET fenced = greatest(fenced, $1), fences_next = fences_next AND version > $1
    WHERE version >= $1 RETURNING fenced`,
}
const leave = {
  name: 'leave_nodes',
  text: 'UPDATE node SET seen_at = -abs(seen_at) WHERE slot = $1 AND name = $2',
}
const forget = {
  name: 'forget_node',
  text: `WITH lost AS (
      UPDATE node SET seen_at = -seen_at WHERE name = $1 AND seen_at BETWEEN 0 AND ${serverNow} - $2::bigint RETURNING slot),
    ${fenceLater('SELECT FROM lost')}
    SELECT EXISTS (SELECT FROM lost) AS is_lost FROM node WHERE name = $1 AND seen_at >= 0`,
}
const list = {
  name: 'list_nodes',
  text: `SELECT n.slot, n.name, n.seen_at, n.config_version, n.facts, coalesce(r.runs, 0) AS runs, ${serverNow} AS now
    FROM node AS n
    LEFT JOIN (SELECT node, sum(runs)::int AS runs FROM (
        SELECT node, 1 AS runs FROM run WHERE state = 2 AND due_at > 0
        UNION ALL SELECT node, runs - cardinality(gone) FROM fan_out WHERE ended_at IS NULL AND due_at > 0) AS held
      GROUP BY node) AS r ON r.node = n.slot
    WHERE n.seen_at > ${serverNow} - $1::bigint`,
}
