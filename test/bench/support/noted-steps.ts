import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { listenOn } from '#main/lib/listen-on.ts'
import type { RunningService } from './processes.ts'

/** The steps of the workflow that `startNotes` creates. */
export const notedSteps = ['first', 'second']

const Step = z.object({ id: z.string(), step: z.string() })

/** The keys that came for one step of one event, and when the last one came, by `performance.now()`. */
type Noted = { readonly keys: Set<string>; at: number }

/** A request whose key had come before, and when it came before and now. */
type Repeat = { readonly before: number; readonly at: number }

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/**
 * Starts a receiver that notes under which keys each step of each event came.
 *
 * @param answerAfterMs how long each step takes.
 */
export async function startReceiver(answerAfterMs = 0) {
  const noted = new Map<string, Noted>()
  const repeats: Repeat[] = []
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    try {
      const { id, step } = Step.parse(JSON.parse(await text(incoming)))
      const key = String(incoming.headers['idempotency-key'])
      const at = performance.now()
      const one = noted.get(`${id} ${step}`) ?? { keys: new Set(), at }
      if (one.keys.has(key)) repeats.push({ before: one.at, at })
      noted.set(`${id} ${step}`, { keys: one.keys.add(key), at })
      if (answerAfterMs > 0) await delay(answerAfterMs)
      response.setHeader('content-type', 'application/json').end('{"ok":true}')
    } catch {
      response.destroy() // the sender was killed while it sent
    }
  }
  const server = createServer((incoming, response) => void answer(incoming, response))
  const { port } = await listenOn(server, '127.0.0.1', 0)
  return {
    url: `http://127.0.0.1:${port}`,
    repeats,
    /** Returns how many different keys a step of an event had. */
    keysOf: (id: string, step: string) => noted.get(`${id} ${step}`)?.keys.size ?? 0,
    /** Returns `<id> <step>` of each step that came. */
    steps: () => [...noted.keys()],
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Creates a workflow that tells the receiver of each event, in two steps. */
export async function startNotes(
  { connectionId, call }: Pick<RunningService, 'connectionId' | 'call'>,
  baseUrl: string,
): Promise<void> {
  await call('PATCH', `/connections/${connectionId}`, { baseUrl })
  const parameter = { type: 'string', description: 'A text.', required: true }
  await call('POST', `/connections/${connectionId}/actions`, {
    ...{ name: 'Note', toolName: 'note', description: 'Notes a step.', path: '/notes' },
    parameters: [
      { ...parameter, name: 'id' },
      { ...parameter, name: 'step' },
    ],
  })
  await call('POST', '/workflows', {
    ...{ name: 'Kill', concurrency: 100, trigger: { type: 'external.event' } },
    steps: notedSteps.map(key => ({
      ...{ key, type: 'action', connectionId, toolName: 'note', arguments: { id: '{{id}}', step: key } },
    })),
  })
}

const Page = z.object({ runs: z.array(z.unknown()) })

/** Waits until every run has ended, for five minutes at most. @returns how many have not. */
export async function waitForRuns({ call }: Pick<RunningService, 'call'>): Promise<number> {
  for (const deadline = Date.now() + 300_000; ; await delay(200)) {
    let left = 0
    for (const status of ['queued', 'running', 'waiting'])
      left += Page.parse(await call('GET', `/runs?limit=200&status=${status}`)).runs.length
    if (left === 0 || Date.now() > deadline) return left
  }
}
