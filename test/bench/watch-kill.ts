/**
 * kill -9 again and again, of the one process on a data folder or of one of the nodes on a database, right after an alert
 * was written, or at any other moment: each transition of each alert is told to each target once, and the counts of hours
 * are what was sent, but for what came shortly before a kill.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { dayMs, hourMs } from '#shared/durations.ts'
import { startAlertTargets, webhookEnv } from './support/alert-targets.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { checkHours, type Sent, sendToNew } from './support/hour-sending.ts'
import { startNodes } from './support/nodes.ts'
import { waitForRuns } from './support/noted-steps.ts'
import type { Setup } from './support/processes.ts'
import { newFolder, type RunningService, removeFolder, startService } from './support/processes.ts'
import { startDatabase } from './support/with-nodes.ts'

/** Milliseconds within which a step opens or closes an alert; more than two steps. */
const stepMs = 40_000
const pollEveryMs = 2
/** Milliseconds after a transition within which a process is killed. */
const soonMs = 300
/** Each so many rounds, a process is killed at any other moment. */
const everyOther = 5
/** Each so many rounds on a data folder, a process lives until it has saved its counts. */
const everyLong = 10
/** Milliseconds after which counts are saved. */
const savedAfterMs = { folder: 61_000, database: 6000 }
/** Milliseconds within which the hours that are over are merged. */
const mergedMs = 70_000

/** The processes on one storage. */
type Processes = {
  running(): readonly RunningService[]
  /** Kills one of them, which is chosen by a number from 0 to 1. */
  kill(which: number): Promise<void>
  /** Starts those that do not run. */
  start(args?: readonly string[]): Promise<void>
  /** Returns a text that changes with each transition of an alert. */
  transitions(): Promise<string>
  close(): Promise<void>
}

/** @param nodes 0 for a data folder. @param random between 0 and 1. */
export async function run({ nodes = 0, rounds = 30, random = Math.random } = {}): Promise<readonly Figure[]> {
  const processes = await (nodes === 0 ? onFolder() : onDatabase(nodes))
  const [first] = processes.running()
  if (first === undefined) throw new Error('No process runs.')
  const savedAfter = nodes === 0 ? savedAfterMs.folder : savedAfterMs.database
  const targets = await startAlertTargets(first)
  const all: Sent[] = []
  const saved = new Set<Sent>()
  try {
    const disk = { enabled: false }
    await first.call('PATCH', '/watch', { disk, node: disk })
    await first.call('POST', '/backups/note', { at: Date.now() - 3 * dayMs })
    for (let round = 0; round < rounds; round++) {
      const sent = await sendToNew(processes.running(), `round-${round}`)
      all.push(sent)
      const before = await processes.transitions()
      const days = round % 2 === 0 ? 1 : 30
      await processes.running()[0]?.call('PATCH', '/watch', { backup: { days } })
      if (round % everyOther === everyOther - 1) await delay(random() * stepMs)
      else await transitionAfter(processes, before)
      if (nodes > 0 || round % everyLong === 0)
        await delay(Math.max(0, sent.at + savedAfter - performance.now()))
      await delay(random() * soonMs)
      if (performance.now() - sent.at >= savedAfter) saved.add(sent)
      await processes.kill(random())
      await processes.start()
    }
    const last = () => processes.running()[0] ?? first
    // What was not told is told by the next step but one, at the latest.
    await delay(2 * stepMs)
    const unended = await waitForRuns(last())
    const figures: Figure[] = [
      ...(await targets.check(last())),
      { name: 'runs not ended', value: unended, must: 0 },
      ...(await checkHours(last(), all, sent => saved.has(sent))),
    ]
    while (processes.running().length > 0) await processes.kill(0)
    await processes.start(['--clock-ahead', String(2 * hourMs)])
    await delay(mergedMs)
    const merged = await checkHours(last(), all, sent => saved.has(sent))
    figures.push(...merged.map(figure => ({ ...figure, name: `${figure.name}, when merged` })))
    printFigures(
      `${rounds} × kill -9 ${nodes === 0 ? 'on a data folder' : `of one of ${nodes} nodes`}`,
      figures,
    )
    return figures
  } finally {
    targets.close()
    await processes.close()
  }
}

async function transitionAfter({ transitions }: Processes, before: string): Promise<void> {
  for (const deadline = performance.now() + stepMs; performance.now() < deadline; await delay(pollEveryMs))
    if ((await transitions()) !== before) return
}

const transitionsQuery = 'SELECT count(*) AS opened, count(closed_at) AS closed FROM alert'

async function onFolder(): Promise<Processes> {
  const folder = newFolder()
  let service: RunningService | null = await startService(folder, { env: webhookEnv })
  const database = new DatabaseSync(join(folder, 'history.sqlite'), { readOnly: true, timeout: stepMs })
  const statement = database.prepare(transitionsQuery)
  return {
    running: () => (service === null ? [] : [service]),
    async kill() {
      const process = service?.process
      service = null
      process?.kill('SIGKILL')
      if (process !== undefined) await once(process, 'exit')
    },
    async start(args: Setup['args'] = []) {
      service ??= await startService(folder, { env: webhookEnv, args })
    },
    transitions: async () => JSON.stringify(statement.get()),
    async close() {
      database.close()
      await service?.stop()
      removeFolder(folder)
    },
  }
}

async function onDatabase(count: number): Promise<Processes> {
  const database = await startDatabase()
  const nodes = await startNodes(count, database.url, () => ({ env: webhookEnv }))
  const living = new Set(Array.from({ length: count }, (_, index) => index))
  const watcher = new Client(database.url)
  await watcher.connect()
  return {
    running: () => Array.from(living, nodes.at),
    async kill(which) {
      const index = [...living][Math.floor(which * living.size)] ?? 0
      living.delete(index)
      await nodes.kill(index)
    },
    async start(args = []) {
      for (let index = 0; index < count; index++) {
        if (living.has(index)) continue
        await nodes.start(index, { env: webhookEnv, args })
        living.add(index)
      }
    },
    transitions: async () => JSON.stringify((await watcher.query(transitionsQuery)).rows),
    async close() {
      await nodes.close()
      await watcher.end()
      await database.close()
    },
  }
}

if (import.meta.main) await run(givenNumbers('rounds', 'nodes'))
