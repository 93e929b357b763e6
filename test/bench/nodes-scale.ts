/**
 * Measures how much 1, 2 and 4 nodes accept on one database, each with a sender of its own at a steady rate, and the CPU
 * that they and the database take. Every event is stored, with a run that ends with it.
 */
import { availableParallelism } from 'node:os'
import { Client } from 'pg'
import { z } from 'zod'
import { cpuSecondsOf } from './support/cpu-time.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { onNodes } from './support/on-nodes.ts'
import { startProgram } from './support/processes.ts'

const cores = 4
const connections = 32
const warmUpSeconds = 3

const Steady = z.object({ p99: z.number().nullable(), answered: z.int(), seconds: z.number() })
const Postmaster = z.object({ pid: z.coerce.number() })

/** @param perSecond events for each node. @param force 1 to measure on a machine with fewer cores too. */
export async function run({ perSecond = 1000, seconds = 20, force = 0 } = {}): Promise<readonly Figure[]> {
  const available = availableParallelism()
  if (available < cores && force !== 1) {
    console.log(
      `Left out: it needs ${cores} cores, and this machine has ${available}. Force it by a third argument, 1.`,
    )
    return []
  }
  const figures: Figure[] = []
  for (const count of [1, 2, 4]) figures.push(...(await measure(count, perSecond, seconds)))
  printFigures(`${perSecond} events a second to each node, on ${available} cores`, figures)
  return figures
}

async function measure(count: number, perSecond: number, seconds: number): Promise<Figure[]> {
  return onNodes(count, async (nodes, database) => {
    await nodes.call('POST', '/workflows', {
      ...{ name: 'Ends', trigger: { type: 'external.event' } },
      steps: [{ key: 'end', type: 'stop', outcome: 'succeeded' }],
    })
    const all = Array.from({ length: count }, (_, index) => nodes.at(index))
    const send = (forSeconds: number) =>
      Promise.all(
        all.map(async ({ inboundUrl: url, secret }) => {
          const options = { url, secret, perSecond, seconds: forSeconds, connections }
          const program = await startProgram(
            ['test/bench/support/steady.ts', JSON.stringify(options)],
            Steady,
          )
          return program.line
        }),
      )
    await send(warmUpSeconds)
    const postmaster = await postmasterOf(database.url)
    const cpu = () => ({
      nodes: all.reduce((sum, { line }) => sum + cpuSecondsOf(line.pid), 0),
      database: cpuSecondsOf(postmaster),
    })
    const before = cpu()
    const results = await send(seconds)
    const after = cpu()
    const took = Math.max(...results.map(one => one.seconds))
    const accepted = results.reduce((sum, { answered }) => sum + answered / took, 0)
    const name = (what: string) => `${count} ${count === 1 ? 'node' : 'nodes'}: ${what}`
    return [
      { name: name('accepted a second'), value: accepted },
      {
        name: name('share of the offered that was not'),
        value: 1 - accepted / (perSecond * count),
        target: 0.05,
      },
      {
        name: name('p99'),
        value: Math.max(...results.map(({ p99 }) => p99 ?? Number.NaN)),
        unit: ' ms',
        target: 50,
      },
      { name: name('CPU of the nodes'), value: (after.nodes - before.nodes) / took, unit: ' cores' },
      { name: name('CPU of the database'), value: (after.database - before.database) / took, unit: ' cores' },
    ]
  })
}

async function postmasterOf(url: string): Promise<number> {
  const client = new Client(url)
  await client.connect()
  const { rows } = await client.query(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`)
  await client.end()
  return Postmaster.parse(rows[0]).pid
}

if (import.meta.main) await run(givenNumbers('perSecond', 'seconds', 'force'))
