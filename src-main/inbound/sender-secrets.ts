import type { DatedSecret } from '#main/signing/prepare-sender.ts'
import type { OtherConnection } from '#main/signing/suspects.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { Sender } from '#shared/model/sender/sender.ts'
import { schemes } from '#shared/model/sender/templates.ts'

/** Returns the secrets that a sender of a connection may sign with: the current one first, empty if none is set. */
export function secretsOf(record: ConnectionRecord, { scheme }: Sender): [DatedSecret, ...DatedSecret[]] {
  const { signingSecret, oldSecrets, senderSecret = '', oldSenderSecrets = [] } = record
  return schemes[scheme].hasOwnSecret
    ? [{ secret: senderSecret, expiresAt: null }, ...oldSenderSecrets]
    : [{ secret: signingSecret, expiresAt: null }, ...oldSecrets]
}

/** Returns what else a sender may have signed with: secrets of the connection itself and of at most `most` others. */
export function otherSecretsOf(
  { connectionId, signingSecret, inboundToken }: ConnectionRecord,
  { scheme }: Sender,
  records: Iterable<ConnectionRecord>,
  most: number,
) {
  const { hasOwnSecret } = schemes[scheme]
  const otherConnections: OtherConnection[] = []
  for (const other of records) {
    if (otherConnections.length >= most) break
    if (other.connectionId === connectionId) continue
    const secret = hasOwnSecret ? (other.senderSecret ?? other.signingSecret) : other.signingSecret
    otherConnections.push({ name: other.name, secret })
  }
  return { inboundToken, otherConnections, ...(hasOwnSecret && { ownSecret: signingSecret }) }
}
