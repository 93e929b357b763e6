import type { ConfigStore } from '#main/storage/config-store.ts'
import type { ClientToken } from '#shared/model/assistant.ts'
import { useClientToken } from './client-tokens.ts'

/** When each token was last used: exact in memory, saved to the configuration at most every 10 minutes. */
export type TokenUses = ReturnType<typeof createTokenUses>

/** A write of the configuration for every request would take longer than the request. */
const storedEveryMs = 10 * 60 * 1000

/** @param clock milliseconds since 1970. */
export function createTokenUses(
  store: Pick<ConfigStore, 'snapshot' | 'update'>,
  clock: () => number,
  onError: (error: unknown) => void,
) {
  /** By tokenId; those of this run of the service. */
  const uses = new Map<string, { lastAt: number; storedAt: number }>()

  return {
    /** Notes that a token is used now. */
    used(tokenId: string) {
      const now = clock()
      const use = uses.get(tokenId) ?? { lastAt: now, storedAt: Number.NEGATIVE_INFINITY }
      use.lastAt = now
      uses.set(tokenId, use)
      if (now - use.storedAt < storedEveryMs) return
      use.storedAt = now
      for (const known of uses.keys()) if (!store.snapshot().clientTokens.has(known)) uses.delete(known)
      store.update(config => useClientToken(config, tokenId, new Date(now).toISOString())).catch(onError)
    },
    /** Returns a token with the time of its last use. */
    withLastUse(token: ClientToken) {
      const use = uses.get(token.tokenId)
      return use === undefined ? token : { ...token, lastUsedAt: new Date(use.lastAt).toISOString() }
    },
  }
}
