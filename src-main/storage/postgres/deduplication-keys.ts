import { keepEachNew } from '../rows/deduplication-keys.ts'
import { holderOf, type LeftOut, type NewKey } from '../rows/run-rows.ts'
import type { Connection } from './connect.ts'

type Kept = { scope: string; until: number; run: number | null; isNew: boolean }

/**
 * Keeps the keys of a batch, in its transaction. Returns what the batch must leave out, because a key is kept already;
 * null for nothing. Other transactions with one of the keys wait for this one.
 */
export async function keepNewKeys(connection: Connection, keys: readonly NewKey[]): Promise<LeftOut | null> {
  const scopes = new Map(keys.map(({ digest, scope }) => [digest, scope]))
  // In one order, so that two transactions do not wait for each other.
  const digests = [...scopes.keys()].sort()
  const rows = await connection.query(locked, [digests, digests.map(digest => scopes.get(digest) ?? '')])
  const kept = new Map<unknown, Kept>(
    rows.map(({ digest, expires_at: until, run }) => [
      digest,
      { scope: '', until: Number(until), run: run === null ? null : Number(run), isNew: false },
    ]),
  )
  const leftOut = keepEachNew(keys, key => {
    const { scope, digest, from, until } = key
    const known = kept.get(digest)
    if (known !== undefined && known.until > from) return known.run ?? 0
    kept.set(digest, { scope, until, run: holderOf(key), isNew: true })
    return null
  })
  const changed = [...kept].filter(([, { isNew }]) => isNew)
  const column = (of: (kept: Kept) => unknown) => changed.map(([, one]) => of(one))
  await connection.query(keep, [
    changed.map(([digest]) => digest),
    column(k => k.scope),
    column(k => k.until),
    column(k => k.run),
  ])
  return leftOut
}

/** Locks the keys. One that nobody has is stored as one that has expired. */
const locked = {
  name: 'lock_keys',
  text: `INSERT INTO kept_key (digest, scope, expires_at) SELECT u.*, -1 FROM unnest($1::text[], $2::text[]) AS u
    ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest RETURNING digest, expires_at, run`,
}
const keep = {
  name: 'keep_keys',
  text: `UPDATE kept_key SET scope = u.scope, expires_at = u.until, run = u.run
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS u(digest, scope, until, run)
    WHERE kept_key.digest = u.digest`,
}
