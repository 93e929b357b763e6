import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Nodes } from '../nodes.ts'
import { adminToken, type RunningService } from '../processes.ts'
import { createSender, type Signed } from '../sender.ts'
import type { Span } from './history.ts'

/** Milliseconds for which a request waits for its answer: longer than a node hangs, or as long as a sender does. */
export const patience = { long: 60_000, short: 6000 }
/** Milliseconds after which a node without an answer does not seem to work. */
const silentMs = 500
/** Milliseconds until a node that does not run is asked again. */
const restMs = 50

export type Answer = Span & { readonly status: number | null; readonly body: unknown }

/** Sends requests to nodes, and takes their times. What is sent to a node that does not run has no answer. */
export type Client = {
  /** @param path the inbound path of a connection. */
  post(node: number, path: string, event: Signed, isPatient?: boolean): Promise<Omit<Answer, 'body'>>
  /** Calls REST. The body is null unless the answer is 200 or 201. */
  rest(node: number, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Answer>
  /** Returns the nodes that seem to work: those that owe no answer to REST. All, if there is none. */
  working(nodes: readonly number[]): readonly number[]
  close(): Promise<void>
}

export function createClient(nodes: Nodes): Client {
  const senders = { true: createSender(patience.long), false: createSender(patience.short) }
  const dispatcher = new Agent({ headersTimeout: patience.short, bodyTimeout: patience.short })

  /** The nodes of the requests to REST that are under way, and when they began. */
  const asked = new Set<{ readonly node: number; readonly from: number }>()

  async function timed<Result>(
    node: number,
    ask: (service: RunningService) => Promise<Result>,
    otherwise: Result,
  ) {
    const from = performance.now()
    const service = serviceAt(nodes, node)
    const result = service === null ? otherwise : await ask(service).catch(() => otherwise)
    const to = performance.now()
    if (service === null) await delay(restMs)
    return { ...result, from, to }
  }

  async function restOf(url: string, method: 'GET' | 'POST' | 'PATCH', body?: object) {
    const answer = await request(url, {
      ...{ method, dispatcher },
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    const status = answer.statusCode
    return { status, body: status < 300 ? JSON.parse(text) : null }
  }

  return {
    post: (node, path, event, isPatient = false) =>
      timed<{ status: number | null }>(
        node,
        async ({ line }) => ({ status: await senders[`${isPatient}`].post(line.listenerUrl + path, event) }),
        { status: null },
      ),
    async rest(node, method, path, body) {
      const one = { node, from: performance.now() }
      asked.add(one)
      const answer = await timed<{ status: number | null; body: unknown }>(
        node,
        ({ line }) => restOf(`${line.dashboardUrl}/api/v1${path}`, method, body),
        { status: null, body: null },
      )
      asked.delete(one)
      return answer
    },
    working(nodes) {
      const before = performance.now() - silentMs
      const silent = new Set([...asked].flatMap(({ node, from }) => (from < before ? [node] : [])))
      const working = nodes.filter(node => !silent.has(node))
      return working.length > 0 ? working : nodes
    },
    async close() {
      await Promise.all([senders.true.close(), senders.false.close(), dispatcher.destroy()])
    },
  }
}

function serviceAt(nodes: Nodes, node: number): RunningService | null {
  try {
    return nodes.at(node)
  } catch {
    return null
  }
}
