/**
 * The limits of runs and calls over nodes: a workflow with a concurrency of 3 never calls a receiver 4 times at once, and
 * workflows never call a connection more often at once than its limit, rounded up on each node; also while nodes are
 * killed and join.
 */
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { listenOn } from '#main/lib/listen-on.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import type { Nodes } from './support/nodes.ts'
import { onNodes } from './support/on-nodes.ts'
import { createSender, signedEvent } from './support/sender.ts'

const concurrency = 3
/** Calls of all nodes to a connection, if their share is whole. */
const callsAConnection = 16
/** Milliseconds until the receiver answers. */
const answerMs = 300
/** Workflows that call the connection for each event. */
const callers = 3
/** Events of each kind whose runs wait. */
const backlog = 200

const Created = z.object({ credentials: z.object({ inboundToken: z.string(), signingSecret: z.string() }) })

/** @param seconds for which all nodes live; then each round kills one, and starts it again. */
export async function run({
  seconds = 20,
  nodes: count = 4,
  rounds = 4,
  random = Math.random,
} = {}): Promise<readonly Figure[]> {
  const receiver = await startReceiver()
  try {
    return await onNodes(count, async nodes => {
      await createWorkflows(nodes, receiver.url)
      const other = await createConnection(nodes)
      const sending = [
        keepWaiting(other, 'limits.three', receiver.three.count),
        keepWaiting(nodes, 'limits.many', () => receiver.many.count() / callers),
      ]
      await delay(seconds * 1000)
      const [three, many] = [receiver.three.most(), receiver.many.most()]
      const most = callsAConnection + count - 1
      const figures: Figure[] = [
        { name: 'calls of the workflow', value: receiver.three.count() },
        { name: 'most at once', value: three, must: concurrency },
        { name: 'calls to the connection', value: receiver.many.count() },
        { name: 'most at once', value: many, target: most },
      ]
      for (let round = 0; round < rounds; round++) {
        const index = Math.floor(random() * count)
        await nodes.kill(index, round % 2 === 0 ? 'SIGKILL' : 'SIGTERM')
        await delay(1000 + random() * 12_000)
        await nodes.start(index)
        await delay(2000)
      }
      await Promise.all(sending.map(one => one.stop()))
      if (rounds > 0)
        figures.push(
          {
            name: 'most of the workflow while nodes were killed and joined',
            value: receiver.three.most(),
            must: 3,
          },
          {
            name: 'most to the connection then',
            value: receiver.many.most(),
            target: most,
          },
        )
      figures.push({
        name: 'events not answered 200',
        value: sending.reduce((sum, one) => sum + one.refused(), 0),
      })
      figures.push({ name: 'nodes that have ended by themselves', value: nodes.ended(), must: 0 })
      printFigures(`Limits of ${concurrency} runs and ${callsAConnection} calls on ${count} nodes`, figures)
      return figures
    })
  } finally {
    receiver.close()
  }
}

/** Creates another connection, with which calls of its events count. Returns where its events are sent. */
async function createConnection({ call, inboundUrl }: Nodes) {
  const { credentials } = Created.parse(await call('POST', '/connections', { name: 'Other' }))
  const { inboundToken, signingSecret: secret } = credentials
  return { inboundUrl: new URL(`/api/connect/${inboundToken}/events`, inboundUrl).href, secret }
}

async function createWorkflows({ connectionId, call }: Nodes, url: string): Promise<void> {
  await call('PATCH', `/connections/${connectionId}`, { baseUrl: url })
  await call('POST', `/connections/${connectionId}/actions`, {
    ...{ name: 'Many', toolName: 'many', description: 'Is called often.', path: '/many', parameters: [] },
  })
  await call('POST', '/workflows', {
    ...{ name: 'Three', concurrency, trigger: { type: 'external.event', eventName: 'limits.three' } },
    steps: [{ key: 'call', type: 'http', method: 'POST', url: `${url}/three`, body: {} }],
  })
  for (let number = 0; number < callers; number++)
    await call('POST', '/workflows', {
      ...{ name: `Many ${number}`, concurrency: 100 },
      trigger: { type: 'external.event', eventName: 'limits.many' },
      steps: [{ key: 'call', type: 'action', connectionId, toolName: 'many', arguments: {} }],
    })
}

/** Counts what is under way at once. */
function createCounter() {
  let [active, most, count] = [0, 0, 0]
  return {
    begin() {
      count++
      active++
      most = Math.max(most, active)
    },
    end() {
      active--
    },
    /** Returns the most that were under way at once since the last call. */
    most() {
      const result = most
      most = active
      return result
    },
    count: () => count,
  }
}

/** Starts a receiver that answers `/three` and `/many` after a while. */
async function startReceiver() {
  const [three, many] = [createCounter(), createCounter()]
  const server = createServer((incoming, response) => {
    const counter = incoming.url === '/three' ? three : many
    counter.begin()
    // Also of a sender that was killed.
    response.once('close', counter.end)
    incoming.resume()
    setTimeout(() => response.setHeader('content-type', 'application/json').end('{}'), answerMs)
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  return {
    ...{ three, many, url: `http://127.0.0.1:${port}` },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Sends events, so that runs of them always wait. @param came returns for how many of them there were calls. */
function keepWaiting(
  { inboundUrl, secret }: Pick<Nodes, 'inboundUrl' | 'secret'>,
  name: string,
  came: () => number,
) {
  const sender = createSender()
  let [sent, refused] = [0, 0]
  let isStopped = false
  async function keep(): Promise<void> {
    while (!isStopped) {
      if (sent - came() >= backlog) await delay(20)
      else {
        sent++
        if ((await sender.post(inboundUrl, signedEvent(secret, name, {}))) !== 200) refused++
      }
    }
  }
  const keeping = Promise.all(Array.from({ length: 4 }, keep))
  return {
    refused: () => refused,
    async stop() {
      isStopped = true
      await keeping
      await sender.close()
    },
  }
}

if (import.meta.main) await run(givenNumbers('seconds', 'nodes', 'rounds'))
