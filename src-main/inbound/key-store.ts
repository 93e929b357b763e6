import type { FetchedKey, KeySource, KnownKeys } from '#main/signing/fetched-keys.ts'
import { minuteMs } from '#shared/durations.ts'
import { readKeys } from './read-keys.ts'

/** Addresses whose keys are kept. */
const maxEntries = 1000
const maxRunning = 8
/**
 * Certificates of one site that are fetched in a minute: a message, which nobody has verified, names their addresses. Of a
 * site, because `*` in a pattern allows hosts without number.
 */
const maxPerSite = 10

/** Fetches the text of an address, with how long it may be kept. */
export type KeyFetcher = {
  /** @param follows whether redirects are followed. */
  readonly fetch: (
    url: string,
    follows: boolean,
  ) => Promise<{ readonly bytes: Buffer; readonly maxAgeMs: number }>
  /** Cancels running fetches. */
  readonly close: () => unknown
}

type Entry = {
  keys: readonly FetchedKey[] | null
  /** Until when the keys may be used without another look, in ms since 1970. */
  freshUntil: number
  /** When they were last asked for. */
  triedAt: number
  running: Promise<void> | null
}

/** Returns the last two labels of the host of an address. */
const siteOf = ({ url }: KeySource) => new URL(url).hostname.split('.').slice(-2).join('.')

export type KeyStore = ReturnType<typeof createKeyStore>

/**
 * Keeps public keys that were fetched, as long as their address says, and longer while it is away. Fetches each address at
 * most once a minute.
 */
export function createKeyStore(parts: {
  fetch: KeyFetcher['fetch']
  /** Milliseconds since 1970. */
  clock: () => number
  /** Called if an address has no keys. */
  onProblem?: (error: unknown, message: string) => void
}) {
  const { fetch, clock, onProblem = () => {} } = parts
  const entries = new Map<string, Entry>()
  /** Fetches of certificates in the current minute, by site. */
  const sites = new Map<string, number>()
  let minute = 0
  let running = 0

  const keyOf = ({ url, as }: KeySource) => `${as} ${url}`

  function countOf(site: string): number {
    const now = Math.floor(clock() / minuteMs)
    if (now !== minute) sites.clear()
    minute = now
    return sites.get(site) ?? 0
  }

  function mayFetch(source: KeySource, entry: Entry | undefined): boolean {
    if (entry !== undefined && entry.running !== null) return true
    if (entry !== undefined && Math.abs(clock() - entry.triedAt) < minuteMs) return false
    return source.as === 'keys' || countOf(siteOf(source)) < maxPerSite
  }

  /** Makes room: certificates without keys go first, then other certificates, then the oldest. */
  function makeRoom(): void {
    if (entries.size < maxEntries) return
    const idle = [...entries].filter(([, entry]) => entry.running === null)
    const isCertificate = (key: string) => key.startsWith('certificate')
    const [gone] =
      idle.find(([key, { keys }]) => isCertificate(key) && keys === null) ??
      idle.find(([key]) => isCertificate(key)) ??
      idle[0] ??
      []
    if (gone !== undefined) entries.delete(gone)
  }

  async function load(source: KeySource, entry: Entry): Promise<void> {
    try {
      const { bytes, maxAgeMs } = await fetch(source.url, source.as === 'keys')
      entry.keys = readKeys(bytes, source.as)
      entry.freshUntil = clock() + maxAgeMs
    } catch (error) {
      onProblem(error, `The public keys of a sender could not be fetched from ${new URL(source.url).host}`)
    } finally {
      entry.running = null
      running--
    }
  }

  return {
    /** Returns the keys of an address that are known now. Fetches nothing. */
    known(source: KeySource): KnownKeys {
      const entry = entries.get(keyOf(source))
      return {
        keys: entry?.keys ?? null,
        isFresh: entry !== undefined && clock() < entry.freshUntil,
        mayFetch: mayFetch(source, entry),
      }
    },
    /** Fetches the keys of an address unless it was asked within the last minute. Requests at the same time share one fetch. */
    async refresh(source: KeySource): Promise<void> {
      const key = keyOf(source)
      const known = entries.get(key)
      if (known !== undefined && known.running !== null) return known.running
      if (running >= maxRunning || !mayFetch(source, known)) return
      const entry = known ?? { keys: null, freshUntil: 0, triedAt: 0, running: null }
      if (known === undefined) makeRoom()
      entries.set(key, entry)
      entry.triedAt = clock()
      if (source.as === 'certificate') {
        const site = siteOf(source)
        sites.set(site, countOf(site) + 1)
      }
      running++
      entry.running = load(source, entry)
      await entry.running
    },
  }
}
