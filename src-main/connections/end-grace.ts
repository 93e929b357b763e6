import type { Config, ConnectionRecord, OldSecret } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'

/** Milliseconds between two polls of the replaced secrets that are still accepted. */
const pollMs = 1000
/** Milliseconds before the next poll after an end that could not be stored. */
const retryMs = 60_000

/**
 * Marks replaced secrets in the configuration once their grace period has ended, so that a clock that is set back
 * later, or a restart, does not bring them back. It polls every second while there are any, and does nothing without.
 * Every node does: the first one changes the configuration.
 */
export function createGraceEnd(parts: {
  readonly store: Pick<ConfigStore, 'snapshot' | 'update' | 'onChange'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Receives why an end could not be stored. */
  readonly onError: (error: unknown) => void
}) {
  const { store, clock, onError } = parts
  /** When the next grace period of a connection ends, by its id. */
  const ends = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function note(connectionId: string, record: ConnectionRecord | undefined): void {
    const endsAt = record === undefined ? Number.POSITIVE_INFINITY : graceEndOf(record)
    if (endsAt === Number.POSITIVE_INFINITY) ends.delete(connectionId)
    else ends.set(connectionId, endsAt)
  }

  function pollLater(ms: number): void {
    clearTimeout(timer)
    timer = isStopped || ends.size === 0 ? undefined : setTimeout(() => void poll(), ms).unref()
  }

  /** Ends what is over. Never rejects. */
  async function poll(): Promise<void> {
    const now = clock()
    const due = [...ends].filter(([, endsAt]) => endsAt <= now).map(([connectionId]) => connectionId)
    try {
      if (due.length > 0)
        await store.update(config => ({ next: withGraceEnded(config, due, now), result: undefined }))
      pollLater(pollMs)
    } catch (error) {
      onError(error)
      pollLater(retryMs)
    }
  }

  for (const [id, record] of store.snapshot().connections) note(id, record)
  const stopFollowing = store.onChange((_next, _previous, { connections }) => {
    const hadNone = ends.size === 0
    for (const { id, after } of connections) note(id, after)
    if (hadNone) pollLater(pollMs)
  })
  pollLater(pollMs)
  return {
    /** Polls now. Resolves when what is over has been stored. Never rejects. */
    poll,
    stop() {
      isStopped = true
      stopFollowing()
      clearTimeout(timer)
    },
  }
}

/** Returns a configuration in which those connections have no secret in grace whose time is over. Pure. */
export function withGraceEnded(config: Config, connectionIds: readonly string[], nowMs: number): Config {
  const connections = new Map(config.connections)
  let isChanged = false
  for (const connectionId of connectionIds) {
    const record = connections.get(connectionId)
    if (record === undefined || graceEndOf(record) > nowMs) continue
    const { oldSecrets, oldSenderSecrets } = record
    connections.set(connectionId, {
      ...record,
      oldSecrets: ended(oldSecrets, nowMs),
      ...(oldSenderSecrets !== undefined && { oldSenderSecrets: ended(oldSenderSecrets, nowMs) }),
    })
    isChanged = true
  }
  return isChanged ? { ...config, connections } : config
}

/** An ended secret stays, with an end in 1970: diagnoses recognize it, and its text is masked. */
function ended(secrets: readonly OldSecret[], nowMs: number): OldSecret[] {
  return secrets.map(old => (old.expiresAt <= nowMs ? { ...old, expiresAt: 0 } : old))
}

/** Returns when the next grace period of a connection ends, in ms since 1970; infinity if there is none. */
function graceEndOf({ oldSecrets, oldSenderSecrets = [] }: ConnectionRecord): number {
  const inGrace = [...oldSecrets, ...oldSenderSecrets].filter(({ expiresAt }) => expiresAt > 0)
  return Math.min(...inGrace.map(({ expiresAt }) => expiresAt))
}
