import type { DatabaseSync } from 'node:sqlite'
import { firstGroup } from '#main/storage/deduplication-key.ts'
import { keepEachNew } from '../../rows/deduplication-keys.ts'
import { holderOf, type LeftOut, type NewKey } from '../../rows/run-rows.ts'
import { integer, StoredValueError } from '../../rows/stored-text.ts'

/** Maximum number of keys that one step deletes, and of scopes that it looks at. */
const stepKeys = 256
const stepScopes = 64

/** The group of a key alone. Those of earlier versions have 0. */
const alone = firstGroup - 1

/** The keys that only one run or event may have, inside transactions of the log's writer. */
export class DeduplicationKeys {
  readonly #most
  readonly #statements
  /** The number of keys of scopes that had a new one. */
  readonly #counts = new Map<string, number>()
  /** Whether keys of earlier versions are kept. They are also looked for. */
  #hasUngrouped: boolean
  /** The last scope whose expired keys are deleted; null while no scope is being checked. */
  #checkedUpTo: string | null = null

  /** @param most keys of a scope; the first to expire of more are dropped. */
  constructor(database: DatabaseSync, most: number) {
    this.#most = most
    this.#statements = {
      find: database.prepare(
        'SELECT id, run, expires_at FROM kept_keys WHERE grouped IN (?, 0) AND digest = ?',
      ),
      hasUngrouped: database.prepare('SELECT EXISTS (SELECT 1 FROM kept_keys WHERE grouped = 0) AS has'),
      insert: database.prepare(`
        INSERT INTO kept_keys (scope, digest, expires_at, run, grouped) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (grouped, digest) DO NOTHING`),
      replace: database.prepare('UPDATE kept_keys SET expires_at = ?, run = ? WHERE id = ?'),
      count: database.prepare('SELECT count(*) AS keys FROM kept_keys WHERE scope = ?'),
      scopeAfter: database.prepare('SELECT min(scope) AS scope FROM kept_keys WHERE scope > ?'),
      delete: database.prepare(`
        DELETE FROM kept_keys WHERE id IN
          (SELECT id FROM kept_keys WHERE scope = ? AND expires_at <= ? ORDER BY expires_at LIMIT ?)`),
    }
    this.#hasUngrouped = this.#findUngrouped()
  }

  #findUngrouped(): boolean {
    return this.#statements.hasUngrouped.get()?.has === 1
  }

  /** Keeps the new keys of a batch. Returns what it must leave out, because a key is kept already; null for nothing. */
  keep(keys: readonly NewKey[] = []): LeftOut | null {
    return keepEachNew(keys, key => this.#keep(key))
  }

  /** Keeps a key. Returns the run or the event that has it already, 0 if that is not known; null if nothing has. */
  #keep(key: NewKey): number | null {
    const { scope, digest, from, until, group = alone } = key
    const run = holderOf(key)
    const { find, insert, replace } = this.#statements
    // Most keys are new, and then inserting also looks for them.
    let known = this.#hasUngrouped ? find.get(group, digest) : undefined
    if (known === undefined) {
      if (insert.run(scope, digest, until, run, group).changes > 0) {
        this.#added(scope)
        return null
      }
      known = find.get(group, digest)
    }
    if (known === undefined) throw new StoredValueError('A key is only in its index.')
    if (integer(known.expires_at) > from) return known.run === null ? 0 : integer(known.run)
    else replace.run(until, run, integer(known.id))
    return null
  }

  #added(scope: string): void {
    const count = (this.#counts.get(scope) ?? this.#count(scope) - 1) + 1
    this.#counts.set(scope, count)
    if (count > this.#most) this.#delete(scope, Number.MAX_SAFE_INTEGER, count - this.#most)
  }

  #count(scope: string): number {
    return integer(this.#statements.count.get(scope)?.keys)
  }

  /** Deletes the first keys to expire of a scope. Returns how many. */
  #delete(scope: string, expiredBy: number, atMost: number): number {
    const rows = Number(this.#statements.delete.run(scope, expiredBy, atMost).changes)
    const count = this.#counts.get(scope)
    if (count !== undefined) this.#counts.set(scope, count - rows)
    return rows
  }

  /** Deletes some keys of a scope. Returns whether there are more. */
  forget(scope: string): boolean {
    const rows = this.#delete(scope, Number.MAX_SAFE_INTEGER, stepKeys)
    if (rows === stepKeys) return true
    this.#counts.delete(scope)
    return false
  }

  /** Makes the next steps look for expired keys. */
  considerAges(): void {
    this.#checkedUpTo ??= ''
  }

  get hasWork(): boolean {
    return this.#checkedUpTo !== null
  }

  /** Deletes some of the keys that have expired. */
  prune(now: number): void {
    for (let left = stepKeys, scopes = 0; this.#checkedUpTo !== null && left > 0; scopes++) {
      if (scopes === stepScopes) return
      const scope: unknown = this.#statements.scopeAfter.get(this.#checkedUpTo)?.scope
      if (typeof scope !== 'string') {
        this.#checkedUpTo = null
        this.#hasUngrouped &&= this.#findUngrouped()
        return
      }
      const most = left
      left -= this.#delete(scope, now, most)
      if (left > 0) this.#checkedUpTo = scope
    }
  }

  rolledBack(): void {
    this.#counts.clear()
  }
}
