/**
 * Ids of nodes at full rate, while nodes are killed, stopped and started, their clocks are set, and one hangs for so long
 * that another node gets its slot: no id is made twice.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { sequenceOfEventId } from '#main/lib/sequence.ts'
import { slotOf } from '#main/storage/postgres/ids.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { listRuns } from './support/list-runs.ts'
import type { Nodes } from './support/nodes.ts'
import { waitForRuns } from './support/noted-steps.ts'
import { onNodes } from './support/on-nodes.ts'
import { sendSteadily } from './support/send-steadily.ts'
import { createSender, signedEvent } from './support/sender.ts'
import { shiftedClock } from './support/shifted-clock.ts'
import { readStored } from './support/stored-events.ts'

const senders = 32
/** By how many milliseconds the clock of a node is wrong, one after another. */
const shiftsMs = [0, 60_000, -60_000, 3000, -3000, 0]
/** Milliseconds after which another node takes the slot of one that was not seen, and a little more. */
const goneMs = 31_000
/** Milliseconds for which the node that has hung finds no free slot. */
const withoutSlotMs = 3000

/** @param random between 0 and 1; chooses the nodes. */
export async function run({
  seconds = 60,
  nodes: count = 4,
  restarts = 20,
  hangs = 1,
  random = Math.random,
} = {}): Promise<readonly Figure[]> {
  return [
    ...(seconds > 0 ? await restart(seconds, count, restarts, random) : []),
    ...(hangs > 0 ? await hang(Math.max(3, count)) : []),
  ]
}

/** Starts a run of each event that ends with it. */
async function startRuns({ call }: Nodes): Promise<void> {
  await call('POST', '/workflows', {
    ...{ name: 'Ends', trigger: { type: 'external.event' } },
    steps: [{ key: 'end', type: 'stop', outcome: 'succeeded' }],
  })
}

async function restart(
  seconds: number,
  count: number,
  restarts: number,
  random: () => number,
): Promise<readonly Figure[]> {
  return onNodes(
    count,
    async (nodes, database) => {
      await startRuns(nodes)
      await watchOccurrences(database.url)
      const { inboundUrl: url, secret, connectionId } = nodes
      const sending = sendSteadily({ url, secret, senders, pauseMs: 0 })
      const refusing = sendSteadily({ url, secret: `${secret}0`, senders: 2, pauseMs: 0 })
      for (let round = 0; round < restarts; round++) {
        await delay((seconds * 1000) / restarts / 2)
        nodes.at(Math.floor(random() * count)).process.kill('SIGUSR2')
        await delay((seconds * 1000) / restarts / 2)
        const index = Math.floor(random() * count)
        await nodes.kill(index, round % 2 === 0 ? 'SIGKILL' : 'SIGTERM')
        await nodes.start(index)
      }
      await Promise.all([sending.stop(), refusing.stop()])
      const unended = await waitForRuns(nodes)
      const stored = await readStored(nodes, connectionId)
      const runs = await listRuns(nodes)
      const ids = new Set(stored.map(({ data }) => data.id))
      const { acknowledged, answers } = sending
      const figures: Figure[] = [
        { name: 'events answered 200', value: acknowledged.size },
        { name: 'of them lost', value: [...acknowledged].filter(id => !ids.has(id)).length, must: 0 },
        { name: 'events stored', value: stored.length },
        {
          name: 'ids of events that are not unique',
          value: repeated(stored.map(one => one.eventId)),
          must: 0,
        },
        { name: 'ids of runs that are not unique', value: repeated(runs.map(one => one.runId)), must: 0 },
        { name: 'runs not ended', value: unended, must: 0 },
        { name: 'slots used', value: new Set(stored.map(one => slotOfEvent(one.eventId))).size },
        { name: 'statements that failed because of a clash', value: database.clashes(), must: 0 },
        {
          name: 'events answered otherwise than with 200',
          value: answers.filter(({ status }) => status !== null && status !== 200).length,
          must: 0,
        },
        { name: 'events without an answer', value: answers.filter(({ status }) => status === null).length },
        {
          name: 'refused requests answered otherwise than with 401',
          value: refusing.answers.filter(({ status }) => status !== null && status !== 401).length,
          must: 0,
        },
        { name: 'nodes that have ended by themselves', value: nodes.ended(), must: 0 },
      ]
      printFigures(`${seconds} s at full rate, ${restarts} restarts of one of ${count} nodes`, figures)
      return figures
    },
    () => shiftedClock(...shiftsMs),
  )
}

/** Makes a record of the history that replaces another one a clash. */
async function watchOccurrences(url: string): Promise<void> {
  await query(
    url,
    `CREATE FUNCTION clash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'duplicate key of an occurrence'; END $$;
    CREATE TRIGGER clash BEFORE UPDATE ON occurrence FOR EACH ROW
      WHEN ((old.kind, old.connection, old.subject, old.at) IS DISTINCT FROM (new.kind, new.connection, new.subject, new.at))
      EXECUTE FUNCTION clash()`,
  )
}

const repeated = (ids: readonly string[]) => ids.length - new Set(ids).size
const slotOfEvent = (eventId: string) => slotOf(sequenceOfEventId(eventId) ?? Number.NaN)

