import { setTimeout as delay } from 'node:timers/promises'
import { type PostedEvent, postEvent } from '#main/inbound/post-event.ts'
import { errnoOf, messageOf } from '#main/lib/file-system.ts'
import { createSigningKey } from '#main/signing/sign.ts'
import { ServiceError } from '#shared/errors.ts'
import { type SendOutcome, type SendSummary, summarize } from './send-summary.ts'
import type { SendTarget } from './send-target.ts'

/** Requests under way at a time. */
const concurrency = 16
/** The same with a rate, where a slow answer must not hold up the ones behind it. */
const pacedConcurrency = 256

/** Sends one event. @throws ServiceError `listener_unreachable` when there is no answer. */
export async function sendOne({ url, secret, dispatcher }: SendTarget, body: string): Promise<PostedEvent> {
  try {
    return await postEvent(url, createSigningKey(secret), body, Date.now(), dispatcher)
  } catch (cause) {
    // Not the whole URL: its path holds the inbound token.
    throw new ServiceError('listener_unreachable', {
      detail: `No answer from ${new URL(url).origin}: ${messageOf(cause) || errnoOf(cause)}`,
      cause,
    })
  }
}

/**
 * Sends one event many times, each signed when it is sent.
 *
 * @param rate events a second; null for as many as it takes.
 */
export async function sendMany(
  { url, secret, dispatcher }: SendTarget,
  body: string,
  count: number,
  rate: number | null,
): Promise<SendSummary> {
  const key = createSigningKey(secret)
  const outcomes: SendOutcome[] = []
  const started = performance.now()
  let next = 0
  async function work(): Promise<void> {
    for (let index = next++; index < count; index = next++) {
      if (rate !== null) {
        const wait = started + (index * 1000) / rate - performance.now()
        if (wait > 0) await delay(wait)
      }
      try {
        const { status, totalMs } = await postEvent(url, key, body, Date.now(), dispatcher)
        outcomes.push({ status, totalMs })
      } catch (error) {
        outcomes.push({ noAnswer: errnoOf(error) ?? messageOf(error) })
      }
    }
  }
  const workers = Math.min(count, rate === null ? concurrency : pacedConcurrency)
  await Promise.all(Array.from({ length: workers }, work))
  return summarize(outcomes, performance.now() - started)
}
