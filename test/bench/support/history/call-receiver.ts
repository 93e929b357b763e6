import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { listenOn } from '#main/lib/listen-on.ts'
import type { Call } from './history.ts'

/** The body of a step's call. */
const Body = z.object({
  stream: z.string(),
  id: z.string(),
  step: z.string(),
  version: z.string().optional(),
})

/** Names the node that makes a call, in a header, by a variable of its environment. */
export const nodeVariable = 'BENCH_NODE'
export const nodeHeader = 'x-node'

/**
 * Starts a receiver that notes each call once it has ended.
 *
 * @param stepMs how long each step takes.
 */
export async function startCallReceiver(calls: Call[], stepMs: number) {
  async function take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const from = performance.now()
    const { stream, id, step, version } = Body.parse(JSON.parse(await text(incoming)))
    const { 'idempotency-key': key, [nodeHeader]: node } = incoming.headers
    response.on('close', () =>
      calls.push({
        ...{ from, to: performance.now(), isAnswered: response.writableFinished },
        ...{ node: String(node), stream, id, step, key: String(key) },
        ...(version !== undefined && { shows: { register: 'version of a workflow', value: version } }),
      }),
    )
    await delay(stepMs)
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  }
  const server = createServer((incoming, response) => {
    // The sender was killed while it sent.
    take(incoming, response).catch(() => response.destroy())
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
