import { createServer, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { fetch, Pool } from 'undici'
import { listenOn } from '#main/lib/listen-on.ts'

/** Milliseconds between two checks of a target, and without an answer to one. */
const checkEveryMs = 500
const checkMs = 1000
/** Checks without an answer, one after another, after which it is sent nothing. */
const mostFailed = 3
/** Milliseconds for a target's answer: less than senders wait. */
const answerMs = 5000

export type Target = {
  readonly origin: string
  /** Answers 200 while the target may be sent requests. */
  readonly checkUrl: string
}

export type Balancer = {
  readonly origin: string
  /** When a request was sent to each target, by `performance.now()`. */
  readonly sent: readonly (readonly number[])[]
  close(): Promise<void>
}

/**
 * Starts an HTTP proxy on a free port that sends requests to its ready targets in turn, and one that is answered 503, or
 * whose connection fails, to another one.
 */
export async function startBalancer(targets: readonly Target[]): Promise<Balancer> {
  const all = targets.map(({ origin, checkUrl }) => ({
    ...{ checkUrl, isReady: true, sent: [] as number[] },
    pool: new Pool(origin, { connections: 64, headersTimeout: answerMs }),
  }))
  let next = 0
  let isClosed = false

  async function check(target: (typeof all)[number]): Promise<void> {
    for (let failed = 0; !isClosed; ) {
      const answer = await fetch(target.checkUrl, { signal: AbortSignal.timeout(checkMs) }).catch(() => null)
      failed = answer === null ? failed + 1 : 0
      // On a busy computer, one answer may come late.
      if (answer !== null || failed >= mostFailed) target.isReady = answer?.status === 200
      await answer?.arrayBuffer().catch(() => {})
      await delay(checkEveryMs)
    }
  }
  const checking = Promise.all(all.map(check))

  /** Returns the first answer other than 503; 503 if there is none. */
  async function answerTo(incoming: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { url = '/', headers } = incoming
    const { host, connection, ...forwarded } = headers
    const untried = new Set(all)
    for (;;) {
      const ready = all.filter(one => untried.has(one) && one.isReady)
      const target = ready[next++ % ready.length]
      if (target === undefined) return 503
      untried.delete(target)
      target.sent.push(performance.now())
      try {
        const answer = await target.pool.request({ path: url, method: 'POST', headers: forwarded, body })
        await answer.body.dump()
        if (answer.statusCode !== 503) return answer.statusCode
      } catch {
        // The next one is tried.
      }
    }
  }

  const server = createServer(async (incoming, response) => {
    const status = await answerTo(incoming).catch(() => 502)
    response.writeHead(status, { 'content-length': 0 }).end()
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  return {
    origin: `http://127.0.0.1:${port}`,
    sent: all.map(({ sent }) => sent),
    async close() {
      isClosed = true
      server.closeAllConnections()
      server.close()
      await checking
      await Promise.all(all.map(({ pool }) => pool.destroy()))
    },
  }
}
