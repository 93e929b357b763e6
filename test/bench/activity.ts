/**
 * The answers of the page of the activity with 100,000 events, 20,000 refused requests and 50,000 calls of 100 connections,
 * in a data folder and in PostgreSQL. Target: the median at most 50 ms; a search for an absent text to its end at most 2 s
 * of CPU time.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { growFolder } from './support/grown-folder.ts'
import { databaseEnv } from './support/nodes.ts'
import { newFolder, removeFolder } from './support/processes.ts'
import { median } from './support/statistics.ts'
import { printHead, printRow } from './support/table.ts'
import { startWatched, type WatchedService } from './support/watched-service.ts'
import { startDatabase } from './support/with-nodes.ts'

const mostMs = 50
const mostSearchMs = 2000

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
  for (const table of ['event', 'event_text', 'occurrence', 'connection'])
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

async function measure(title: string, database: string | undefined, size: number, rounds: number) {
  const folder = newFolder()
  const found: Record<string, number> = {}
  try {
    await growFolder(
      folder,
      { connections: 100, events: size, spread: { calls: 500, attempts: 200 } },
      database,
    )
    if (database !== undefined) await tidy(database)
    const env = database === undefined ? {} : { ...databaseEnv, CUSTOM_CONNECTION_DATABASE: database }
    const service = await startWatched(folder, env)
    try {
      const pid = service.process.pid ?? 0
      await atRest(pid)
      printHead(`${title}: median, ms (loop blocked)`, [`${size} events`])
      for (const [name, path] of Object.entries(reads)) {
        const began = cpuMs(pid)
        const answers = []
        for (let round = 0; round <= rounds; round++)
          answers.push(await service.measured(() => service.call('GET', path)))
        const rest = answers.slice(1)
        const value = median(rest.map(({ milliseconds }) => milliseconds))
        const blocked = median(rest.map(({ blockedMs }) => blockedMs))
        printRow({ name, values: [value], blocked: [blocked] }, { value: mostMs })
        found[name] = value
        // The time tells little where other programs need the processors.
        console.log(`  CPU time of each: ${((cpuMs(pid) - began) / answers.length).toFixed(1)} ms`)
      }
      const value = await searchAll(service)
      printRow({ name: 'search for an absent text, CPU', values: [value] }, { value: mostSearchMs })
      found.search = value
    } finally {
      await service.stop()
    }
    return found
  } finally {
    removeFolder(folder)
  }
}

export async function run({ events = 100_000, rounds = 20 } = {}) {
  const inFolder = await measure('folder', undefined, events, rounds)
  const database = await startDatabase()
  try {
    return { inFolder, inDatabase: await measure('PostgreSQL', database.url, events, rounds) }
  } finally {
    await database.close()
  }
}

if (import.meta.main) await run()
