import { Pool } from 'undici'
import { signedHeaders } from '#main/signing/sign.ts'
import type { SigningKey } from '#main/signing/signing-key.ts'

/** Milliseconds between two bursts of events. */
const burstMs = 20

export type Target = { readonly url: string; readonly key: SigningKey }

/** Posts so many events a second to the targets in turn, whatever they are answered, until it is stopped. */
export function postSteadily(targets: readonly Target[], perSecond: number) {
  const pool = new Pool(new URL(targets[0]?.url ?? '').origin, { connections: 16, pipelining: 4 })
  const startedAt = performance.now()
  let sent = 0
  let accepted = 0

  async function post({ url, key }: Target, number: number): Promise<void> {
    const data = { order: `ORD-${number}`, total: number % 997, note: 'x'.repeat(200) }
    const text = JSON.stringify({ event: number % 7 === 0 ? 'order.refunded' : 'order.created', data })
    const headers = { ...signedHeaders(key, Date.now(), text) }
    const answer = await pool.request({ method: 'POST', path: new URL(url).pathname, headers, body: text })
    await answer.body.dump()
    if (answer.statusCode === 200) accepted++
  }

  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond
    for (; sent < due; sent++) {
      const target = targets[sent % targets.length]
      // The figures say how many were accepted.
      if (target !== undefined) post(target, sent).catch(() => {})
    }
  }, burstMs)
  return {
    accepted: () => accepted,
    async stop() {
      clearInterval(timer)
      await pool.close()
    },
  }
}
