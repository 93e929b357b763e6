import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { senderOf } from '#shared/model/sender/sender.ts'
import type { Question } from './challenges.ts'
import type { KeyFetcher } from './key-store.ts'

/**
 * Carries out what a question asks for before it is answered: fetches the address that confirms the URL, and keeps the
 * secret that it brings, and that it was answered. Returns null if there is nothing to do.
 */
export type Activate = (record: ConnectionRecord, question: Question) => Promise<void> | null

export function createActivate(parts: {
  store: Pick<ConfigStore, 'update'>
  /** Within the guard of calls; left out if nothing is fetched. */
  fetch: KeyFetcher['fetch'] | undefined
  /** Milliseconds since 1970. */
  clock: () => number
}): Activate {
  const { store, fetch, clock } = parts
  return (record, question) => {
    const { secret, confirmUrl, openUrl } = question
    const { activation } = record
    const isKnown = activation !== undefined && (openUrl === null || openUrl === activation.openUrl)
    if (isKnown && secret === null && confirmUrl === null) return null
    return carryOut(record, question)
  }

  async function carryOut(asked: ConnectionRecord, question: Question): Promise<void> {
    const { confirmUrl } = question
    if (confirmUrl !== null) {
      if (fetch === undefined) throw new ServiceError('unavailable')
      await fetch(confirmUrl, false)
    }
    const now = new Date(clock()).toISOString()
    await store.update(config => ({
      next: withAnswered(config, asked, question, now),
      result: undefined,
    }))
  }
}

/**
 * Returns the configuration with what a question leaves. A secret is kept once.
 *
 * @param asked the connection as it was when the question came.
 * @throws ServiceError `unavailable` if another request has brought another secret meanwhile, or the scheme was changed.
 */
function withAnswered(
  config: Config,
  asked: ConnectionRecord,
  { secret, openUrl }: Question,
  now: string,
): Config {
  const { connectionId } = asked
  const record = config.connections.get(connectionId)
  if (record === undefined) return config
  // What a handshake of one scheme brings must not become the secret of another.
  if (senderOf(record).scheme !== senderOf(asked).scheme) throw new ServiceError('unavailable')
  const { senderSecret = '', activation } = record
  if (secret !== null && senderSecret !== '' && secret !== senderSecret) throw new ServiceError('unavailable')
  const next: ConnectionRecord = {
    ...record,
    ...(secret !== null && { senderSecret: secret }),
    activation: {
      answeredAt: activation?.answeredAt ?? now,
      openUrl: openUrl ?? activation?.openUrl,
    },
  }
  return { ...config, connections: new Map(config.connections).set(connectionId, next) }
}
