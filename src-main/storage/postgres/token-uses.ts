import { minuteMs } from '#shared/durations.ts'
import type { TokenUses } from '../token-uses.ts'
import type { Pool } from './pool.ts'

/** A use is written if the one that was written is this much older. */
const writeEvery = 10 * minuteMs

/** The uses of tokens. Each node knows its own, and writes some of them. */
export function createTokenUses(pool: Pool): TokenUses & { flush(): Promise<void> } {
  const own = new Map<string, number>()
  const written = new Map<string, number>()
  const toWrite = new Set<string>()
  let writing: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    const tokens = [...toWrite]
    toWrite.clear()
    const times = tokens.map(token => own.get(token) ?? 0)
    try {
      await pool.query(write, [tokens, times])
    } catch {
      // The next use is written instead.
      for (const token of tokens) written.delete(token)
    }
    writing = null
    if (toWrite.size > 0) writing = writeAll()
  }

  return {
    used(tokenId, at) {
      own.set(tokenId, Math.max(at, own.get(tokenId) ?? 0))
      if (at < (written.get(tokenId) ?? Number.NEGATIVE_INFINITY) + writeEvery) return
      written.set(tokenId, at)
      toWrite.add(tokenId)
      writing ??= writeAll()
    },
    async all() {
      const rows = await pool.query({ name: 'token_uses', text: 'SELECT token, at FROM token_use' })
      const uses = new Map(rows.map(({ token, at }) => [String(token), Number(at)]))
      for (const [token, at] of own) uses.set(token, Math.max(at, uses.get(token) ?? 0))
      return uses
    },
    async flush() {
      while (writing !== null) await writing
    },
  }
}

const write = {
  name: 'write_token_uses',
  text: `INSERT INTO token_use AS t (token, at) SELECT * FROM unnest($1::text[], $2::bigint[]) AS u(token, at) ORDER BY token
    ON CONFLICT (token) DO UPDATE SET at = greatest(t.at, excluded.at)`,
}
