/**
 * Nodes whose clocks differ by seconds: one sender alternates over them and waits for each 200, and an ordered workflow
 * carries its events out in exactly that order, also while steps are retried.
 */

import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { listenOn } from '#main/lib/listen-on.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import type { Nodes } from './support/nodes.ts'
import { waitForRuns } from './support/noted-steps.ts'
import { onNodes } from './support/on-nodes.ts'
import { createSender, signedEvent } from './support/sender.ts'
import { shiftedClock } from './support/shifted-clock.ts'

/** Milliseconds by which the clock of each node is ahead of that of the node before. */
const apartMs = 2000

/** @param retries how many of the events fail at first. One of them waits for its retry, the others are hurried on. */
export async function run({
  events = 2000,
  nodes: count = 3,
  retries = 20,
} = {}): Promise<readonly Figure[]> {
  const receiver = await startCounter(Math.floor(events / retries))
  const shiftOf = (index: number) => Math.round((index - (count - 1) / 2) * apartMs)
  try {
    return await onNodes(
      count,
      async nodes => {
        await nodes.call('POST', '/workflows', {
          ...{ name: 'Order', ordered: true, trigger: { type: 'external.event' } },
          steps: [
            { key: 'call', type: 'http', method: 'POST', url: receiver.url, body: { number: '{{number}}' } },
          ],
        })
        const hurrying = hurryRetries(nodes, count)
        const sender = createSender()
        let refused = 0
        for (let number = 0; number < events; number++) {
          const event = signedEvent(nodes.secret, 'nodes.order', { number })
          if ((await sender.post(nodes.at(number % count).inboundUrl, event)) !== 200) refused++
        }
        await sender.close()
        const unended = await waitForRuns(nodes)
        const hurried = await hurrying.stop()
        const { came, failed } = receiver
        const figures: Figure[] = [
          { name: 'events answered 200', value: events - refused, must: events },
          { name: 'runs not ended', value: unended, must: 0 },
          { name: 'events carried out', value: new Set(came).size, must: events },
          { name: 'carried out again', value: came.length - new Set(came).size, must: 0 },
          { name: 'carried out after a later one', value: outOfOrder(came), must: 0 },
          { name: 'first attempts that failed', value: failed.length },
          { name: 'of them, retried at once by REST', value: hurried },
        ]
        printFigures(`${events} events to ${count} nodes in turn, clocks ${apartMs / 1000} s apart`, figures)
        return figures
      },
      index => shiftedClock(shiftOf(index)),
    )
  } finally {
    receiver.close()
  }
}

/** Returns how many numbers come after a larger one. */
function outOfOrder(numbers: readonly number[]): number {
  let largest = -1
  let count = 0
  for (const number of numbers) {
    if (number < largest) count++
    largest = Math.max(largest, number)
  }
  return count
}

const Body = z.object({ number: z.coerce.number() })

/** Starts a receiver that notes the numbers that come, and fails the first attempt of each `every`th. */
async function startCounter(every: number) {
  const came: number[] = []
  const failed: number[] = []
  const server = createServer(async (incoming, response) => {
    const { number } = Body.parse(JSON.parse(await text(incoming)))
    if (number % every === every - 1 && !failed.includes(number)) {
      failed.push(number)
      response.writeHead(503).end()
      return
    }
    came.push(number)
    response.end()
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  return {
    ...{ came, failed, url: `http://127.0.0.1:${port}/` },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const Waiting = z.object({ runs: z.array(z.object({ runId: z.string() })) })

/** Makes the next attempt of each run that waits, except for the first one. @returns how many, when it is stopped. */
function hurryRetries(nodes: Nodes, count: number) {
  let isStopped = false
  let hurried = 0
  let first: string | null = null
  async function hurry(): Promise<void> {
    for (let turn = 0; !isStopped; turn++) {
      const { runs } = Waiting.parse(await nodes.at(turn % count).call('GET', '/runs?status=waiting'))
      for (const { runId } of runs) {
        first ??= runId
        if (runId === first) continue
        await nodes.at((turn + 1) % count).call('POST', `/runs/${runId}/retry`, {})
        hurried++
      }
      await delay(100)
    }
  }
  const hurrying = hurry()
  return {
    async stop() {
      isStopped = true
      await hurrying
      return hurried
    },
  }
}

if (import.meta.main) await run(givenNumbers('events', 'nodes', 'retries'))
