/**
 * One of several nodes loses the network to PostgreSQL, in both directions or in one: nothing is reset, nothing arrives.
 * It refuses events, its runs go on elsewhere, other nodes change the configuration, and it works again afterwards.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { fetch } from 'undici'
import { z } from 'zod'
import { signedHeaders } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { type Direction, startHangingProxy } from './support/hanging-proxy.ts'
import type { RunningService } from './support/processes.ts'
import { type Answer, recoveryMs, sendSteadily } from './support/send-steadily.ts'
import { type OnNodes, startDatabase, withNodes } from './support/with-nodes.ts'

const hungMs = 30_000
/** Milliseconds in which the node has to notice, and until it accepts again; then the runs left behind are ended too. */
const noticeMs = 5000
const afterwardsMs = 8000
/** Milliseconds for which each sender waits after an answer: in all, fewer runs start than a workflow keeps. */
const pauseMs = 500
/** Milliseconds that each step takes, so that runs are under way when the network fails. */
const stepMs = 200
const changeEveryMs = 1000
const pollEveryMs = 20

const Created = z.object({ connectionId: z.string() })
const Credentials = z.object({ inboundUrl: z.string(), signingSecret: z.string() })

const kinds: readonly (readonly Direction[])[] = [
  ['to the server', 'to the node'],
  ['to the server'],
  ['to the node'],
]

/** @param rounds of each kind. */
export async function run({ nodes: count = 3, rounds = 1 } = {}): Promise<readonly Figure[]> {
  const database = await startDatabase()
  const { port } = new URL(database.url)
  const proxy = await startHangingProxy(Number(port))
  const through = database.url.replace(`:${port}/`, `:${proxy.port}/`)
  const watcher = new Client(database.url)
  try {
    await watcher.connect()
    const setupOf = (index: number) => (index === 0 ? { url: through } : {})
    return await withNodes({ count, url: database.url, setupOf, stepMs }, async on => {
      const { nodes, send, check } = on
      await watcher.query(noteEnds)
      const switched = await createSwitched(nodes)
      const sending = send(pauseMs)
      const { inboundUrl: url, secret } = nodes.at(0)
      const toHung = sendSteadily({ url, secret, pauseMs, senders: 8, prefix: 'hung' })
      const figures: Figure[] = []
      for (let round = 0; round < rounds * kinds.length; round++) {
        await Promise.all([sending.acknowledgedMore(100), toHung.acknowledgedMore(50)])
        const directions = kinds[round % kinds.length] ?? []
        const found = await partition(on, directions, { proxy, watcher, switched, answers: toHung.answers })
        printFigures(`${hungMs / 1000} s without what is sent ${directions.join(' and ')}`, found)
        figures.push(...found)
        await delay(afterwardsMs)
      }
      const { rows } = await watcher.query('SELECT run FROM bench_end GROUP BY run HAVING count(*) > 1')
      const afterwards: Figure[] = [
        ...(await check(sending, toHung)),
        { name: 'runs that have ended twice', value: rows.length, must: 0 },
      ]
      printFigures('afterwards', afterwards)
      return [...figures, ...afterwards]
    })
  } finally {
    await watcher.end()
    proxy.close()
    await database.close()
  }
}

type Watch = {
  readonly proxy: Awaited<ReturnType<typeof startHangingProxy>>
  /** Is connected to the server. */
  readonly watcher: Client
  readonly switched: Awaited<ReturnType<typeof createSwitched>>
  /** The answers of the node that is cut off. */
  readonly answers: readonly Answer[]
}

