import type { z } from 'zod'
import { findConnection } from '#main/connections/connections.ts'
import { credentialsOf } from '#main/connections/urls.ts'
import { maxKeptBody } from '#main/inbound/attempts.ts'
import { revealSecrets } from '#main/inbound/hidden-secrets.ts'
import { otherSecretsOf, secretsOf } from '#main/inbound/sender-secrets.ts'
import { type KeptRequest, keysNeeded, type TrialJob } from '#main/senders/try-sender.ts'
import { type HeaderFields, headerIn } from '#main/signing/header-fields.ts'
import { maxOtherConnections } from '#main/signing/suspects.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { dayMs } from '#shared/durations.ts'
import { inboundErrorOf, isAboutSignature } from '#shared/errors/inbound.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import { type Sender, senderOf, templatesOf } from '#shared/model/sender/sender.ts'
import type { TriedRequest } from '#shared/model/sender/sender-trial.ts'
import type { Handlers, RpcParts } from './context.ts'

/** Returns the procedure that verifies a captured request with a sender that may not be saved yet. */
export function senderTrials(parts: RpcParts): Pick<Handlers['connections'], 'verifySender'> {
  const { store, attempts, trials, inbound, clock, publicUrl } = parts

  async function requestOf(
    connectionId: string,
    { text, headers, body, method, query, attemptId, at }: z.output<typeof TriedRequest>,
  ): Promise<TrialJob['request']> {
    if (text !== undefined) return { text, at: at ?? null }
    if (attemptId === undefined)
      return { headers: headers ?? [], body: body ?? '', method, query, at: at ?? null }
    const attempt = await attempts.get(connectionId, attemptId)
    if (attempt === null) throw new ServiceError('attempt_not_found')
    if (!isWhole(attempt)) throw new ServiceError('attempt_not_found', { detail: notKept })
    const { headers: sent, bodyText, at: came } = attempt
    return { headers: sent, body: bodyText, query: queryOf(attempt), at: Date.parse(came) }
  }

  /** Returns the query of the URL of a refused request; empty once it is no longer in memory. */
  const queryOf = ({ attemptId }: Attempt) => inbound.attempts.get(attemptId)?.request.query ?? ''

  /** Fetches the public keys that a trial needs, unless they are known. */
  async function fetchedFor(job: TrialJob): Promise<TrialJob['fetched']> {
    const { keys: store } = inbound
    const source = hasFetchedKeys(job.sender) ? keysNeeded(job) : null
    if (store === undefined || source === null) return undefined
    if (!store.known(source).isFresh) await store.refresh(source)
    const { keys } = store.known(source)
    return keys === null ? undefined : { source, keys }
  }

  return {
    verifySender: async ({ input: { connectionId, sender: given, secret, ...tried }, signal }) => {
      const config = store.snapshot()
      const record = findConnection(config, connectionId)
      const sender = given ?? senderOf(record)
      const since = clock() - dayMs
      const kept = (await attempts.list(connectionId)).filter(
        attempt => Date.parse(attempt.at) >= since && isExplained(attempt) && isWhole(attempt),
      )
      const request = await requestOf(connectionId, tried)
      const reveal = <Request extends { readonly headers: HeaderFields }>(one: Request): Request => ({
        ...one,
        headers: revealSecrets(one.headers, sender, record.senderSecret ?? ''),
      })
      const job: TrialJob = {
        ...{ sender, nowMs: clock() },
        secrets: secret === undefined ? secretsOf(record, sender) : [{ secret, expiresAt: null }],
        verifyToken: record.verifyToken,
        request: tried.attemptId !== undefined && 'headers' in request ? reveal(request) : request,
        ...otherSecretsOf(record, sender, config.connections.values(), maxOtherConnections),
        url: credentialsOf(config, record, publicUrl()).inboundUrl,
        ...{ connectionId, triggers: triggersFor(config, record) },
        kept: kept.map(one => reveal({ ...keptOf(one), query: queryOf(one) })),
      }
      const trial = await trials.run({ ...job, fetched: await fetchedFor(job) }, signal)
      return 'headers' in request ? { ...trial, headers: pairsOf(request.headers) } : trial
    },
  }
}

/** Returns the triggers of the enabled workflows that may take an event of a connection. */
const triggersFor = ({ workflows }: Config, { connectionId, workspaceId }: ConnectionRecord) =>
  [...workflows.values()].flatMap(({ enabled, workspaceId: owner, trigger }) => {
    const isOfIt = trigger.connectionId === null || trigger.connectionId === connectionId
    return enabled && owner === workspaceId && isOfIt ? [trigger] : []
  })

const pairsOf = (headers: HeaderFields) => headers.map(([name, value]): [string, string] => [name, value])

/** Returns whether a sender proves itself with keys that are fetched. */
const hasFetchedKeys = (sender: Sender) =>
  templatesOf(sender).some(({ keysUrl, certificate }) => keysUrl !== undefined || certificate !== undefined)

const notKept = 'The body of this request is not kept as a whole, so it cannot be verified.'

function isExplained({ code }: Attempt): boolean {
  return isAboutSignature(code) || inboundErrorOf(code)?.step === 'body'
}

/** Returns whether the whole body of a refused request is kept. */
function isWhole({ headers, bodyText }: Attempt): boolean {
  const bytes = Buffer.byteLength(bodyText)
  const announced = headerIn(headers, 'content-length')
  return announced === undefined ? bytes < maxKeptBody : Number(announced) === bytes
}

const keptOf = ({ headers, bodyText, at }: Attempt): KeptRequest => ({
  headers,
  bodyText,
  at: Date.parse(at),
})
