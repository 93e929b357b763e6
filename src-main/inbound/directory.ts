import { type VerificationKey, verificationKeysOf } from '#main/signing/verify.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'

/** A connection prepared for the listener, so that a request only looks things up. */
export type InboundConnection = {
  readonly record: ConnectionRecord
  /** Accepted keys: of the current secret, and of earlier secrets within their grace periods. */
  readonly keys: readonly VerificationKey[]
  /** Names of the declared event types. */
  readonly declared: ReadonlySet<string>
}

export type Directory = ReturnType<typeof createDirectory>

/** Follows the configuration. Unchanged connections keep their prepared keys. */
export function createDirectory(store: ConfigStore) {
  let byToken = new Map<string, InboundConnection>()
  let byId = new Map<string, InboundConnection>()

  function rebuild(): void {
    const previous = byId
    byToken = new Map()
    byId = new Map()
    for (const record of store.snapshot().connections.values()) {
      const known = previous.get(record.connectionId)
      const connection = known?.record === record ? known : prepare(record)
      byId.set(record.connectionId, connection)
      if (record.inboundToken !== '') byToken.set(record.inboundToken, connection)
    }
  }

  rebuild()
  return {
    /** Looks up a token by hash. A wrong token is never compared with a right one character by character. */
    byToken: (token: string) => byToken.get(token),
    byId: (connectionId: string) => byId.get(connectionId),
    all: () => byId.values(),
    /** Stops following the configuration. */
    stop: store.onChange(rebuild),
  }
}

function prepare(record: ConnectionRecord): InboundConnection {
  return {
    record,
    keys: verificationKeysOf(record),
    declared: new Set(record.eventTypes.map(type => type.eventName)),
  }
}
