/**
 * kill -9 while runs are under way: each event that was answered 200 has exactly one run, which ends, and each step
 * of it that repeats carries the same idempotency key.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { listenOn } from '#main/lib/listen-on.ts'
import { newFolder, type RunningService, removeFolder, startService } from './support/processes.ts'
import { sendUntilKilled } from './support/send-until-killed.ts'

const senders = 16

export type WorkflowKillResult = {
  readonly rounds: number
  readonly acknowledged: number
  /** Acknowledged events of which a step never came, or came under more than one key. */
  readonly lost: number
  readonly doubled: number
  /** Requests that repeated a step, with its key. */
  readonly repeated: number
  /** Runs that had not ended at last. */
  readonly unfinished: number
}

/** @param random between 0 and 1; chooses after how many answers each round's process dies. */
export async function run({ rounds = 20, random = Math.random } = {}): Promise<WorkflowKillResult> {
  const folder = newFolder()
  const receiver = await startReceiver()
  const acknowledged = new Set<string>()
  try {
    for (let round = 0; round < rounds; round++) {
      const service = await startService(folder)
      if (round === 0) await configure(service, receiver.url)
      await sendUntilKilled(
        service,
        { senders, prefix: `${round}`, answers: 200 + random() * 800 },
        acknowledged,
      )
    }
    const service = await startService(folder)
    const unfinished = await waitForRuns(service)
    await service.stop()
    const wrong = (isWrong: (keys: number) => boolean) =>
      [...acknowledged].filter(id =>
        ['first', 'second'].some(step => isWrong(receiver.keys.get(`${id} ${step}`)?.size ?? 0)),
      ).length
    const keys = [...receiver.keys.values()].reduce((sum, of) => sum + of.size, 0)
    const result: WorkflowKillResult = {
      rounds,
      acknowledged: acknowledged.size,
      lost: wrong(count => count === 0),
      doubled: wrong(count => count > 1),
      repeated: receiver.count() - keys,
      unfinished,
    }
    console.log(
      `${rounds} × kill -9   ${result.acknowledged} events answered 200, ${result.lost} runs lost, ${result.doubled} doubled, ${result.repeated} steps repeated with their key, ${unfinished} runs not ended`,
    )
    return result
  } finally {
    receiver.close()
    removeFolder(folder)
  }
}

const Step = z.object({ id: z.string(), step: z.string() })

/** A receiver that notes under which keys each step of each event came. */
async function startReceiver() {
  const keys = new Map<string, Set<string>>()
  let requests = 0
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    try {
      const { id, step } = Step.parse(JSON.parse(await text(incoming)))
      requests++
      const of = keys.get(`${id} ${step}`) ?? new Set<string>()
      keys.set(`${id} ${step}`, of.add(String(incoming.headers['idempotency-key'])))
      response.setHeader('content-type', 'application/json').end('{"ok":true}')
    } catch {
      response.destroy() // the sender was killed while it sent
    }
  }
  const server = createServer((incoming, response) => void answer(incoming, response))
  const { port } = await listenOn(server, '127.0.0.1', 0)
  return {
    url: `http://127.0.0.1:${port}`,
    keys,
    count: () => requests,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function configure(service: RunningService, baseUrl: string): Promise<void> {
  const { connectionId, call } = service
  await call('PATCH', `/connections/${connectionId}`, { baseUrl })
  const parameter = { type: 'string', description: 'A text.', required: true }
  await call('POST', `/connections/${connectionId}/actions`, {
    ...{ name: 'Note', toolName: 'note', description: 'Notes a step.', path: '/notes' },
    parameters: [
      { ...parameter, name: 'id' },
      { ...parameter, name: 'step' },
    ],
  })
  const step = (key: string) => ({
    ...{ key, type: 'action', connectionId, toolName: 'note', arguments: { id: '{{id}}', step: key } },
  })
  await call('POST', '/workflows', {
    ...{ name: 'Kill', concurrency: 100, trigger: { type: 'external.event' } },
    steps: [step('first'), step('second')],
  })
}

const Page = z.object({ runs: z.array(z.unknown()) })

/** Waits until every run has ended, for five minutes at most. @returns how many have not. */
async function waitForRuns(service: RunningService): Promise<number> {
  for (const deadline = Date.now() + 300_000; ; await delay(200)) {
    let left = 0
    for (const status of ['queued', 'running', 'waiting'])
      left += Page.parse(await service.call('GET', `/runs?limit=200&status=${status}`)).runs.length
    if (left === 0 || Date.now() > deadline) return left
  }
}

if (import.meta.main) await run()
