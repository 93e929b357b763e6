import { signatureHeader, timestampHeader } from '#main/signing/sign.ts'
import type { OldSecret } from '#main/storage/config.ts'
import { neverSent } from '#shared/errors/call.ts'
import type { CallResult } from '#shared/model/call.ts'
import {
  type AdviceCode,
  CheckId,
  expectationOf,
  type ReceiverCheck,
  verdictOf,
} from '#shared/model/receiver-check.ts'
import type { Calls } from '../calls.ts'
import type { ImpossibleRequest, OutboundRequest } from '../outbound-request.ts'
import { type JudgedCheck, withAdvice } from './advise.ts'
import { judge } from './judge.ts'
import { checkKinds, variants } from './kinds.ts'

/**
 * Milliseconds after which no further call is sent: a receiver that never answers takes the time-out of every call. With
 * the longest time-out, an answer comes within the five minutes for which clients wait.
 */
const maxMs = 150_000

type Sent = CallResult & { readonly callId: string }

/**
 * Sends right and wrong calls of an action, one after another, and returns what the receiver made of each. Without
 * `allowEffects` it sends only those that must be refused, unless the method is GET.
 *
 * @param parts.clock milliseconds since 1970.
 * @throws ServiceError the errors of `Calls.run`.
 */
export async function runReceiverCheck(
  parts: { readonly calls: Pick<Calls, 'run'>; readonly clock: () => number },
  asked: {
    readonly request: OutboundRequest | ImpossibleRequest
    readonly secrets: { readonly signingSecret: string; readonly oldSecrets: readonly OldSecret[] }
    /** A secret that the receiver does not know. */
    readonly wrongSecret: string
    /** All, by default. */
    readonly chosen?: readonly CheckId[] | undefined
    readonly allowEffects: boolean
  },
  signal?: AbortSignal,
): Promise<ReceiverCheck> {
  const { calls, clock } = parts
  const { request, secrets, wrongSecret, allowEffects } = asked
  const chosen = CheckId.options.filter(id => asked.chosen?.includes(id) ?? true)
  if ('error' in request) {
    const { code } = request.error
    return { verdict: 'passed', checks: chosen.map(id => ({ ...skipped(id, code), advice: null })) }
  }
  const startedAt = clock()
  const isGet = request.method === 'GET'
  const maySend = (id: CheckId) => allowEffects || isGet || expectationOf(id) === 'refused'
  /** Whether no further call is sent: it has taken too long, or the caller has gone. */
  const isOver = () => signal?.aborted === true || clock() - startedAt > maxMs
  const replacedSecret = secrets.oldSecrets.find(old => old.expiresAt <= startedAt)?.secret ?? null

  const checks: JudgedCheck[] = []
  /** Why nothing can be sent, such as a variable that is not set; null while it is not known. */
  let obstacle: string | null = null
  let first: Sent | null = null
  const wasAccepted = () => (first === null ? null : isAccepted(first))
  for (const id of chosen) {
    const hindrance = maySend(id) ? (obstacle ?? (isOver() ? 'out_of_time' : null)) : 'effects_not_allowed'
    if (hindrance !== null) {
      checks.push(skipped(id, hindrance))
      continue
    }
    if (id === 'survives_replay') first ??= await calls.run(request, signal)
    const firstHeaders = first === null ? null : signatureOf(first)
    const variation = checkKinds[id]({
      ...{ request, wrongSecret, replacedSecret, firstHeaders },
      wasAccepted: wasAccepted(),
    })
    if ('skipped' in variation) {
      checks.push(skipped(id, variation.skipped))
      continue
    }
    const sent = await calls.run({ ...request, ...variation }, signal)
    if (id === 'accepted_now') first = sent
    const code = sent.error?.code ?? null
    // A rate limit has room again later.
    if (code !== null && neverSent.has(code) && code !== 'rate_limited') obstacle = code
    // A GET may answer otherwise each time; a call that acts twice does.
    const differs = id === 'survives_replay' && !isGet && first?.response?.body !== sent.response?.body
    const status = sent.response?.status ?? null
    const known = { wasAccepted: wasAccepted(), differs }
    checks.push({
      ...{ id, expected: expectationOf(id), status },
      ...judge({ id, status, code }, known),
      ...{ tookMs: sent.request === null ? null : sent.timings.totalMs, callId: sent.callId },
    })
  }

  /** Returns the mistake of a receiver that refuses right calls; null if none of the usual ones explains it. */
  async function findMistake(to: OutboundRequest): Promise<AdviceCode | null> {
    for (const [code, signWith] of variants) {
      if (isOver()) return null
      if (isAccepted(await calls.run({ ...to, sign: signWith(secrets.signingSecret) }, signal))) return code
    }
    return null
  }
  // Whether a plain call is refused too decides what a refused one means.
  const hasRefused = checks.some(({ reason }) => reason === 'refused')
  if (hasRefused && !isOver()) first ??= await calls.run(request, signal)
  const isRefused = hasRefused && first !== null && isRefusal(first)
  const mistake = isRefused ? await findMistake(request) : null
  return {
    verdict: verdictOf(checks.map(({ verdict }) => verdict)),
    checks: withAdvice(checks, { isRefused, mistake, isGet }),
  }
}

const isRefusal = ({ response }: Sent) => response !== null && response.status >= 400 && response.status < 500

const isAccepted = ({ response }: Sent) =>
  response !== null && response.status >= 200 && response.status < 300

/** Returns the two headers with which a call was signed; null if it was not sent. */
function signatureOf({ request }: Sent) {
  const timestamp = request?.headers[timestampHeader]
  const signature = request?.headers[signatureHeader]
  if (timestamp === undefined || signature === undefined) return null
  return { [timestampHeader]: timestamp, [signatureHeader]: signature }
}

const skipped = (id: CheckId, reason: string): JudgedCheck => ({
  ...{ id, expected: expectationOf(id), status: null },
  ...({ verdict: 'skipped', reason, tookMs: null, callId: null } as const),
})
