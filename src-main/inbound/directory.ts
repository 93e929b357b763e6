import { type VerificationKey, verificationKeysOf } from '#main/signing/verify.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigDiff } from '#main/storage/config-diff.ts'
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

/** Follows the configuration. A connection is prepared when it is first asked for: most of ten thousand are quiet. */
export function createDirectory(store: ConfigStore) {
  const connections = () => store.snapshot().connections
  const byToken = new Map<string, ConnectionRecord>()
  const prepared = new WeakMap<ConnectionRecord, InboundConnection>()

  function add(record: ConnectionRecord): void {
    if (record.inboundToken !== '') byToken.set(record.inboundToken, record)
  }

  function follow(diff: ConfigDiff): void {
    // All of them first: one may take over the token of another.
    for (const { before } of diff.connections) if (before !== undefined) byToken.delete(before.inboundToken)
    for (const { after } of diff.connections) if (after !== undefined) add(after)
  }

  function prepare(record: ConnectionRecord | undefined): InboundConnection | undefined {
    if (record === undefined) return undefined
    const known = prepared.get(record)
    if (known !== undefined) return known
    const declared = new Set(record.eventTypes.map(type => type.eventName))
    const connection = { record, keys: verificationKeysOf(record), declared }
    prepared.set(record, connection)
    return connection
  }

  for (const record of connections().values()) add(record)
  return {
    /** Looks up a token by hash. A wrong token is never compared with a right one character by character. */
    byToken: (token: string) => prepare(byToken.get(token)),
    byId: (connectionId: string) => prepare(connections().get(connectionId)),
    /** Returns all connections, in the order of creation. */
    records: () => connections().values(),
    /** Stops following the configuration. */
    stop: store.onChange((_next, _previous, diff) => follow(diff)),
  }
}
