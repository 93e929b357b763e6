import { type VerificationKey, verificationKeysOf } from '#main/signing/verify.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'

/** A connection made ready for the listener: what a request needs is looked up, not computed. */
export type InboundConnection = {
  readonly record: ConnectionRecord
  /** Keys that are accepted inbound: the current secret's and, within its grace period, the previous one's. */
  readonly keys: readonly VerificationKey[]
  /** Names of the declared event types. */
  readonly declared: ReadonlySet<string>
}

export type Directory = {
  /**
   * A hash look-up, no scan: tokens of any kind take the same way through it, and a wrong one is never
   * compared with a right one character by character.
   */
  byToken(token: string): InboundConnection | undefined
  byId(connectionId: string): InboundConnection | undefined
  all(): Iterable<InboundConnection>
  /** Stops following the configuration. */
  stop(): void
}

/** Follows the configuration; a connection that a change left alone keeps its prepared keys. */
export function createDirectory(store: ConfigStore): Directory {
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
    byToken: token => byToken.get(token),
    byId: connectionId => byId.get(connectionId),
    all: () => byId.values(),
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
