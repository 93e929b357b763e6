import { messageOf } from '#main/lib/file-system.ts'
import { sequenceOfTime } from '#main/lib/sequence.ts'
import { minuteMs } from '#shared/durations.ts'
import type { LeftServer, Row } from './connect.ts'
import type { Pool } from './pool.ts'

/** Milliseconds after which all nodes have left the server, too. */
const askAfterMs = 15_000
/** How far back the former primary is searched for what it has accepted alone: longer than nodes use it. */
const searchMs = 10 * minuteMs
/** How many of its newest events are compared. */
const mostCompared = 10_000

type Parts = {
  /** The server that has taken over. */
  readonly pool: Pick<Pool, 'query'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Receives what an operator should know, in words. */
  readonly tell: (text: string) => void
  readonly after?: (ms: number, callback: () => void) => () => void
}

/**
 * Returns `left`, for a server that was left because another one was promoted: a while later and in the background, it counts
 * the events that only the former one has, and says how many there are, or that it cannot be known.
 */
export function createLeftBehind({ pool, clock, tell, after = later }: Parts) {
  const waiting = new Set<() => void>()

  async function report(server: LeftServer, leftAt: number): Promise<void> {
    const from = sequenceOfTime(leftAt - searchMs)
    try {
      const accepted = await server.query(acceptedSince, [from, mostCompared])
      tell(wordsFor(server, accepted.length, await missingOf(accepted)))
    } catch (error) {
      tell(
        `It cannot be known whether the former primary ${server.host} has accepted events that ${server.next} does not have (${messageOf(error)}). Keep its data: they would only be there.`,
      )
    }
  }

  async function missingOf(
    accepted: readonly Row[],
  ): Promise<{ readonly events: number; readonly since: number }> {
    const column = (name: string) => accepted.map(row => row[name])
    const [row] = await pool.query(missing, [column('number'), column('key'), column('at')])
    return { events: Number(row?.events), since: Number(row?.since) }
  }

  return {
    left(server: LeftServer): void {
      const leftAt = clock()
      const cancel = after(askAfterMs, () => {
        waiting.delete(cancel)
        void report(server, leftAt)
      })
      waiting.add(cancel)
    },
    close(): void {
      for (const cancel of waiting) cancel()
    },
  }
}

function wordsFor(
  { host, next }: LeftServer,
  compared: number,
  { events, since }: { readonly events: number; readonly since: number },
): string {
  if (events === 0) return `The former primary ${host} has accepted no events that ${next} does not have.`
  const count = events === compared && compared === mostCompared ? `at least ${events}` : events
  return `The former primary ${host} has accepted ${count} events since ${new Date(since).toISOString()} that ${next} does not have. Their senders were told 200, or repeat them. Keep its data: they are only there.`
}

function later(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms).unref()
  return () => clearTimeout(timer)
}

/**
 * The numbers of the newest events from $1 on, up to $2, with their connections. An event that is not stored is known by
 * the runs that it has started.
 */
const acceptedSince = {
  text: `SELECT number, min(key) AS key, min(at) AS at FROM (
      (SELECT seq AS number, key, received_at AS at FROM event JOIN connection ON id = connection
        WHERE seq >= $1 ORDER BY seq DESC LIMIT $2)
      UNION ALL
      (SELECT event, NULL, queued_at FROM run WHERE id >= $1 AND event >= $1 ORDER BY id DESC LIMIT $2)
      UNION ALL
      (SELECT event, NULL, queued_at FROM fan_out WHERE id >= $1 AND event >= $1 ORDER BY id DESC LIMIT $2)) AS a
    GROUP BY number ORDER BY number DESC LIMIT $2`,
}
/** The runs in a table that event `number` has started: most have ids a little above it. */
const startedBy = (table: string) => `
  (SELECT FROM ${table} WHERE event = number AND id BETWEEN number AND number + 16383 LIMIT 1) UNION ALL
  (SELECT FROM ${table} WHERE event = number AND id NOT BETWEEN event AND event + 16383 LIMIT 1)`
/** How many of the events $1 of the connections $2 were never here. Those that are hidden may be deleted. */
const missing = {
  text: `SELECT count(*) AS events, min(at) AS since FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS u(number, key, at)
    WHERE NOT EXISTS (SELECT FROM event WHERE seq = number)
      AND NOT EXISTS (SELECT FROM connection AS c WHERE c.key = u.key AND hidden_up_to >= number)
      AND NOT EXISTS (${startedBy('run')}) AND NOT EXISTS (${startedBy('fan_out')})`,
}
