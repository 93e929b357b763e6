/**
 * Memory of a node on PostgreSQL against that of a service on a data folder: the resident set after 100,000 events, once
 * it has come to rest.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createCluster } from '../support/postgres.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { databaseEnv } from './support/nodes.ts'
import { load, newFolder, type RunningService, removeFolder, startService } from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

const step = 25_000
const settleMs = 10_000

export async function run({ events = 100_000, rounds = 3 } = {}): Promise<readonly Figure[]> {
  const local: number[] = []
  const shared: number[] = []
  for (let round = 0; round < rounds; round++) {
    local.push(await megabytesOf(startService(), events))
    const cluster = createCluster()
    const server = await cluster.start({ max_wal_size: '2GB' })
    try {
      const starting = startService(newFolder(), { args: ['--database', server.url()], env: databaseEnv })
      shared.push(await megabytesOf(starting, events))
    } finally {
      await server.stop('SIGQUIT')
      cluster.remove()
    }
  }
  console.log(`resident set, MB   local ${spread(local, 0)}   PostgreSQL ${spread(shared, 0)}`)
  const figures = [
    {
      name: `more than local, after ${events} events`,
      value: median(shared) - median(local),
      unit: ' MB',
      target: 10,
    },
  ]
  printFigures('Memory of a node on PostgreSQL', figures)
  return figures
}

/** Returns the resident set of a service after so many events, in units of 10^6 bytes. */
async function megabytesOf(starting: Promise<RunningService>, events: number): Promise<number> {
  const service = await starting
  try {
    for (let sent = 0; sent < events; sent += step) {
      const requests = { connections: 32, requests: Math.min(step, events - sent), warmup: 0, bodyBytes: 220 }
      const { refused } = await load({ ...requests, url: service.inboundUrl, secret: service.secret })
      if (refused > 0) throw new Error(`${refused} requests were refused.`)
    }
    await delay(settleMs)
    const status = readFileSync(`/proc/${service.line.pid}/status`, 'utf8')
    return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6
  } finally {
    await service.stop()
    removeFolder(service.folder)
  }
}

if (import.meta.main) {
  const [events, rounds] = process.argv.slice(2).map(Number)
  await run({ ...(events !== undefined && { events }), ...(rounds !== undefined && { rounds }) })
}
