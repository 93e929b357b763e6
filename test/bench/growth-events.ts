/**
 * Searches, filters, pages, counts and overviews of a service with a million events and a million runs against one with
 * ten thousand of each, once the search index is complete and while it is behind. Target: at a million, 99 of 100 answers
 * within 300 ms, and the event loop blocked for at most 10.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { growFolder } from './support/grown-folder.ts'
import { newFolder, removeFolder } from './support/processes.ts'
import { median } from './support/statistics.ts'
import { printHead, printRow, type TableRow } from './support/table.ts'
import { type Answered, startWatched, type WatchedService } from './support/watched-service.ts'

const mostMs = 300
const mostBlockedMs = 10

type Ids = { readonly connectionId: string; readonly workflowId: string; readonly round: number }

const Connections = z.array(z.object({ connectionId: z.string() })).min(1)
const Workflows = z.array(z.object({ workflowId: z.string() })).min(1)

/** Words that no event has, and that share no part with those of other rounds, so that nothing is known of them. */
const absent = (round: number) => `xyl${(round * 7919).toString(36)}qophone`
/** Two letters that follow each other in no event. */
const absentPair = (round: number) => ['qz', 'zq', 'jx', 'vq', 'wz'][round % 5] ?? ''

const events = (query: (ids: Ids) => string) => (ids: Ids) =>
  `/connections/${ids.connectionId}/events?limit=50&${query(ids)}`
const runs = (query: (ids: Ids) => string) => (ids: Ids) => `/runs?limit=50&${query(ids)}`
const activity = (query: (ids: Ids) => string) => (ids: Ids) => `/activity/list?limit=50&${query(ids)}`

const reads: Readonly<Record<string, (ids: Ids) => string>> = {
  'events: newest page': events(() => ''),
  'events: by name': events(() => 'eventName=order.paid'),
  'events: by a name that none has': events(({ round }) => `eventName=none.${round}`),
  'events: common text': events(() => 'text=left%20at'),
  'events: text of one event': events(({ round }) => `text=${1_000_000 + round}`),
  'events: absent text': events(({ round }) => `text=${absent(round)}`),
  'events: two common letters': events(() => 'text=pa'),
  'events: two absent letters': events(({ round }) => `text=${absentPair(round)}`),
  'events: one absent letter': events(() => 'text=%C3%A9'),
  'events of all: absent text': ({ round }) => `/events?limit=50&text=${absent(round)}`,
  'activity: newest page': activity(() => ''),
  'activity: absent text': activity(({ round }) => `text=${absent(round)}`),
  'activity: two absent letters': activity(({ round }) => `text=${absentPair(round)}`),
  'activity: by name': activity(() => 'eventName=order.paid'),
  'activity: counts': () => '/activity/counts',
  'activity: counts of a name': () => '/activity/counts?eventName=order.paid',
  'activity: counts of an absent text': ({ round }) => `/activity/counts?text=${absent(round)}`,
  'activity: failed': activity(() => 'outcome=failed'),
  'activity: counts in 60 parts': () => '/activity/counts?buckets=60',
  'activity: groups': () => '/activity/groups',
  'statistics: names of 24 hours': ({ connectionId }) =>
    `/connections/${connectionId}/statistics/event-names`,
  'runs: newest page': runs(() => ''),
  'runs: failed': runs(() => 'status=failed'),
  'runs: of a connection': runs(({ connectionId }) => `connectionId=${connectionId}`),
  'runs: of a workflow': runs(({ workflowId }) => `workflowId=${workflowId}`),
  'runs: absent text': runs(({ round }) => `text=${absent(round)}`),
  'runs: two absent letters': runs(({ round }) => `text=${absentPair(round)}`),
  'runs: by a name that none has': runs(({ round }) => `eventName=none.${round}`),
  'runs: counts': () => '/runs/counts',
  'workflows: overview': () => '/workflows/overview',
  'workflows: steps of one': ({ workflowId }) => `/workflows/${workflowId}/steps`,
}

async function idsOf({ call }: WatchedService): Promise<Omit<Ids, 'round'>> {
  const [connection] = Connections.parse(await call('GET', '/connections'))
  const [workflow] = Workflows.parse(await call('GET', '/workflows'))
  return { connectionId: connection?.connectionId ?? '', workflowId: workflow?.workflowId ?? '' }
}

type Figures = { readonly p50: TableRow; readonly p99: TableRow }

async function measure(
  name: string,
  path: (ids: Ids) => string,
  services: readonly WatchedService[],
  rounds: number,
): Promise<Figures> {
  const answers = services.map((): Answered[] => [])
  const ids = await Promise.all(services.map(idsOf))
  for (let round = 0; round <= rounds; round++)
    for (const [index, service] of services.entries()) {
      const of = ids[index]
      if (of === undefined) continue
      const answer = await service.measured(() => service.call('GET', path({ ...of, round })))
      if (round > 0) answers[index]?.push(answer)
    }
  const at = (share: number, of: readonly number[]) =>
    of.toSorted((one, other) => one - other)[Math.ceil(of.length * share) - 1] ?? Number.NaN
  const blocked = answers.map(of => median(of.map(({ blockedMs }) => blockedMs)))
  const times = answers.map(of => of.map(({ milliseconds }) => milliseconds))
  return {
    p50: { name, values: times.map(median), blocked },
    p99: { name: `${name}, p99`, values: times.map(of => at(0.99, of)) },
  }
}

/** Resolves when the search index has come to the newest event. */
async function indexed(folder: string): Promise<void> {
  const file = join(folder, 'events.sqlite')
  for (;;) {
    const log = new DatabaseSync(file, { readOnly: true })
    const index = new DatabaseSync(`${file}.index`, { readOnly: true })
    try {
      const { seq } = log.prepare('SELECT max(seq) AS seq FROM events').get() ?? {}
      const { watermark } = index.prepare('SELECT watermark FROM state').get() ?? {}
      if (Number(watermark) >= Number(seq)) return
    } finally {
      log.close()
      index.close()
    }
    await delay(500)
  }
}

export async function run({ sizes = [10_000, 1_000_000], rounds = 40, behindRounds = 5 } = {}) {
  const folders = sizes.map(newFolder)
  const services: WatchedService[] = []
  const results: Record<string, Figures> = {}
  try {
    for (const [index, size] of sizes.entries())
      await growFolder(folders[index] ?? '', { connections: 1, workflows: 6, events: size, runs: size })
    for (const folder of folders)
      for (const suffix of ['', '-wal', '-shm'])
        rmSync(join(folder, `events.sqlite.index${suffix}`), { force: true })
    for (const folder of folders) services.push(await startWatched(folder))
    for (const isIndexed of [false, true]) {
      if (isIndexed) await Promise.all(folders.map(indexed))
      const title = isIndexed ? 'index complete' : 'index behind'
      printHead(
        `${title}: median (loop blocked) and p99, ms`,
        sizes.map(size => `${size} events`),
      )
      for (const [name, path] of Object.entries(reads)) {
        const figures = await measure(name, path, services, isIndexed ? rounds : behindRounds)
        printRow(figures.p50, { blockedMs: mostBlockedMs })
        printRow(figures.p99, { value: mostMs })
        results[`${name}${isIndexed ? '' : ', index behind'}`] = figures
      }
    }
    return results
  } finally {
    for (const service of services) await service.stop()
    for (const folder of folders) removeFolder(folder)
  }
}

if (import.meta.main) {
  const sizes = process.argv.slice(2).map(Number)
  await run(sizes.length === 0 ? {} : { sizes })
}
