import type { ConnectionRecord } from '#main/storage/config.ts'
import { senderOf } from '#shared/model/sender/sender.ts'
import type { SenderActivation } from '#shared/model/sender/sender-activation.ts'
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

/** Returns whether the questions of a scheme have a token, which only the owner of the URL can have entered. */
export const hasVerifyToken = hasToken

/** Returns how far the sender of a connection is with its questions. @param last the last event that came. */
export function activationOf(
  record: ConnectionRecord,
  last: { readonly lastEventAt: number },
): SenderActivation {
  const challenges = challengesOf(senderOf(record).scheme)
  const nothing = { at: null, verifiedAt: null }
  const { activation } = record
  if (activation === undefined)
    return challenges.every(({ isOptional }) => isOptional)
      ? { ...nothing, state: 'not_needed', detail: null }
      : { ...nothing, state: 'waiting', detail: waiting }
  const { answeredAt: at, openUrl } = activation
  const hasEvent = last.lastEventAt >= Date.parse(at)
  const isVerified = hasEvent || challenges.every(({ isSigned }) => isSigned)
  const isShown = challenges.some(({ keeps }) => keeps?.as === 'shown')
  return {
    state: isVerified ? 'verified' : 'answered',
    at,
    verifiedAt: hasEvent ? new Date(last.lastEventAt).toISOString() : isVerified ? at : null,
    detail: isVerified ? null : isShown ? shown : null,
    ...(openUrl !== undefined && !hasEvent && { openUrl }),
  }
}

const waiting = 'The sender has not asked yet. Enter the inbound URL there.'
const shown = 'The sender has brought the secret. Reveal it, and enter it at the sender.'
