import type { ConnectionRecord } from '#main/storage/config.ts'
import { senderOf } from '#shared/model/sender/sender.ts'
import { type Scheme, schemes } from '#shared/model/sender/templates.ts'
import type { RandomBytes } from './identifiers.ts'

const challengesOf = (scheme: Scheme) => schemes[scheme].challenges ?? []
const hasToken = (scheme: Scheme) => challengesOf(scheme).some(({ token }) => token !== undefined)
const keepsSecret = (scheme: Scheme) => challengesOf(scheme).some(({ keeps }) => keeps !== undefined)

type Activation = Pick<ConnectionRecord, 'verifyToken' | 'activation'> &
  Partial<Pick<ConnectionRecord, 'senderSecret' | 'oldSenderSecrets'>>

/**
 * Returns what a connection keeps of the questions of its sender when its scheme may have changed: a verify token for a
 * scheme that needs one, and nothing of another scheme, also not the secret that a handshake brought.
 *
 * @param before null for a new connection.
 */
export function activationFor(
  before: ConnectionRecord | null,
  after: Pick<ConnectionRecord, 'sender'>,
  random: RandomBytes,
): Activation {
  const { scheme } = senderOf(after)
  const old = before === null ? null : senderOf(before).scheme
  if (before !== null && old === scheme) return pickActivation(before)
  return {
    verifyToken: hasToken(scheme) ? random(24).toString('base64url') : undefined,
    activation: undefined,
    ...(old !== null &&
      (keepsSecret(old) || keepsSecret(scheme)) && { senderSecret: undefined, oldSenderSecrets: undefined }),
  }
}

const pickActivation = ({ verifyToken, activation }: ConnectionRecord) => ({ verifyToken, activation })

/** Lets a question be answered as if it were the first: forgets that one was, and the secret that it brought. */
export function resetActivation(record: ConnectionRecord): ConnectionRecord {
  const { scheme } = senderOf(record)
  return {
    ...record,
    activation: undefined,
    ...(keepsSecret(scheme) && { senderSecret: undefined, oldSenderSecrets: undefined }),
  }
}

/** Returns whether a sender asks questions. */
export const asksQuestions = (scheme: Scheme) => challengesOf(scheme).length > 0
