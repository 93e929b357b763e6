/**
 * Measures a page of the dashboard that has its live stream from one of several nodes and reads its lists from each in
 * turn: how long after a change on any node it shows the change, and whether all nodes have it then.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { LiveMessage } from '#shared/model/live.ts'
import { createAction, testAction } from '../support/actions.ts'
import { createCluster } from '../support/postgres.ts'
import { type CreatedConnection, createConnection, createRest, type Rest } from '../support/rest-client.ts'
import { httpClient, type RpcClient, signIn } from '../support/rpc-client.ts'
import { postInbound } from '../support/service-fixture.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { databaseEnv } from './support/nodes.ts'
import { adminToken, newFolder, removeFolder, startServe } from './support/processes.ts'

/** Milliseconds after which a page that shows nothing will not. */
const mostMs = 10_000
/** Milliseconds between two changes: what follows at once would tell the page of both. */
const pauseMs = 1500

type Node = { readonly listenerUrl: string; readonly rest: Rest; readonly client: RpcClient }

/** Something that a page shows. */
type Shown = {
  readonly name: string
  readonly topic: LiveMessage['type']
  /** Changes it on a node. @param number of the change. */
  change(node: Node, number: number): Promise<unknown>
  /** Returns whether a node has it. */
  isAt(node: Node, number: number): Promise<boolean>
}

async function post(
  { listenerUrl }: Node,
  { credentials }: CreatedConnection,
  event: string,
  secret?: string,
) {
  const { pathname } = new URL(credentials.inboundUrl)
  const account = { inboundUrl: listenerUrl + pathname, signingSecret: secret ?? credentials.signingSecret }
  await postInbound(account, JSON.stringify({ event }), Date.now())
}

async function shownOf(rest: Rest): Promise<readonly Shown[]> {
  const stored = await createConnection(rest, { name: 'Stored', persistEvents: true })
  const refused = await createConnection(rest, { name: 'Refused', persistEvents: true })
  const counted = await createConnection(rest, { name: 'Counted' })
  const called = await createConnection(rest, { name: 'Called', baseUrl: 'http://127.0.0.1:9' })
  const ran = await createConnection(rest, { name: 'Ran', persistEvents: true })
  const action = await createAction(rest, called.connectionId)
  const steps = [{ key: 'end', type: 'stop', outcome: 'succeeded' }]
  const trigger = { type: 'external.event', connectionId: ran.connectionId }
  const { workflowId } = Object((await rest('POST', '/workflows', { name: 'W', trigger, steps })).body)
  const listed = ({ client }: Node, { connectionId }: CreatedConnection) =>
    client.activity.list({ connectionId, limit: 200 })
  return [
    {
      name: 'an event that is stored',
      topic: 'activity.changed',
      change: (node, number) => post(node, stored, `e${number}`),
      isAt: async (node, number) => (await listed(node, stored)).items.length > number,
    },
    {
      name: 'a refused request',
      topic: 'activity.changed',
      change: (node, number) => post(node, refused, `e${number}`, 'x'.repeat(32)),
      isAt: async (node, number) => (await listed(node, refused)).items.length > number,
    },
    {
      name: 'a call',
      topic: 'activity.changed',
      change: node => testAction(node.rest, { ...action, connectionId: called.connectionId }),
      isAt: async (node, number) => (await listed(node, called)).items.length > number,
    },
    {
      name: 'the counters of a connection',
      topic: 'statistics',
      change: (node, number) => post(node, counted, `e${number}`),
      isAt: async ({ client }, number) => {
        const { accepted } = await client.statistics.get({ connectionId: counted.connectionId })
        return accepted > number
      },
    },
    {
      name: 'a run',
      topic: 'runs.changed',
      change: (node, number) => post(node, ran, `e${number}`),
      isAt: async ({ client }, number) => {
        const { runs } = await client.runs.list({ workflowId, limit: 200 })
        return runs.filter(({ status }) => status === 'succeeded').length > number
      },
    },
    {
      name: 'a change of the configuration',
      topic: 'configuration',
      change: ({ rest }, number) =>
        rest('PATCH', `/connections/${stored.connectionId}`, { name: `Renamed ${number}` }),
      isAt: async ({ client }, number) =>
        (await client.connections.get({ connectionId: stored.connectionId })).name === `Renamed ${number}`,
    },
    {
      name: 'a conversation',
      topic: 'conversations',
      change: ({ rest }) => rest('POST', '/conversations', {}),
      isAt: async ({ client }, number) =>
        (await client.conversations.list({ limit: 100 })).conversations.length > number,
    },
  ]
}

