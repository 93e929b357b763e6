import type { Health } from '#shared/contract/health.ts'
import type { UnreadyReason } from '#shared/model/readiness.ts'
import type { Storage } from './storage/storage.ts'

type ReadinessParts = {
  readonly storage: Pick<Storage, 'config' | 'events' | 'outage'>
  /** Returns whether the inbound listener listens. */
  readonly isListening: () => boolean
  readonly version: string
}

/** Tells load balancers and operators whether a service takes events. */
export type Readiness = ReturnType<typeof createReadiness>

export function createReadiness({ storage, isListening, version }: ReadinessParts) {
  const { config, events, outage } = storage
  let isStopping = false

  /** Returns why a load balancer should send nothing to this process; null if it may. */
  function unready(): UnreadyReason | null {
    if (isStopping) return 'stopping'
    return isListening() ? outage() : 'listener'
  }

  async function refusedNow(): Promise<Health['refused']> {
    if (!isListening()) return 'all'
    if (outage() !== null || !(await events.isWritable())) return 'stored'
    return (await events.isWritable(config.snapshot().settings.maxBodyBytes)) ? undefined : 'large'
  }

  return {
    unready,
    /** Returns whether the service can accept and store every event now, and which it refuses. */
    async health(): Promise<Health> {
      const refused = await refusedNow()
      const reason = unready()
      return { ok: refused === undefined, version, ...(refused && { refused }), ...(reason && { reason }) }
    },
    /** Makes `unready` say that the service is stopping. */
    stopping() {
      isStopping = true
    },
  }
}
