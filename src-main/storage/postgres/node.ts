import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '#shared/errors.ts'
import { serverNow } from './housekeeping.ts'
import { slots } from './ids.ts'
import { createLooks } from './looks.ts'
import type { Pool } from './pool.ts'

const heartbeatMs = 1000
/** A node that was not seen for so long has ended: its slot is free. */
const goneAfterMs = 30_000
/** A measurement that took longer says little about the difference between the clocks. */
const exactMs = 50
/** A node that was not seen for so long, or does not know how the configuration is, does nothing. Others do not wait for it. */
export const silentAfterMs = 4000
/** Milliseconds for which a change waits for the others, and between two looks at them: the second one is longer. */
const mostWaitMs = 5000
const lookAfterMs = [1, 2, 4, 8, 16, 32]

/** This process among those that share a database. */
export type Node = {
  /** Returns what is unique among the nodes that live. It changes when others have believed that this one has ended. */
  slot(): number
  /** Returns the database's time, in milliseconds since 1970. */
  clock(): number
  /** Milliseconds since the database has last confirmed this node. */
  silentMs(): number
  /** Tells the others that this node has applied a version of the configuration. */
  hasApplied(version: number): void
  /** Resolves when all nodes that live have applied a version of the configuration, or after a few seconds. */
  allHaveApplied(version: number): Promise<void>
  leave(): Promise<void>
}

/**
 * Joins the nodes on a database, and tells it each second that this one lives.
 *
 * @param name unique, and new at each start.
 * @throws ServiceError `storage_unavailable`, also if all slots are taken.
 */
export async function joinNodes(pool: Pool, name: string, clock: () => number): Promise<Node> {
  let offset = 0
  let seenAt = performance.now()

  /** Sends a statement that returns the server's time. Returns its row, if there is one. */
  async function ask(
    statement: { readonly name: string; readonly text: string },
    values: readonly unknown[],
  ) {
    const before = performance.now()
    const [row] = await pool.query(statement, values)
    const took = performance.now() - before
    if (row === undefined) return null
    if (took <= exactMs || offset === 0) offset = Number(row.now) - took / 2 - clock()
    seenAt = before
    return row
  }

  let slot = -1
  let applied = 0

  /** Takes a slot. Returns whether one was free. */
  async function takeSlot(): Promise<boolean> {
    const joined = await ask(join, [name, slots, goneAfterMs])
    if (joined !== null) slot = Number(joined.slot)
    return joined !== null
  }

  if (!(await takeSlot()))
    throw new ServiceError('storage_unavailable', {
      detail: `${slots} other services use this database, which is the limit.`,
    })
  const beatNow = createLooks(async () => {
    if ((await ask(beat, [slot, name, applied])) !== null) return
    // Another node has its slot: it must do nothing until it has one of its own.
    seenAt = Number.NEGATIVE_INFINITY
    if (await takeSlot()) await ask(beat, [slot, name, applied])
  })
  const timer = setInterval(beatNow, heartbeatMs).unref()
  return {
    slot: () => slot,
    clock: () => Math.round(clock() + offset),
    silentMs: () => performance.now() - seenAt,
    hasApplied(version) {
      applied = version
      beatNow()
    },
    async allHaveApplied(version) {
      const until = performance.now() + mostWaitMs
      for (let look = 0; performance.now() < until; look++) {
        const behind = await pool.query(behindOthers, [slot, version, silentAfterMs])
        if (behind.length === 0) return
        await delay(lookAfterMs[look] ?? lookAfterMs.at(-1))
      }
    },
    async leave() {
      clearInterval(timer)
      // Without the database, others see in a while that this one has ended.
      await pool.query('DELETE FROM node WHERE slot = $1 AND name = $2', [slot, name]).catch(() => {})
    },
  }
}

/** Keeps other nodes from joining until the transaction ends. */
export const joinLock = 'SELECT pg_advisory_xact_lock(7236304)'
/** Returns a row if a node has been there a short time ago. */
export const livingNodes = `SELECT FROM node WHERE seen_at > ${serverNow} - ${goneAfterMs} LIMIT 1`

/** Takes the first slot that is free. Of two nodes that take the same, one waits for the other, and takes the next. */
const join = {
  name: 'join_nodes',
  text: `WITH l AS MATERIALIZED (${joinLock}),
    free AS (SELECT s.slot FROM l, generate_series(0, $2::int - 1) AS s(slot)
      WHERE NOT EXISTS (SELECT FROM node WHERE node.slot = s.slot AND seen_at > ${serverNow} - $3::bigint) ORDER BY s.slot LIMIT 1)
    INSERT INTO node AS n (slot, name, seen_at, config_version) SELECT slot, $1, ${serverNow}, 0 FROM free
    ON CONFLICT (slot) DO UPDATE SET name = excluded.name, seen_at = excluded.seen_at, config_version = 0
      WHERE n.seen_at <= ${serverNow} - $3::bigint
    RETURNING slot, seen_at AS now`,
}
const beat = {
  name: 'beat',
  text: `UPDATE node SET seen_at = ${serverNow}, config_version = $3 WHERE slot = $1 AND name = $2 RETURNING ${serverNow} AS now`,
}
const behindOthers = {
  name: 'nodes_behind',
  text: `SELECT slot FROM node WHERE slot <> $1 AND config_version < $2 AND seen_at > ${serverNow} - $3::bigint LIMIT 1`,
}