async function partition(
  { nodes }: OnNodes,
  directions: readonly Direction[],
  { proxy, watcher, switched, answers }: Watch,
): Promise<Figure[]> {
  const [hung, other] = [nodes.at(0), nodes.at(1)]
  // One is under way when the network fails, and may hold a lock.
  let isHung = false
  const ownChanges = repeat(
    () => isHung,
    0,
    () => change(hung).catch(() => {}),
  )
  await delay(changeEveryMs)
  proxy.hang(directions)
  isHung = true
  const hungAt = performance.now()
  const isOver = () => performance.now() > hungAt + hungMs

  let unreadyAt = Number.NaN
  let readyAgain = 0
  const polls = repeat(isOver, pollEveryMs, async () => {
    const isReady = await readyOf(hung)
    if (!isReady && Number.isNaN(unreadyAt)) unreadyAt = performance.now()
    if (isReady && !Number.isNaN(unreadyAt)) readyAgain++
  })
  let lastHeldAt = hungAt
  const held = new Set<string>()
  const runs = repeat(isOver, pollEveryMs, async () => {
    const { rows } = await watcher.query<{ id: string }>('SELECT id FROM run WHERE state = 2 AND node = 0')
    if (rows.length > 0) lastHeldAt = performance.now()
    for (const { id } of rows) held.add(id)
  })
  const changes: number[] = []
  let failedChanges = 0
  let disobeyed = 0
  let enabled = false
  const otherChanges = repeat(isOver, changeEveryMs, async () => {
    enabled = !enabled
    const startedAt = performance.now()
    const isChanged = await switched.set(other, enabled).then(
      () => true,
      () => false,
    )
    changes.push(performance.now() - startedAt)
    if (!isChanged) failedChanges++
    else if (![503, enabled ? 200 : 403].includes(await switched.post(hung))) disobeyed++
  })
  await Promise.all([ownChanges, polls, runs, otherChanges])
  const healedAt = performance.now()
  proxy.heal()
  await repeat(
    () => performance.now() > healedAt + noticeMs + 1000,
    pollEveryMs,
    async () => {},
  )
  const whileHung = answers.filter(({ sentAt }) => sentAt > hungAt && sentAt < healedAt)
  const refusedAt = whileHung.find(({ status }) => status === 503)?.answeredAt ?? Number.NaN
  const took = whileHung.map(({ sentAt, answeredAt }) => answeredAt - sentAt)
  const late = whileHung.filter(({ sentAt, status }) => sentAt > hungAt + noticeMs && status !== 503)
  const inSeconds = (ms: number) => ({ value: ms / 1000, unit: ' s' })
  return [
    { name: 'until it is unready', ...inSeconds(unreadyAt - hungAt), target: noticeMs / 1000 },
    { name: 'polls at which it was ready again', value: readyAgain, must: 0 },
    { name: 'until it answers 503', ...inSeconds(refusedAt - hungAt), target: noticeMs / 1000 },
    { name: 'longest time until it answers', ...inSeconds(Math.max(...took)), target: noticeMs / 1000 },
    { name: 'events sent to it', value: whileHung.length },
    { name: 'of them after 5 s, answered otherwise than 503', value: late.length, must: 0 },
    { name: 'events answered 200 meanwhile', value: whileHung.filter(({ status }) => status === 200).length },
    { name: 'its runs under way', value: held.size },
    { name: 'until the last of them goes on elsewhere', ...inSeconds(lastHeldAt - hungAt), target: 12 },
    { name: 'changes of the configuration on another node', value: changes.length },
    { name: 'of them failed', value: failedChanges, must: 0 },
    { name: 'answers by the configuration before one', value: disobeyed, must: 0 },
    { name: 'longest change', ...inSeconds(Math.max(...changes)), target: 6 },
    {
      name: 'until it accepts, after the network is back',
      ...inSeconds(recoveryMs(answers, healedAt)),
      target: 5,
    },
  ]
}

/** Calls `poll` again and again until `isOver`. */
async function repeat(isOver: () => boolean, everyMs: number, poll: () => Promise<unknown>): Promise<void> {
  while (!isOver()) {
    await poll()
    await delay(everyMs)
  }
}

async function readyOf({ line }: RunningService): Promise<boolean> {
  const response = await fetch(`${line.dashboardUrl}/readyz`)
  await response.arrayBuffer()
  return response.status === 200
}

/** Creates a connection that is switched off. */
async function createSwitched({ call }: OnNodes['nodes']) {
  const { connectionId } = Created.parse(await call('POST', '/connections', { name: 'Switched' }))
  const path = `/connections/${connectionId}`
  await call('PATCH', path, { enabled: false })
  const { inboundUrl, signingSecret } = Credentials.parse(await call('GET', `${path}/credentials`))
  const key = new SigningKey(signingSecret)
  return {
    set: (node: RunningService, enabled: boolean) => node.call('PATCH', path, { enabled }),
    /** Sends an event to a node. Returns the status of its answer. */
    async post({ line }: RunningService): Promise<number> {
      const url = line.listenerUrl + new URL(inboundUrl).pathname
      const body = JSON.stringify({ event: 'nodes.test', data: { id: `switched-${performance.now()}` } })
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...signedHeaders(key, Date.now(), body) },
        body,
      })
      await answer.arrayBuffer()
      return answer.status
    },
  }
}

/** Changes the configuration. */
async function change({ call, connectionId }: RunningService): Promise<void> {
  await call('PATCH', `/connections/${connectionId}`, { name: `Bench ${performance.now()}` })
}

/** Notes each end of a run. */
const noteEnds = `
  CREATE TABLE bench_end (run bigint);
  CREATE FUNCTION bench_note_end() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO bench_end VALUES (NEW.id); RETURN NULL; END';
  CREATE TRIGGER bench_end AFTER UPDATE OF ended_at ON run FOR EACH ROW WHEN (NEW.ended_at IS NOT NULL)
    EXECUTE FUNCTION bench_note_end()`

if (import.meta.main) await run(givenNumbers('rounds', 'nodes'))
