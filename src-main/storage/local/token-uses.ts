import type { Config } from '../config.ts'
import type { ConfigStore } from '../config-store.ts'
import { metricsTokenId, type TokenUses } from '../token-uses.ts'

/** A write of the configuration for every request would take longer than the request. */
const storedEveryMs = 10 * 60 * 1000

/**
 * Keeps the last uses in memory, and in the configuration at most every ten minutes for each token.
 *
 * @param onError called if the configuration cannot be changed.
 */
export function createTokenUses(
  store: Pick<ConfigStore, 'snapshot' | 'update'>,
  onError: (error: unknown) => void,
): TokenUses {
  /** By tokenId; those of this run of the service. */
  const uses = new Map<string, { lastAt: number; storedAt: number }>()

  return {
    used(tokenId, at) {
      const use = uses.get(tokenId) ?? { lastAt: at, storedAt: Number.NEGATIVE_INFINITY }
      use.lastAt = at
      uses.set(tokenId, use)
      if (tokenId === metricsTokenId || at - use.storedAt < storedEveryMs) return
      use.storedAt = at
      for (const known of uses.keys())
        if (known !== metricsTokenId && !store.snapshot().clientTokens.has(known)) uses.delete(known)
      const lastUsedAt = new Date(at).toISOString()
      store
        .update(config => ({ next: withLastUse(config, tokenId, lastUsedAt), result: null }))
        .catch(onError)
    },
    async all() {
      const last = new Map<string, number>()
      const scrape = uses.get(metricsTokenId)
      if (scrape !== undefined) last.set(metricsTokenId, scrape.lastAt)
      for (const { tokenId, lastUsedAt } of store.snapshot().clientTokens.values()) {
        const at = uses.get(tokenId)?.lastAt ?? (lastUsedAt === null ? null : Date.parse(lastUsedAt))
        if (at !== null) last.set(tokenId, at)
      }
      return last
    },
  }
}

function withLastUse(config: Config, tokenId: string, lastUsedAt: string): Config {
  const token = config.clientTokens.get(tokenId)
  if (token === undefined) return config
  return { ...config, clientTokens: new Map(config.clientTokens).set(tokenId, { ...token, lastUsedAt }) }
}
