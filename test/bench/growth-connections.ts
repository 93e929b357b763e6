/**
 * Measures a service with 1,000 and 10,000 connections, of 5 actions and 3 event types each, against one with 10: the
 * time of each call and how long it blocks the event loop, the start, memory, the first row of the dashboard's list, and
 * honest senders at 500 events a second while connections are changed. Rounds of all sizes alternate.
 * Targets are those of 10,000 connections.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { openBrowser, openPage } from '../support/browser.ts'
import { growFolder } from './support/grown-folder.ts'
import { adminToken, newFolder, removeFolder, startProgram } from './support/processes.ts'
import { median } from './support/statistics.ts'
import { printHead, printRow, type TableRow, type Target } from './support/table.ts'
import { startWatched, type WatchedService } from './support/watched-service.ts'

/** A figure of one round. `blocked` is in milliseconds. */
type Figure = { readonly value: number; readonly blocked?: number }
type Measured = (service: WatchedService, round: number) => Promise<Figure>
type Row = {
  readonly name: string
  readonly measure: Measured
  readonly target?: Target
  readonly rounds?: number
}

/** The target of a call with 10,000 connections. */
const ofCall: Target = { ratio: 3, blockedMs: 10 }
const patchEveryMs = 400

const Connections = z.array(z.object({ connectionId: z.string() })).min(1)
const Credentials = z.object({ inboundUrl: z.string(), signingSecret: z.string() })
const Steady = z.object({ p99: z.number(), refused: z.record(z.string(), z.int()) })

async function firstId({ call }: WatchedService): Promise<string> {
  return Connections.parse(await call('GET', '/connections?limit=1'))[0]?.connectionId ?? ''
}

const reads =
  (path: string): Measured =>
  async service => {
    const { milliseconds, blockedMs } = await service.measured(() => service.call('GET', path))
    return { value: milliseconds, blocked: blockedMs }
  }

let changes = 0

/** Changes a field of the first connection to another value. */
async function change(service: WatchedService, connectionId: string): Promise<unknown> {
  changes++
  return service.call('PATCH', `/connections/${connectionId}`, { timeoutMs: 30_000 + (changes % 10_000) })
}

const patch: Measured = async service => {
  const id = await firstId(service)
  const { milliseconds, blockedMs } = await service.measured(() => change(service, id))
  return { value: milliseconds, blocked: blockedMs }
}

const listTools: Measured = async service => {
  const { milliseconds, blockedMs } = await service.measured(() => service.mcp('tools/list', {}))
  return { value: milliseconds, blocked: blockedMs }
}

const listChangedTools: Measured = async service => {
  await change(service, await firstId(service))
  return listTools(service, 0)
}

/** Sends 500 events a second, while `beside` is called again and again. */
async function p99Of(service: WatchedService, beside: () => Promise<unknown>): Promise<number> {
  const path = `/connections/${await firstId(service)}/credentials`
  const { inboundUrl, signingSecret } = Credentials.parse(await service.call('GET', path))
  const options = { url: inboundUrl, secret: signingSecret, perSecond: 500, seconds: 4, connections: 16 }
  let isSending = true
  const sent = startProgram(['test/bench/support/steady.ts', JSON.stringify(options)], Steady).finally(() => {
    isSending = false
  })
  while (isSending) {
    await beside()
    await Promise.race([sent, delay(patchEveryMs)])
  }
  const { line } = await sent
  if (Object.keys(line.refused).length > 0) throw new Error(`Refused: ${JSON.stringify(line.refused)}`)
  return line.p99
}

const rows: readonly Row[] = [
  { name: 'PATCH of a connection, ms', measure: patch, target: ofCall },
  { name: 'MCP tools/list, first page, ms', measure: listTools, target: ofCall },
  { name: 'the same after a change, ms', measure: listChangedTools, target: ofCall },
  ...['/connections', '/tools', '/assistant/tools', '/statistics'].map(path => ({
    name: `GET ${path}, a page of 50, ms`,
    measure: reads(`${path}?limit=50`),
    target: ofCall,
  })),
  ...['/connections', '/tools', '/assistant/tools', '/statistics'].map(path => ({
    name: `GET ${path}, all, ms`,
    measure: reads(path),
    rounds: 3,
  })),
]

