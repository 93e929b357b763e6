/**
 * Changes of the configuration over REST while events arrive: once a change is answered, the next request to every node
 * obeys it. Once more with the notifications of PostgreSQL suppressed, so that nodes only learn of changes by looking.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { startDeafProxy } from './support/deaf-proxy.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import type { Nodes } from './support/nodes.ts'
import { onNodes } from './support/on-nodes.ts'
import { adminToken } from './support/processes.ts'
import { sendSteadily } from './support/send-steadily.ts'
import { createSender, type Sender, signedEvent } from './support/sender.ts'
import { type Silence, silences } from './support/silences.ts'
import { median, percentile } from './support/statistics.ts'

const senders = 8
/** Milliseconds for which each sender waits after an answer. */
const pauseMs = 20
/** Milliseconds for which a node is asked again and again that was silent. */
const askedForMs = 2000

/** The status of an answer, and the right one. */
type Answered = readonly [status: number | null, right: number]

/** A change that is about to be made on a node, and requests to a node that show whether it obeys it. */
type Change = {
  make(node: number): Promise<unknown>
  ask(node: number): Promise<readonly Answered[]>
}

type Parts = { readonly nodes: Nodes; readonly sender: Sender; readonly agent: Agent; readonly count: number }

const Created = z.object({
  connectionId: z.string(),
  credentials: z.object({ inboundToken: z.string(), signingSecret: z.string() }),
})
const Rotated = z.object({ signingSecret: z.string() })
const Token = z.object({ tokenId: z.string(), token: z.string() })
const Workflow = z.object({ workflowId: z.string() })
const Named = z.object({ name: z.string().optional() })
const Runs = z.object({ runs: z.array(z.object({ eventName: z.string() })) })

const callOf = ({ nodes }: Parts, node: number, ...rest: Parameters<Nodes['call']>) =>
  nodes.at(node).call(...rest)

async function createConnection(parts: Parts, node: number): Promise<z.infer<typeof Created>> {
  return Created.parse(await callOf(parts, node, 'POST', '/connections', { name: 'C', persistEvents: true }))
}

/** Returns the status with which a node answers an event. */
function post(
  { nodes, sender }: Parts,
  node: number,
  { credentials: { inboundToken, signingSecret } }: z.infer<typeof Created>,
  eventName = 'config.test',
) {
  const url = `${nodes.at(node).line.listenerUrl}/api/connect/${inboundToken}/events`
  return sender.post(url, signedEvent(signingSecret, eventName, {}))
}

/** The kinds of changes. Each is prepared on a node. */
const kinds: Record<string, (parts: Parts, node: number) => Promise<Change>> = {
  'a new connection': async parts => {
    let created: z.infer<typeof Created> | null = null
    return {
      async make(node) {
        created = await createConnection(parts, node)
      },
      ask: async node => [[created && (await post(parts, node, created)), 200]],
    }
  },
  'a rotated secret': async (parts, node) => {
    const before = await createConnection(parts, node)
    let after = before
    return {
      async make(node) {
        const path = `/connections/${before.connectionId}/rotate-secret`
        const { signingSecret } = Rotated.parse(await callOf(parts, node, 'POST', path, { graceHours: 0 }))
        after = { ...before, credentials: { ...before.credentials, signingSecret } }
      },
      ask: node =>
        Promise.all([answered(post(parts, node, before), 401), answered(post(parts, node, after), 200)]),
    }
  },
  'a disabled connection': async (parts, node) => {
    const created = await createConnection(parts, node)
    return {
      make: node => callOf(parts, node, 'PATCH', `/connections/${created.connectionId}`, { enabled: false }),
      ask: async node => [[await post(parts, node, created), 403]],
    }
  },
  'a revoked token': async (parts, node) => {
    const path = '/assistant/tokens'
    const { tokenId, token } = Token.parse(await callOf(parts, node, 'POST', path, { name: 'T' }))
    for (let other = 0; other < parts.count; other++)
      if ((await mcpStatus(parts, other, token)) !== 200) throw new Error('A new token is refused.')
    return {
      make: node => callOf(parts, node, 'DELETE', `${path}/${tokenId}`),
      ask: async node => [[await mcpStatus(parts, node, token), 401]],
    }
  },
  'a name that REST shows': async (parts, node) => {
    const { connectionId } = await createConnection(parts, node)
    const path = `/connections/${connectionId}`
    return {
      make: node => callOf(parts, node, 'PATCH', path, { name: 'New' }),
      ask: async node => [[await nameStatus(parts, node, path), 200]],
    }
  },
  'an enabled workflow': async (parts, node) => {
    const names = `config.${randomUUID()}`
    const { workflowId } = Workflow.parse(
      await callOf(parts, node, 'POST', '/workflows', {
        ...{ name: 'W', enabled: false, trigger: { type: 'external.event', eventName: `${names}.*` } },
        steps: [{ key: 'end', type: 'stop', outcome: 'succeeded' }],
      }),
    )
    const { nodes, sender } = parts
    return {
      make: node => callOf(parts, node, 'PATCH', `/workflows/${workflowId}`, { enabled: true }),
      async ask(node) {
        const eventName = `${names}.${node}`
        const status = await sender.post(nodes.at(node).inboundUrl, signedEvent(nodes.secret, eventName, {}))
        if (status !== 200) return [[status, 200]]
        const { runs } = Runs.parse(await callOf(parts, node, 'GET', `/runs?workflowId=${workflowId}`))
        return [[runs.some(one => one.eventName === eventName) ? 200 : null, 200]]
      },
    }
  },
}

