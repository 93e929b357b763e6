import { mostOnce, type OnceStore } from '../once-store.ts'
import type { Pool } from './pool.ts'
import { fromStored, toStored } from './stored-text.ts'

/** Texts that can be taken once, in a table that a crash of the database empties. */
export function createOnceStore(pool: Pool, clock: () => number): OnceStore {
  return {
    async put(kind, key, text, lifeMs) {
      const now = clock()
      await pool.transaction(async connection => {
        await connection.query(put, [toStored(kind), toStored(key), toStored(text), now + lifeMs])
        await connection.query(tidy, [toStored(kind), mostOnce, now])
      })
    },
    async take(kind, key) {
      const [row] = await pool.query(take, [toStored(kind), toStored(key), clock()])
      return row?.is_in_time === true ? fromStored(String(row.text)) : null
    },
  }
}

const put = {
  name: 'put_once',
  text: `INSERT INTO once (kind, key, text, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (kind, key) DO UPDATE
      SET text = excluded.text, expires_at = excluded.expires_at, place = nextval('once_place')`,
}
const tidy = {
  name: 'tidy_once',
  text: `DELETE FROM once WHERE expires_at <= $3
    OR (kind = $1 AND key IN (SELECT key FROM once WHERE kind = $1 ORDER BY place DESC OFFSET $2))`,
}
const take = {
  name: 'take_once',
  text: 'DELETE FROM once WHERE kind = $1 AND key = $2 RETURNING text, expires_at > $3 AS is_in_time',
}