/** The sizes in turn, so that a busy moment of the machine meets all of them. @returns the medians of each size. */
async function inTurn(
  { name, measure, rounds = 7 }: Row,
  services: readonly WatchedService[],
): Promise<TableRow> {
  const figures = services.map((): Figure[] => [])
  for (let round = 0; round <= rounds; round++)
    for (const [index, service] of services.entries()) {
      const figure = await measure(service, round)
      // The first round loads what the service loads when it is first asked.
      if (round > 0) figures[index]?.push(figure)
    }
  return {
    name,
    values: figures.map(of => median(of.map(({ value }) => value))),
    blocked: figures.flatMap(of =>
      of[0]?.blocked === undefined ? [] : median(of.map(one => one.blocked ?? 0)),
    ),
  }
}

/** Milliseconds from the address to the first connection in the dashboard's list. */
async function measureFirstRow(services: readonly WatchedService[], rounds: number): Promise<TableRow> {
  const times = services.map((): number[] => [])
  const browser = await openBrowser()
  try {
    for (let round = 0; round <= rounds; round++)
      for (const [index, { line }] of services.entries()) {
        const page = await openPage(browser, { scheme: 'light', width: 1280, height: 800 })
        const from = performance.now()
        await page.goto(`${line.dashboardUrl}/#token=${adminToken}`)
        await page
          .getByText(/^Connection number \d+$/)
          .first()
          .waitFor()
        if (round > 0) times[index]?.push(performance.now() - from)
        await page.context().close()
      }
  } finally {
    await browser.close()
  }
  return { name: 'first row of the list in Chromium, ms', values: times.map(median) }
}

/** The p99 of honest senders, quiet and beside changes. Both of each size, one size after the other. */
async function measureSenders(services: readonly WatchedService[], rounds: number): Promise<TableRow[]> {
  const quiet = services.map((): number[] => [])
  const busy = services.map((): number[] => [])
  for (let round = 0; round <= rounds; round++)
    for (const [index, service] of services.entries()) {
      const id = await firstId(service)
      const figures = [
        await p99Of(service, async () => {}),
        await p99Of(service, () => change(service, id)),
      ] as const
      if (round === 0) continue
      quiet[index]?.push(figures[0])
      busy[index]?.push(figures[1])
    }
  return [
    { name: 'inbound p99 at 500 a second, ms', values: quiet.map(median) },
    { name: 'the same while a connection changes, ms', values: busy.map(median) },
  ]
}

function buildDashboard(): void {
  const { status } = spawnSync('npm', ['run', 'build', '--silent', '--', '--logLevel', 'warn'], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status !== 0) throw new Error('The dashboard cannot be built.')
}

export async function run({ sizes = [10, 1000, 10_000], rounds = 5 } = {}): Promise<readonly TableRow[]> {
  buildDashboard()
  const folders = sizes.map(newFolder)
  const services: WatchedService[] = []
  const results: TableRow[] = []
  const add = (row: TableRow, target?: Target) => {
    results.push(row)
    printRow(row, target)
  }
  try {
    for (const [index, connections] of sizes.entries())
      await growFolder(folders[index] ?? '', { connections })
    printHead(
      'medians (loop blocked), ms',
      sizes.map(size => `${size} connections`),
    )
    const starts = sizes.map((): number[] => [])
    for (let round = 0; round <= rounds; round++)
      for (const [index, folder] of folders.entries()) {
        const service = await startWatched(folder)
        if (round > 0) starts[index]?.push(service.startMs)
        await service.stop()
      }
    add({ name: 'start, ms', values: starts.map(median) }, { ratio: 3 })
    for (const folder of folders) {
      const service = await startWatched(folder)
      services.push(service)
      await service.openMcp()
    }
    add(
      { name: 'resident set after the start, MB', values: services.map(one => one.megabytes()) },
      { ratio: 2 },
    )
    for (const row of rows) add(await inTurn(row, services), row.target)
    add(await measureFirstRow(services, rounds), { ratio: 1.5 })
    const senders = await measureSenders(services, rounds)
    for (const result of senders) add(result)
    const [quiet, busy] = senders.map(({ values }) => values.at(-1) ?? Number.NaN)
    const ratio = (busy ?? Number.NaN) / (quiet ?? Number.NaN)
    console.log(
      `  with ${sizes.at(-1)} connections ${ratio.toFixed(2)} times the quiet one   target: at most 2${ratio > 2 ? '   MISSED' : ''}`,
    )
    add(
      { name: 'resident set after all this, MB', values: services.map(one => one.megabytes()) },
      { ratio: 2 },
    )
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
