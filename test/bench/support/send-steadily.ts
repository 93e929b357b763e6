import { setTimeout as delay } from 'node:timers/promises'
import { Pool, request } from 'undici'
import { signedHeaders } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import type { Figure } from './figures.ts'

/** Milliseconds without an answer after which a request hangs: more than the service waits for its database. */
const hangMs = 6000
/** Milliseconds for which a sender waits after an answer other than 200. */
const restMs = 20
const mostWaitMs = 60_000

export type Answer = {
  /** By `performance.now()`. */
  readonly sentAt: number
  readonly answeredAt: number
  /** Null for a connection that ended, or on which nothing came in time. */
  readonly status: number | null
}

/** Senders that go on, whatever they are answered. */
export type Sending = {
  /** The ids that were answered 200. */
  readonly acknowledged: ReadonlySet<string>
  readonly answers: readonly Answer[]
  /** Resolves when so many more requests were answered 200. Rejects after a minute. */
  acknowledgedMore(count: number): Promise<void>
  /** Resolves when all requests are answered. No more are sent. */
  stop(): Promise<void>
}

/**
 * Sends events whose data has an id of their own.
 *
 * @param pauseMs for which each sender waits after an answer.
 */
export function sendSteadily(options: {
  readonly url: string
  readonly secret: string
  readonly pauseMs: number
  readonly senders?: number
  /** The prefix of the ids; different ones for senders at the same time. */
  readonly prefix?: string
}): Sending {
  const { url, secret, pauseMs, senders = 16, prefix = 'event' } = options
  const key = new SigningKey(secret)
  const dispatcher = new Pool(new URL(url).origin, { connections: senders, headersTimeout: hangMs })
  const acknowledged = new Set<string>()
  const answers: Answer[] = []
  const waiting = new Set<{ readonly count: number; resolve(): void }>()
  let next = 0
  let isStopped = false

  async function statusOf(body: string): Promise<number | null> {
    try {
      const headers = { ...signedHeaders(key, Date.now(), body) }
      const answer = await request(url, { method: 'POST', headers, body, dispatcher })
      await answer.body.dump()
      return answer.statusCode
    } catch {
      return null
    }
  }

  async function send(): Promise<void> {
    while (!isStopped) {
      const id = `${prefix}-${next++}`
      const sentAt = performance.now()
      const status = await statusOf(JSON.stringify({ event: 'nodes.test', data: { id } }))
      answers.push({ sentAt, answeredAt: performance.now(), status })
      if (status === 200) {
        acknowledged.add(id)
        for (const one of waiting) if (acknowledged.size >= one.count) one.resolve()
        if (pauseMs > 0) await delay(pauseMs)
      } else await delay(restMs)
    }
  }

  const sending = Promise.all(Array.from({ length: senders }, send))
  return {
    ...{ acknowledged, answers },
    async acknowledgedMore(more) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(() => reject(new Error('Too few events are accepted.')), mostWaitMs)
      const one = { count: acknowledged.size + more, resolve }
      waiting.add(one)
      await promise.finally(() => clearTimeout(timer))
      waiting.delete(one)
    },
    async stop() {
      isStopped = true
      await sending
      await dispatcher.destroy()
    },
  }
}

/** Returns how many requests that were sent after `from` and answered before `to` got something else than 503. */
export function wrongWhileDown(answers: readonly Answer[], from: number, to: number): number {
  return answers.filter(
    ({ sentAt, answeredAt, status }) => sentAt > from && answeredAt < to && status !== 503,
  ).length
}

/** Returns how long after `readyAt` the last request was sent that did not get 200, in milliseconds; NaN if none got it. */
export function recoveryMs(answers: readonly Answer[], readyAt: number): number {
  const after = answers.filter(({ answeredAt }) => answeredAt >= readyAt)
  if (!after.some(({ status }) => status === 200)) return Number.NaN
  return Math.max(0, ...after.flatMap(({ sentAt, status }) => (status === 200 ? [] : sentAt - readyAt)))
}

/** Returns what was answered otherwise than with 200, and what was not answered. */
export function refusals(answers: readonly Answer[]): Figure[] {
  const took = answers.map(({ sentAt, answeredAt }) => answeredAt - sentAt)
  const count = (isCounted: (status: number | null) => boolean) =>
    answers.filter(({ status }) => isCounted(status)).length
  return [
    { name: 'events answered 503', value: count(status => status === 503) },
    {
      name: 'events answered otherwise',
      value: count(status => status !== null && ![200, 503].includes(status)),
      must: 0,
    },
    { name: 'events without an answer', value: count(status => status === null), must: 0 },
    {
      name: 'longest time until an answer',
      value: took.reduce((most, one) => Math.max(most, one), 0) / 1000,
      unit: ' s',
      target: hangMs / 1000,
    },
  ]
}
