/**
 * The answers of the page of the activity with 100,000 events, 20,000 refused requests and 50,000 calls of 100 connections,
 * in a data folder and in PostgreSQL. Target: the median at most 50 ms; a search for an absent text to its end at most 2 s
 * of CPU time. And those of the map with 30 days of 1,000 connections: the first at most 300 ms, then at most 50 ms.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { dayHours } from '#main/storage/hour-count-store.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { dayMs } from '#shared/durations.ts'
import { type FolderSize, growFolder } from './support/grown-folder.ts'
import { databaseEnv } from './support/nodes.ts'
import { newFolder, removeFolder } from './support/processes.ts'
import { median } from './support/statistics.ts'
import { printHead, printRow } from './support/table.ts'
import { startWatched, type WatchedService } from './support/watched-service.ts'
import { startDatabase } from './support/with-nodes.ts'

const mostMs = 50
const mostSearchMs = 2000
const mostFirstMs = 300
const mapDays = 30

const reads = {
  'newest page': '/activity/list',
  failed: '/activity/list?outcome=failed',
  ok: '/activity/list?outcome=ok',
  'failed calls': '/activity/list?outcome=failed&kinds=call.finished',
  'calls of a source': '/activity/list?source=workflow',
  counts: '/activity/counts',
  'counts in 60 parts': '/activity/counts?buckets=60',
  'counts of failed in 200 parts': '/activity/counts?buckets=200&outcome=failed',
  groups: '/activity/groups',
} as const

/** Returns the CPU time that a process has used, in milliseconds; Linux only. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Does what PostgreSQL does by itself some minutes after it has got so many rows. */
async function tidy(database: string): Promise<void> {
  const pool = new Pool(connectorTo(database), 1)
  for (const table of ['event', 'event_text', 'occurrence', 'connection', 'hour_count'])
    await pool.query(`VACUUM ANALYZE ${table}`)
  pool.close()
}

/** Resolves when a process has used no more than a tenth of a second of CPU time: the search index is complete. */
async function atRest(pid: number): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; cpuMs(pid) - before > 100; await delay(1000))
    before = cpuMs(pid)
}

/** Searches for an absent text to the end. Returns milliseconds of CPU time of the service. */
async function searchAll({ call, process: { pid = 0 } }: WatchedService): Promise<number> {
  const Page = z.object({ items: z.array(z.unknown()), nextBefore: z.string().nullable() })
  const before = cpuMs(pid)
  for (let next: string | null = ''; next !== null; ) {
    const page = Page.parse(await call('GET', `/activity/list?text=xylqophone&limit=200${next}`))
    next = page.nextBefore && `&before=${page.nextBefore}`
  }
  return cpuMs(pid) - before
}

/** Starts a service on a new folder or database of this size, and returns what is found on it. */
async function onService<Found>(
  size: FolderSize,
  database: string | undefined,
  measure: (service: WatchedService) => Promise<Found>,
): Promise<Found> {
  const folder = newFolder()
  try {
    await growFolder(folder, size, database)
    if (database !== undefined) await tidy(database)
    const env = database === undefined ? {} : { ...databaseEnv, CUSTOM_CONNECTION_DATABASE: database }
    const service = await startWatched(folder, env)
    try {
      await atRest(service.process.pid ?? 0)
      return await measure(service)
    } finally {
      await service.stop()
    }
  } finally {
    removeFolder(folder)
  }
}

/** Prints the median of answers. */
async function measureReads(service: WatchedService, name: string, path: string, rounds: number) {
  const pid = service.process.pid ?? 0
  const began = cpuMs(pid)
  const answers = []
  for (let round = 0; round < rounds; round++)
    answers.push(await service.measured(() => service.call('GET', path)))
  // The time tells little where other programs need the processors.
  const cpu = (cpuMs(pid) - began) / rounds
  const value = median(answers.map(({ milliseconds }) => milliseconds))
  const blocked = median(answers.map(({ blockedMs }) => blockedMs))
  return { name, value, blocked, cpu }
}

function printRead({ name, value, blocked, cpu }: Awaited<ReturnType<typeof measureReads>>, most: number) {
  printRow({ name, values: [value], blocked: [blocked] }, { value: most })
  console.log(`  CPU time of each: ${cpu.toFixed(1)} ms`)
  return [name, value] as const
}

async function measureActivity(title: string, database: string | undefined, events: number, rounds: number) {
  const size = { connections: 100, events, spread: { calls: 500, attempts: 200 } }
  return onService(size, database, async service => {
    printHead(`${title}: median, ms (loop blocked)`, [`${events} events`])
    const found: (readonly [string, number])[] = []
    for (const [name, path] of Object.entries(reads)) {
      // The first one loads what the service loads when it is first asked.
      await service.call('GET', path)
      found.push(printRead(await measureReads(service, name, path, rounds), mostMs))
    }
    const search = await searchAll(service)
    printRow({ name: 'search for an absent text, CPU', values: [search] }, { value: mostSearchMs })
    return Object.fromEntries([...found, ['search', search] as const])
  })
}

async function measureMap(title: string, database: string | undefined, connections: number, rounds: number) {
  return onService({ connections, hours: mapDays * dayHours }, database, async service => {
    printHead(`${title}: the map, ms (loop blocked)`, [`${connections} connections`])
    // As the map asks: by whole days in UTC, with the present one.
    const since = (Math.floor(Date.now() / dayMs) - mapDays + 1) * dayMs
    const path = `/statistics/edges?since=${since}`
    // Of few connections, so that the service has loaded what it loads when it is first asked.
    await service.call('GET', '/statistics/edges')
    const first = printRead(await measureReads(service, 'edges of 30 days, first', path, 1), mostFirstMs)
    const again = printRead(await measureReads(service, 'edges of 30 days, again', path, rounds), mostMs)
    return Object.fromEntries([first, again])
  })
}

async function onDatabase<Found>(measure: (database: string) => Promise<Found>): Promise<Found> {
  const database = await startDatabase()
  try {
    return await measure(database.url)
  } finally {
    await database.close()
  }
}

export async function run({ events = 100_000, connections = 1000, rounds = 20 } = {}) {
  const activity = (title: string, database?: string) => measureActivity(title, database, events, rounds)
  const map = (title: string, database?: string) => measureMap(title, database, connections, rounds)
  return {
    inFolder: { ...(await activity('folder')), ...(await map('folder')) },
    inDatabase: {
      ...(await onDatabase(url => activity('PostgreSQL', url))),
      ...(await onDatabase(url => map('PostgreSQL', url))),
    },
  }
}

if (import.meta.main) await run()