/** Returns 200 if REST answers with the new name, and null for an old one. */
async function nameStatus({ nodes, agent }: Parts, node: number, path: string): Promise<number | null> {
  const { body, statusCode } = await request(`${nodes.at(node).line.dashboardUrl}/api/v1${path}`, {
    ...{ dispatcher: agent, headers: { authorization: `Bearer ${adminToken}` } },
  })
  const { name } = Named.parse(await body.json())
  return statusCode !== 200 ? statusCode : name === 'New' ? 200 : null
}

/** Returns the status with which a node answers the first request of an MCP client. */
async function mcpStatus({ nodes, agent }: Parts, node: number, token: string): Promise<number> {
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const answer = await request(`${nodes.at(node).line.dashboardUrl}/mcp`, {
    ...{ method: 'POST', dispatcher: agent },
    headers: {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
  await answer.body.dump()
  // After many wrong tokens, which a right one is not among.
  return answer.statusCode === 429 ? 401 : answer.statusCode
}

async function answered(status: Promise<number | null>, right: number): Promise<Answered> {
  return [await status, right]
}

type Made = {
  /** Milliseconds until each change was answered. */
  readonly took: number[]
  /** How many requests were answered otherwise than after the change. */
  disobeyed: number
  /** How many were refused by a node that had been silent. */
  refused: number
  /** Milliseconds after its silence until such a node answered all as it should. */
  readonly recovered: number[]
}

/**
 * Makes changes one after another, on each node in turn, and asks all.
 *
 * @param silent makes the last one silent while each change is made, or all.
 */
async function change(
  parts: Parts,
  changes: number,
  silent?: { begin(): Promise<() => Promise<void>>; isSilent(node: number): boolean },
): Promise<Made> {
  const { count } = parts
  const made: Made = { took: [], disobeyed: 0, refused: 0, recovered: [] }
  const working = silent === undefined ? count : count - 1
  const all = Object.entries(kinds)
  for (let index = 0; index < changes; index++) {
    const [name, prepare] = all[index % all.length] ?? []
    if (name === undefined || prepare === undefined) throw new Error('There are kinds.')
    if (silent) await isReady(parts, count - 1)
    const { make, ask } = await prepare(parts, (index + 1) % working)
    const endSilence = await silent?.begin()
    const startedAt = performance.now()
    await make(index % working)
    made.took.push(performance.now() - startedAt)
    const asked = Array.from({ length: count }, (_, node) => ask(node))
    if (endSilence !== undefined) {
      // Its next request is there before it knows that it was away.
      if (index % 2 === 0) await Promise.all(asked.slice(0, -1))
      await endSilence()
    }
    for (const [node, answers] of (await Promise.all(asked)).entries()) note(name, node, answers)
    if (endSilence !== undefined) await askAgain(name, ask)
  }
  return made

  /** Returns whether a node answers as it should. */
  function note(name: string, node: number, answers: readonly Answered[]): boolean {
    const wrong = answers.filter(([status, right]) => status !== right)
    // What is refused from memory is not compared with the database.
    for (const [status, right] of wrong)
      if (silent?.isSilent(node) && (status === 503 || (right === 200 && status !== null))) made.refused++
      else {
        made.disobeyed++
        console.log(`  ${name}: node ${node} answers ${status} instead of ${right}`)
      }
    return wrong.length === 0
  }

  async function askAgain(name: string, ask: Change['ask']): Promise<void> {
    const endedAt = performance.now()
    let recoveredAt: number | null = null
    while (recoveredAt === null || performance.now() < endedAt + askedForMs)
      if (note(name, count - 1, await ask(count - 1))) recoveredAt ??= performance.now()
    made.recovered.push(recoveredAt - endedAt)
  }
}

/** Resolves when a load balancer may send requests to a node. */
async function isReady({ nodes, agent }: Parts, node: number): Promise<void> {
  for (;;) {
    const answer = await request(`${nodes.at(node).line.dashboardUrl}/readyz`, { dispatcher: agent })
    await answer.body.dump()
    if (answer.statusCode === 200) return
    await delay(20)
  }
}

/** Makes changes while events arrive. */
async function changeUnderLoad(nodes: Nodes, changes: number, count: number) {
  const [sender, agent] = [createSender(), new Agent()]
  const sending = sendSteadily({ url: nodes.inboundUrl, secret: nodes.secret, senders, pauseMs })
  const made = await change({ nodes, sender, agent, count }, changes)
  await sending.stop()
  await Promise.all([sender.close(), agent.destroy()])
  return { ...made, answers: sending.answers }
}

/** @param target of the time of a change, in milliseconds: that of all but one in a hundred, or of all. */
function figuresOf(
  { took, disobeyed, answers }: Awaited<ReturnType<typeof changeUnderLoad>>,
  target: { readonly p99?: number; readonly most?: number },
): Figure[] {
  const figure = (name: string, value: number, most: number | undefined) => ({
    ...{ name, value, unit: ' ms' },
    ...(most !== undefined && { target: most }),
  })
  return [
    { name: 'requests that did not obey an answered change', value: disobeyed, must: 0 },
    { name: 'events meanwhile', value: answers.length },
    {
      name: 'of them not answered 200',
      value: answers.filter(({ status }) => status !== 200).length,
      must: 0,
    },
    figure('time of a change, p50', median(took), undefined),
    figure('time of a change, p99', percentile(took, 0.99), target.p99),
    figure('longest time of a change', Math.max(...took), target.most),
  ]
}

/**
 * @param changes how many are made as a rule. @param unheard without notifications. @param hung while a node is silent, in
 *   each way. With 0, that part is left out.
 */
export async function run({
  changes = 200,
  nodes: count = 3,
  unheard = 50,
  hung = 10,
} = {}): Promise<readonly Figure[]> {
  return [
    ...(changes > 0 ? await changeHeard(changes, count) : []),
    ...(unheard > 0 ? await changeUnheard(unheard, count) : []),
    ...(hung > 0 ? await changeWhileOneIsSilent(hung, count) : []),
  ]
}

async function changeHeard(changes: number, count: number): Promise<readonly Figure[]> {
  const made = await onNodes(count, nodes => changeUnderLoad(nodes, changes, count))
  const figures = figuresOf(made, { p99: 100 })
  printFigures(`${changes} changes of the configuration of ${count} nodes`, figures)
  return figures
}

async function changeUnheard(changes: number, count: number): Promise<readonly Figure[]> {
  const proxy = await startDeafProxy()
  try {
    const made = await onNodes(
      count,
      nodes => changeUnderLoad(nodes, changes, count),
      (_index, url) => ({ url: proxy.urlTo(url) }),
    )
    const figures = [
      ...figuresOf(made, { most: 1500 }),
      { name: 'connections that listened in vain', value: proxy.deaf(), must: count },
    ]
    printFigures(`${changes} of them without notifications`, figures)
    return figures
  } finally {
    proxy.close()
  }
}

/** Makes changes while the last node is silent for longer than others wait for it. */
async function changeWhileOneIsSilent(changes: number, count: number): Promise<readonly Figure[]> {
  const all: Figure[] = []
  for (const silence of silences) {
    const figures = await changeDuring(silence, changes, count)
    printFigures(`${changes} of them while ${silence.name}`, figures)
    all.push(...figures)
  }
  return all
}

async function changeDuring(silence: Silence, changes: number, count: number): Promise<readonly Figure[]> {
  const setupOf = (index: number) => (index === count - 1 ? (silence.setup ?? {}) : {})
  const { took, disobeyed, refused, recovered } = await onNodes(
    count,
    async (nodes, { url }) => {
      const [sender, agent] = [createSender(), new Agent()]
      try {
        return await change({ nodes, sender, agent, count }, changes, {
          begin: () => silence.begin(nodes, count - 1, url),
          isSilent: node => silence.isOfAll === true || node === count - 1,
        })
      } finally {
        await Promise.all([sender.close(), agent.destroy()])
      }
    },
    setupOf,
  )
  return [
    { name: 'requests that did not obey an answered change', value: disobeyed, must: 0 },
    { name: 'of the others, refused by a node that was silent', value: refused },
    { name: 'longest time of a change', value: Math.max(...took) / 1000, unit: ' s', target: 6 },
    {
      name: 'longest time until it works again',
      ...{ value: Math.max(...recovered) / 1000, unit: ' s', target: 5 },
    },
  ]
}

if (import.meta.main) await run(givenNumbers('changes', 'nodes', 'unheard', 'hung'))
