import { timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { Storage } from '#main/storage/storage.ts'
import { metricsTokenId } from '#main/storage/token-uses.ts'
import { ServiceError } from '#shared/errors.ts'
import type { MetricsToken } from '#shared/model/metrics.ts'

type Parts = {
  readonly storage: Pick<Storage, 'config' | 'tokenUses'>
  /** The token that was given at the start, in place of that of the configuration; null for none. */
  readonly given: string | null
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
}

/** The token that reads the metrics and nothing else. */
export type MetricsTokens = ReturnType<typeof createMetricsTokens>

export function createMetricsTokens({ storage: { config, tokenUses }, given, clock, random }: Parts) {
  const givenDigest = given === null ? null : sha256Hex(given)
  const stored = () => config.snapshot().metricsToken

  function requireNoneGiven(): void {
    if (given !== null) throw new ServiceError('metrics_token_given')
  }

  return {
    /** Returns whether this is the token. */
    isRight(token: string): boolean {
      const expected = givenDigest ?? stored()?.digest
      return expected !== undefined && timingSafeEqual(Buffer.from(sha256Hex(token)), Buffer.from(expected))
    },
    /** Notes that somebody has read the metrics. */
    scraped: () => tokenUses.used(metricsTokenId, clock()),
    async shown(): Promise<MetricsToken> {
      const at = (await tokenUses.all()).get(metricsTokenId)
      const lastScrapeAt = at === undefined ? null : new Date(at).toISOString()
      if (given !== null) return { setAt: null, lastScrapeAt, source: 'start' }
      const setAt = stored()?.setAt ?? null
      return { setAt, lastScrapeAt, source: setAt === null ? null : 'settings' }
    },
    /**
     * Creates a token, which replaces the one before at once. Only its digest is stored.
     *
     * @throws ServiceError `metrics_token_given`.
     */
    async create(): Promise<{ readonly token: string }> {
      requireNoneGiven()
      const token = `ccm_${random(32).toString('base64url')}`
      const record = { digest: sha256Hex(token), setAt: new Date(clock()).toISOString() }
      await config.update(before => ({ next: { ...before, metricsToken: record }, result: null }))
      return { token }
    },
    /** Revokes the token. Returns whether there was one. @throws ServiceError `metrics_token_given`. */
    async remove(): Promise<boolean> {
      requireNoneGiven()
      return config.update(before => ({
        next: before.metricsToken === null ? before : { ...before, metricsToken: null },
        result: before.metricsToken !== null,
      }))
    },
  }
}
