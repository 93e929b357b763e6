import { sequenceOfTime } from '#main/lib/sequence.ts'
import { searchable } from '../normalize-for-search.ts'
import { type Connection, type Row, type Statement, sqlStateOf } from './connect.ts'
import type { Pool } from './pool.ts'
import { fromStored } from './stored-text.ts'

/** Milliseconds between two polls for what can be added, and after a failure. */
const pollEvery = 2000
const retryAfter = 30_000
/** An event is added once it is so old: until then, another node may store one with a smaller number. */
const settledMs = 60_000
/** As long as there are fewer events, all are checked. */
const worthIndexing = 2000
/** Rows that one step adds at most, and bytes of their bodies: longer ones would delay all else. */
const stepRows = 128
const stepBytes = 128 * 1024
/** A step is followed by a rest of so many times as long. */
const restAfterStep = 3
/** Milliseconds for a look-up. A text that so many events have that it takes longer is found soon by checking all. */
const lookUpMs = 100

/** The server only has trigrams of letters and digits; without any, it would check all rows. */
const indexed = /[\p{L}\p{N}]{3}/u
const noLikes = /[\\%_]/g

/** Returns the pattern of a look-up of a normalized text; null if the index cannot find it. */
export function patternOf(text: string): string | null {
  // Half a character would not be found in a whole one.
  if (!text.isWellFormed() || !indexed.test(text)) return null
  return `%${indexable(text).replace(noLikes, '\\$&')}%`
}

/** Returns a text as the index has it: a text that has another one still does, but it may also have others. */
const indexable = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

/** Runs a statement that uses the index. Returns null if it takes too long. */
export function lookUp(pool: Pool, statement: Statement, values: readonly unknown[]): Promise<Row[] | null> {
  return pool
    .transaction(async connection => {
      await connection.query(`SET LOCAL statement_timeout = ${lookUpMs}`)
      return connection.query(statement, values)
    })
    .catch(error => {
      if (sqlStateOf(error) === canceled) return null
      throw error
    })
}

const canceled = '57014'

/**
 * Adds the texts of stored events to the index, the oldest first, behind the commits. One node does it at a time. Without
 * the extension pg_trgm, nothing is added, and searches check all events.
 */
export class TextIndex {
  readonly #pool
  readonly #clock
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | null = null
  #isClosed = false

  constructor(pool: Pool, clock: () => number, onError: (error: unknown) => void) {
    this.#pool = pool
    this.#clock = clock
    const later = (ms: number) => {
      if (this.#isClosed) return
      this.#timer = setTimeout(() => {
        const begun = performance.now()
        this.#working = this.step().then(
          isDone => later(isDone ? pollEvery : restAfterStep * (performance.now() - begun)),
          error => {
            if (!this.#isClosed) onError(error)
            // The next start tries again.
            if (!isLacking(error)) later(retryAfter)
          },
        )
      }, ms).unref()
    }
    later(pollEvery)
  }

  /** Adds some events. Returns whether there are no more. @param least events for which an index is created. */
  step(least = worthIndexing): Promise<boolean> {
    return this.#pool.transaction(async connection => {
      const [locked] = await connection.query(lock)
      if (locked?.is_mine !== true) return true
      const [state] = await connection.query('SELECT indexed_up_to FROM event_log')
      const after = Number(state?.indexed_up_to)
      const until = sequenceOfTime(this.#clock() - settledMs)
      if (after < 0 && !(await create(connection, until, least))) return true
      const rows = await connection.query(next, [after, until, stepRows, stepBytes])
      const last = rows.at(-1)
      if (last === undefined) return true
      const texts = rows.map(({ body }) => indexable(searchable(fromStored(String(body)))))
      await connection.query(add, [rows.map(({ seq }) => seq), texts])
      await connection.query(note, [last.seq])
      return false
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#working
  }
}

/** Creates the index if there are enough events. Returns whether it exists. */
async function create(connection: Connection, until: number, least: number): Promise<boolean> {
  if ((await connection.query(many, [until, least])).length === 0) return false
  await connection.query(createIndex)
  return true
}

/** Whether the server does not have the extension, or does not let this user create it. */
function isLacking(error: unknown): boolean {
  return ['0A000', '42501', '42704', '58P01'].includes(sqlStateOf(error) ?? '')
}

const lock = 'SELECT pg_try_advisory_xact_lock(7236305) AS is_mine'
const many = {
  name: 'many_events',
  text: 'SELECT FROM event WHERE seq < $1 ORDER BY seq OFFSET $2 LIMIT 1',
}
/** The list of what is to be merged into the index is read by each search, so it is kept short. */
const createIndex = `CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX IF NOT EXISTS event_text_trigrams ON event_text USING gin (text gin_trgm_ops) WITH (gin_pending_list_limit = 1024)`
const next = {
  name: 'next_texts',
  text: `SELECT seq, body FROM (SELECT seq, body, sum(octet_length(body)) OVER (ORDER BY seq) - octet_length(body) AS before
      FROM (SELECT seq, body FROM event WHERE seq > $1 AND seq < $2 ORDER BY seq LIMIT $3) AS e) AS s
    WHERE before < $4::bigint ORDER BY seq`,
}
/** An event that is deleted meanwhile is left out, or its text is deleted with it. */
const add = {
  name: 'add_texts',
  text: `INSERT INTO event_text SELECT u.seq, u.text FROM unnest($1::bigint[], $2::text[]) AS u(seq, text)
    JOIN event ON event.seq = u.seq FOR KEY SHARE OF event`,
}
const note = { name: 'note_texts', text: 'UPDATE event_log SET indexed_up_to = $1' }