/** Stops the last node until the one before it, started again, has its slot; then it goes on, while there is no other slot. */
async function hang(count: number): Promise<readonly Figure[]> {
  const [last, heir] = [count - 1, count - 2]
  return onNodes(count, async (nodes, database) => {
    await startRuns(nodes)
    await watchOccurrences(database.url)
    const sending = Array.from({ length: count }, (_, index) => keepSending(nodes, index))
    const [old, other] = await Promise.all([slotAt(nodes, last), slotAt(nodes, heir)])
    const hung = nodes.at(last).process
    hung.kill('SIGSTOP')
    await delay(1000)
    await nodes.kill(heir)
    await delay(goneMs)
    // All other slots, also that which the heir had before.
    await query(
      database.url,
      `INSERT INTO node (slot, name, seen_at, config_version) SELECT s, 'other', 9e15, 9e15 FROM generate_series(0, 31) AS s
        WHERE s <> ${old} ON CONFLICT (slot) DO UPDATE SET name = 'other', seen_at = 9e15 WHERE node.slot = ${other}`,
    )
    await nodes.start(heir)
    const inherited = await slotAt(nodes, heir)
    const waiting = Array.from({ length: 32 }, () => post(nodes, last))
    await delay(100)
    const wokenAt = performance.now()
    hung.kill('SIGCONT')
    const first = await Promise.all(waiting)
    await delay(withoutSlotMs)
    const freedAt = performance.now()
    await query(database.url, `DELETE FROM node WHERE slot = ${other}`)
    while ((await post(nodes, last)) !== 200) await delay(20)
    const backAt = performance.now()
    await delay(2000)
    const answers = (await Promise.all(sending.map(one => one.stop()))).flat()
    const stored = await readStored(nodes, nodes.connectionId)
    const ids = new Set(stored.map(({ data }) => data.id))
    const ofLast = new Set(answers.flatMap(({ node, at, id }) => (node === last && at > wokenAt ? [id] : [])))
    const isBetween = ({ node, at }: Answered, from: number, to: number) =>
      node === last && at > from && at < to
    const figures: Figure[] = [
      { name: 'slot that another node has taken', value: inherited, must: old },
      {
        name: 'its first requests answered otherwise than with 503',
        value: first.filter(status => status !== 503).length,
        must: 0,
      },
      {
        name: 'answered otherwise while it had no slot',
        value: answers.filter(one => isBetween(one, wokenAt, freedAt) && one.status !== 503).length,
        must: 0,
      },
      {
        name: 'events that it has stored with the slot of the other',
        value: stored.filter(one => ofLast.has(one.data.id) && slotOfEvent(one.eventId) === old).length,
        must: 0,
      },
      { name: 'events that it has stored', value: stored.filter(one => ofLast.has(one.data.id)).length },
      {
        name: 'time until 200, once a slot was free',
        value: (backAt - freedAt) / 1000,
        unit: ' s',
        target: 5,
      },
      {
        name: 'events answered 200, but lost',
        value: answers.filter(({ status, id }) => status === 200 && !ids.has(id)).length,
        must: 0,
      },
      {
        name: 'events of other nodes answered otherwise than with 200',
        value: answers.filter(({ node, status }) => node !== last && status !== null && status !== 200)
          .length,
        must: 0,
      },
      { name: 'statements that failed because of a clash', value: database.clashes(), must: 0 },
      { name: 'nodes that have ended by themselves', value: nodes.ended(), must: 0 },
    ]
    printFigures('A node hangs until another one has its slot', figures)
    return figures
  })
}

type Answered = {
  readonly node: number
  readonly id: string
  /** When it was sent, by `performance.now()`. */
  readonly at: number
  readonly status: number | null
}

/** Sends to one node as fast as it answers. */
function keepSending(nodes: Nodes, node: number) {
  const sender = createSender()
  const answers: Answered[] = []
  let isStopped = false
  async function send(place: number): Promise<void> {
    for (let number = 0; !isStopped; number++) {
      const id = `${node}-${place}-${number}`
      const at = performance.now()
      const status = await sender.post(
        inboundUrlAt(nodes, node),
        signedEvent(nodes.secret, 'nodes.ids', { id }),
      )
      answers.push({ node, id, at, status })
      if (status !== 200) await delay(20)
    }
  }
  const sending = Promise.all([0, 1, 2, 3].map(send))
  return {
    async stop() {
      isStopped = true
      await sending
      await sender.close()
      return answers
    },
  }
}

/** Returns where a node takes events, or an address where nobody listens if it does not run. */
function inboundUrlAt(nodes: Nodes, node: number): string {
  try {
    return nodes.at(node).inboundUrl
  } catch {
    return 'http://127.0.0.1:9/'
  }
}

async function post(nodes: Nodes, node: number): Promise<number | null> {
  const sender = createSender()
  try {
    return await sender.post(nodes.at(node).inboundUrl, signedEvent(nodes.secret, 'nodes.ids', {}))
  } finally {
    await sender.close()
  }
}

/** Returns the slot with which a node makes ids. */
async function slotAt(nodes: Nodes, node: number): Promise<number> {
  const sender = createSender()
  const id = `slot of ${node} ${performance.now()}`
  try {
    await sender.post(nodes.at(node).inboundUrl, signedEvent(nodes.secret, 'nodes.ids', { id }))
  } finally {
    await sender.close()
  }
  const found = (await readStored(nodes, nodes.connectionId)).find(one => one.data.id === id)
  return slotOfEvent(found?.eventId ?? '')
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query(text).finally(() => client.end())
}

if (import.meta.main) await run(givenNumbers('seconds', 'nodes', 'restarts', 'hangs'))
