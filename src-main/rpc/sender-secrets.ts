import type { z } from 'zod'
import {
  changeConnection,
  findConnection,
  resetSender,
  setSenderSecret,
  setVerifyToken,
} from '#main/connections/connections.ts'
import { activationOf } from '#main/connections/sender-activation.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ConnectionWithWarnings } from '#shared/model/connection.ts'
import { Sender, senderOf } from '#shared/model/sender/sender.ts'
import { SenderSecret } from '#shared/model/sender/sender-secret.ts'
import { type Handlers, nowOf, type RpcParts } from './context.ts'

type Procedures = 'setSenderSecret' | 'senderActivation' | 'resetSenderActivation'

/** Returns the procedures of the secrets of senders, and of the questions that senders ask. */
export function senderSecrets(
  parts: RpcParts,
  details: (record: ConnectionRecord) => z.input<typeof ConnectionWithWarnings>,
): Pick<Handlers['connections'], Procedures> {
  const { store, clock, random, statistics } = parts
  return {
    setSenderSecret: async ({ input: { connectionId, graceHours, ...given } }) => {
      const { secret, user, password, publicKey, verifyToken } = given
      if ((user === undefined) !== (password === undefined))
        throw invalid(user === undefined ? 'user' : 'password', 'Enter the user and the password.')
      if (secret !== undefined && user !== undefined)
        throw invalid('secret', 'Enter a secret, or a user and a password.')
      const pair = user === undefined ? secret : readPair(`${user}:${password}`)
      if (pair === undefined && publicKey === undefined && verifyToken === undefined)
        throw invalid('secret', 'Enter the secret of the sender.')
      const record = await store.update(config => {
        let change = { next: config, result: findConnection(config, connectionId) }
        if (publicKey !== undefined) {
          const sender = withPublicKey(senderOf(change.result), publicKey)
          change = changeConnection(change.next, connectionId, { sender }, nowOf(parts), random)
        }
        if (verifyToken !== undefined)
          change = setVerifyToken(change.next, connectionId, verifyToken, nowOf(parts))
        if (pair === undefined) return change
        return setSenderSecret(change.next, connectionId, pair, graceHours, clock())
      })
      return details(record)
    },
    senderActivation: ({ input: { connectionId } }) =>
      activationOf(findConnection(store.snapshot(), connectionId), statistics.summary(connectionId)),
    resetSenderActivation: async ({ input: { connectionId } }) => {
      const record = await store.update(config => resetSender(config, connectionId, nowOf(parts)))
      return activationOf(record, statistics.summary(connectionId))
    },
  }
}

const invalid = (path: string, message: string) =>
  new ServiceError('invalid_input', { data: { issues: [{ path, message }] } })

function readPair(pair: string): string {
  const read = SenderSecret.safeParse(pair)
  if (read.success) return read.data
  throw invalid('password', read.error.issues[0]?.message ?? 'The password cannot be used.')
}

/** Returns a sender with a public key. @throws ServiceError `invalid_input` for a scheme that takes none. */
function withPublicKey(sender: Sender, publicKey: string): Sender {
  const read = Sender.safeParse({ ...sender, publicKey })
  if (read.success && 'publicKey' in read.data) return read.data
  throw invalid('publicKey', 'The scheme of this sender takes no public key.')
}
