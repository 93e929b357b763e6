import type { FetchedKeys } from '#main/signing/fetched-keys.ts'
import { type PreparedSender, prepareSender } from '#main/signing/prepare-sender.ts'
import { endExpired, type VerificationKey, verificationKeysOf } from '#main/signing/verify.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigDiff } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { senderOf } from '#shared/model/sender/sender.ts'
import { type Scheme, schemes } from '#shared/model/sender/templates.ts'
import { type Answer, ownAnswer } from './answers.ts'
import { secretsOf } from './sender-secrets.ts'

/** A connection prepared for the listener, so that a request only looks things up. */
export type InboundConnection = {
  readonly record: ConnectionRecord
  /** Accepted keys of the default scheme: of the current secret, and of earlier secrets within their grace periods. */
  readonly keys: readonly VerificationKey[]
  /** Null for the default scheme, which has a path of its own: it is what most events are signed with. */
  readonly sender: InboundSender | null
  /** When the next replaced secret expires, in ms since 1970; infinity if none does. */
  expiresAt: number
  /** Names of the declared event types. */
  readonly declared: ReadonlySet<string>
}

/** A sender with another scheme. */
export type InboundSender = {
  readonly scheme: Scheme
  readonly prepared: PreparedSender
  /** Returns the URL of a request target as senders know it. */
  readonly urlOf: (target: string) => string
  /** Returns the public keys that are known; by default none. */
  readonly fetchedKeys?: FetchedKeys | undefined
  /** The answer to an accepted event; null, the default, for the usual one. */
  readonly answer?: Answer | null
}

function allKeysOf({ keys, sender }: InboundConnection): VerificationKey[] {
  return [...keys, ...(sender?.prepared.flatMap(template => template.keys) ?? [])]
}

export type Directory = ReturnType<typeof createDirectory>

type DirectoryParts = {
  readonly store: ConfigStore
  /** Returns the base of a connection's inbound URL. */
  readonly baseUrlOf: (record: ConnectionRecord) => string
  /** Returns the public keys that are known; by default none. */
  readonly fetchedKeys?: FetchedKeys | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Called when a request finds a replaced secret expired for the first time. */
  readonly onGraceOver: () => void
}

/** Follows the configuration. A connection is prepared when it is first asked for: most of ten thousand are quiet. */
export function createDirectory({ store, baseUrlOf, fetchedKeys, clock, onGraceOver }: DirectoryParts) {
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
    const known = prepared.get(record) ?? make(record)
    if (known.expiresAt !== Number.POSITIVE_INFINITY && clock() >= known.expiresAt) {
      known.expiresAt = endExpired(allKeysOf(known), clock())
      onGraceOver()
    }
    return known
  }

  function make(record: ConnectionRecord): InboundConnection {
    const declared = new Set(record.eventTypes.map(type => type.eventName))
    const sender = senderOf(record)
    const isDefault = !schemes[sender.scheme].hasOwnSecret
    const connection: InboundConnection = {
      record,
      keys: isDefault ? verificationKeysOf(record) : [],
      sender: isDefault
        ? null
        : {
            scheme: sender.scheme,
            prepared: prepareSender(sender, secretsOf(record, sender)),
            urlOf: target => baseUrlOf(record) + target,
            fetchedKeys,
            answer: ownAnswer(schemes[sender.scheme].answer ?? 'json'),
          },
      expiresAt: Number.POSITIVE_INFINITY,
      declared,
    }
    connection.expiresAt = endExpired(allKeysOf(connection), Number.NEGATIVE_INFINITY)
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