/** Follows the live stream of a node. */
async function follow({ client }: Node, onMessage: (type: LiveMessage['type']) => void): Promise<() => void> {
  const stop = new AbortController()
  const stream = await client.live.follow({}, { signal: stop.signal })
  await stream.next()
  void (async () => {
    for await (const { type } of stream) onMessage(type)
  })().catch(() => {})
  return () => stop.abort()
}

export async function run({ rounds = 10, nodes: count = 3 } = {}): Promise<readonly Figure[]> {
  const cluster = createCluster()
  const server = await cluster.start({ max_connections: 200 })
  const folders = Array.from({ length: count }, newFolder)
  const running = await Promise.all(
    folders.map(folder =>
      startServe(folder, { args: ['--drain-seconds', '0', '--database', server.url()], env: databaseEnv }),
    ),
  )
  try {
    const nodes = await Promise.all(
      running.map(async ({ line: { dashboardUrl, listenerUrl } }): Promise<Node> => {
        const session = await signIn(dashboardUrl, adminToken)
        const client = httpClient(
          () => dashboardUrl,
          () => session,
        )
        return { listenerUrl, client, rest: createRest(() => dashboardUrl, adminToken) }
      }),
    )
    const nodeAt = (index: number) => {
      const node = nodes[index % nodes.length]
      if (node === undefined) throw new Error('There are no nodes.')
      return node
    }
    let reads = 0
    const figures: Figure[] = []
    for (const { name, topic, change, isAt } of await shownOf(nodeAt(0).rest)) {
      const took: number[] = []
      let never = 0
      let elsewhere = 0
      for (let round = 0; round < rounds; round++) {
        await delay(pauseMs)
        const shown = Promise.withResolvers<boolean>()
        let looking = Promise.resolve()
        let isAsked = false
        const stop = await follow(nodeAt(round), type => {
          if (type !== topic || isAsked) return
          isAsked = true
          looking = looking.then(async () => {
            isAsked = false
            if (await isAt(nodeAt(reads++), round)) shown.resolve(true)
          })
        })
        await change(nodeAt(Math.floor(round / count)), round)
        const startedAt = performance.now()
        const timer = setTimeout(() => shown.resolve(false), mostMs)
        if (await shown.promise) took.push(performance.now() - startedAt)
        else never++
        clearTimeout(timer)
        const all = await Promise.all(nodes.map(node => isAt(node, round)))
        if (all.includes(false)) elsewhere++
        stop()
        await looking
        const endsAt = performance.now() + mostMs
        while ((await Promise.all(nodes.map(node => isAt(node, round)))).includes(false)) {
          if (performance.now() > endsAt) throw new Error(`${name}: not all nodes have it.`)
          await delay(50)
        }
      }
      figures.push(
        {
          name: `${name}: longest time until it is shown`,
          value: Math.max(0, ...took),
          unit: ' ms',
          target: 1000,
        },
        { name: '  times that it was not shown', value: never, must: 0 },
        { name: '  times that another node did not have it then', value: elsewhere },
      )
    }
    printFigures(`What a page sees of ${count} nodes, ${rounds} times each`, figures)
    return figures
  } finally {
    await Promise.all(running.map(service => service.stop()))
    for (const folder of folders) removeFolder(folder)
    await server.stop('SIGQUIT')
    cluster.remove()
  }
}

if (import.meta.main) {
  const [rounds, nodes] = process.argv.slice(2).map(Number)
  await run({ ...(rounds !== undefined && { rounds }), ...(nodes !== undefined && { nodes }) })
}
