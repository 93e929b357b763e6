/**
 * Three nodes, each behind a proxy to PostgreSQL, under faults of all kinds in a random order: of the nodes, the network,
 * the server and its clock. All that was sent, answered, called, read and changed is noted, and checked at the end against
 * what is promised: docs/nodes.md.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fetch } from 'undici'
import { stopAll } from '#main/lib/stop-all.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { startHangingProxy } from './support/hanging-proxy.ts'
import { availability, type MadeFault, printFaults } from './support/history/availability.ts'
import { nodeVariable, startCallReceiver } from './support/history/call-receiver.ts'
import { changeConfiguration } from './support/history/change-configuration.ts'
import { type Checked, checkHistory } from './support/history/check-history.ts'
import { createClient } from './support/history/client.ts'
import { allFaults, type Cluster, type Fault } from './support/history/faults.ts'
import { createRecords, startLoad } from './support/history/load.ts'
import { createRandom } from './support/history/random.ts'
import { readRecords } from './support/history/read-records.ts'
import { readStoredHistory } from './support/history/read-stored-history.ts'
import { sendEvents } from './support/history/send-events.ts'
import { createServerClock } from './support/history/server-clock.ts'
import { openStreams, streams } from './support/history/streams.ts'
import { type Nodes, startNodes } from './support/nodes.ts'
import { waitForRuns } from './support/noted-steps.ts'
import { startDatabase } from './support/with-nodes.ts'

/** Few enough that all can be taken. */
const settings = { max_connections: 80 }
/** Milliseconds that each step takes, so that runs are under way when something fails. */
const stepMs = 50
/** Milliseconds before the first fault, and at most between two. */
const [firstMs, betweenMs] = [2000, 3000]
/** Milliseconds after a fault until every node has to be ready. */
const readyMs = 60_000
const pollEveryMs = 50
/** Records that are printed of a violated rule; a file has all. */
const shownProofs = 3

const hidingPauses = new URL('support/hide-pauses.ts', import.meta.url).href

/**
 * @param seconds how long faults go on. @param seed of their order, chosen by the time if it is 0.
 * @param only the place of the only fault in the list of all; -1 for all.
 */
export async function run({
  seconds = 600,
  seed = 0,
  nodes: count = 3,
  only = -1,
} = {}): Promise<readonly Figure[]> {
  const chosen = seed === 0 ? Date.now() % 1_000_000 : seed
  const closing: (() => unknown)[] = []
  try {
    const clock = createServerClock()
    if (clock !== null) closing.unshift(clock.remove)
    else console.log('Without a C compiler, the clock of the server is not set.')
    const faults = allFaults(clock !== null).filter((_, index) => only === -1 || index === only)
    console.log(`seed ${chosen}: ${seconds} s of ${faults.map(({ name }) => name).join(', ')}`)
    const database = await startDatabase(settings, clock?.env)
    closing.unshift(database.close)
    const { port } = new URL(database.url)
    const proxies = await Promise.all(Array.from({ length: count }, () => startHangingProxy(Number(port))))
    closing.unshift(...proxies.map(proxy => proxy.close))
    const records = createRecords()
    const receiver = await startCallReceiver(records.calls, stepMs)
    closing.unshift(receiver.close)
    const nodes = await startNodes(count, database.url, index => ({
      url: database.url.replace(`:${port}/`, `:${proxies[index]?.port}/`),
      env: {
        [nodeVariable]: `node-${index}`,
        // A suspended machine does not know that it was away.
        ...(index > 0 && { NODE_OPTIONS: `--import ${hidingPauses}` }),
      },
    }))
    closing.unshift(nodes.close)
    const client = createClient(nodes)
    closing.unshift(client.close)
    const opened = await openStreams(nodes, receiver.url)
    const random = createRandom(chosen)
    const stop = startLoad(
      {
        ...{ client, records, opened, receiverUrl: receiver.url },
        ...{ random: createRandom(chosen + 1), nodes: proxies.map((_, index) => index) },
      },
      [sendEvents, changeConfiguration, readRecords],
    )
    await delay(firstMs)
    const made = await makeFaults({ nodes, proxies, database, clock, random }, faults, seconds * 1000)
    await delay(firstMs)
    await stop()
    const unended = await waitForRuns(nodes)
    const history = { streams, ...records, ...(await readStoredHistory(nodes, opened)) }
    const checked = checkHistory(history)
    const figures: Figure[] = [
      { name: 'faults', value: made.length },
      { name: 'of different kinds', value: new Set(made.map(({ name }) => name)).size },
      ...availability(records.sent),
      { name: 'calls of steps', value: records.calls.length },
      {
        name: 'of them repeated',
        value: records.calls.length - new Set(records.calls.map(({ key }) => key)).size,
      },
      { name: 'changes and reads of the configuration', value: records.looks.length },
      { name: 'reads by id', value: records.reads.length },
      { name: 'lists', value: records.walks.length },
      { name: 'events stored', value: history.events.length },
      { name: 'runs stored', value: history.runs.length },
      {
        name: 'faults after which a node was not ready in time',
        ...{ value: made.filter(({ readyMs }) => Number.isNaN(readyMs)).length, must: 0 },
      },
      { name: 'runs not ended', value: unended, must: 0 },
      { name: 'nodes that have ended by themselves', value: nodes.ended(), must: 0 },
      ...checked.map(({ rule, proofs }) => ({ name: rule, value: proofs.length, must: 0 })),
    ]
    printFigures(`${seconds} s of faults under ${count} nodes, seed ${chosen}`, figures)
    printFaults(made, records.sent)
    tell(checked, { ...history, faults: made }, chosen)
    return figures
  } finally {
    await stopAll(closing)
  }
}

/** Makes one fault after another for so many milliseconds, each of them before any comes again. */
async function makeFaults(
  cluster: Cluster,
  faults: readonly Fault[],
  forMs: number,
): Promise<readonly MadeFault[]> {
  const { random, nodes, proxies } = cluster
  const until = performance.now() + forMs
  const made: MadeFault[] = []
  for (let left: Fault[] = []; performance.now() < until; ) {
    if (left.length === 0) left = random.shuffle(faults)
    const fault = left.pop()
    if (fault === undefined) break
    const { name } = fault
    const lastsMs = random.between(...fault.seconds) * 1000
    const from = performance.now()
    const { nodes: failing = [], end } = await fault.begin(cluster)
    const lasts = `${(lastsMs / 1000).toFixed(1)} s`
    console.log(`  ${new Date().toISOString()} ${[name, lasts, ...failing].join(', ')}`)
    await delay(lastsMs)
    await end()
    const readyMs = await untilReady(nodes, proxies.length)
    made.push({ name, nodes: failing, from, to: performance.now(), readyMs })
    await delay(random.between(0, betweenMs))
  }
  return made
}

/** Resolves with the milliseconds until every node was ready; NaN if one was not in time. */
async function untilReady(nodes: Nodes, count: number): Promise<number> {
  const from = performance.now()
  for (let index = 0; index < count; ) {
    const isReady = await fetch(`${nodes.at(index).line.dashboardUrl}/readyz`).then(
      async response => {
        await response.arrayBuffer()
        return response.ok
      },
      () => false,
    )
    if (isReady) index++
    else if (performance.now() > from + readyMs) return Number.NaN
    else await delay(pollEveryMs)
  }
  return performance.now() - from
}

/** Prints the records that prove violations, and writes all to a file. */
function tell(checked: readonly Checked[], history: object, seed: number): void {
  const violated = checked.filter(({ proofs }) => proofs.length > 0)
  if (violated.length === 0) return
  for (const { rule, proofs } of violated) {
    console.log(rule)
    for (const proof of proofs.slice(0, shownProofs))
      console.log(`  ${proof.map(record => JSON.stringify(record).slice(0, 400)).join('\n  ')}\n`)
  }
  const file = join(mkdtempSync(join(tmpdir(), 'nodes-history-')), `${seed}.json`)
  writeFileSync(file, JSON.stringify({ violated, history }))
  console.log(`The whole history is in ${file}.`)
}

if (import.meta.main) await run(givenNumbers('seconds', 'seed', 'only', 'nodes'))
