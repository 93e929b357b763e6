/**
 * Nodes are replaced one after another, under load: by a program whose schema has a further column, and back. A backup
 * reads the database meanwhile. Then a program comes that removes what this one uses: this one stops working, and does
 * not start any more. Or, given the folder of the sources of the version before (a git worktree with `node_modules`), nodes
 * of that version are replaced by this one, back and again: the first of this one migrates the database.
 */
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { fetch } from 'undici'
import { program } from '#main/storage/postgres/migrate.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { copyProgram, removeProgram } from './support/next-program.ts'
import type { NodeSetup } from './support/nodes.ts'
import { refusals, sendSteadily } from './support/send-steadily.ts'
import { type OnNodes, startDatabase, withNodes } from './support/with-nodes.ts'

/** Milliseconds for which each sender waits after an answer: in all, fewer runs start than a workflow keeps. */
const pauseMs = 250
/** The same where all replacements take longer. */
const longPauseMs = 1000
/** Milliseconds that each step takes, so that runs are under way when a node is replaced. */
const stepMs = 50
const readEveryMs = 100
/** For so long, a transaction reads tables that the next program changes. */
const backupMs = 10_000
const noticeMs = 5000
const args = ['--drain-seconds', '1']

const migrations = 'src-main/storage/postgres/migrate.ts'
/** The end of their list. */
const end = ']\n/** The number of this program. */'
const claims = 'src-main/storage/postgres/claims.ts'
const tables = ['run', 'event', 'node', 'config_part', 'occurrence']
const widen = tables
  .map(table => `ALTER TABLE ${table} ADD COLUMN bench integer NOT NULL DEFAULT 0`)
  .join(';')
const counts = ['attempt = run.attempt + 1,', 'attempt = run.attempt + 1, bench = run.bench + 1,'] as const

export async function run({ nodes: count = 3 } = {}): Promise<readonly Figure[]> {
  const next = copyProgram({ [migrations]: [[end, `, '${widen}'${end}`]], [claims]: [counts] })
  const last = copyProgram({
    [migrations]: [
      [end, `, '${widen}', 'SELECT 1'${end}`],
      ['oldestProgram = 1', 'oldestProgram = migrations.length - 1'],
    ],
    [claims]: [counts],
  })
  const database = await startDatabase()
  const watcher = new Client(database.url)
  try {
    await watcher.connect()
    return await withNodes({ count, url: database.url, setupOf: () => ({ args }), stepMs }, async on => {
      const { nodes, send, check } = on
      const sending = send(pauseMs)
      await sending.acknowledgedMore(200)
      let isOver = false
      const reading = readAll(on, count, () => isOver)
      const backup = readTables(database.url)
      await replaceAll(on, count, { args, sources: next })
      await backup
      await sending.acknowledgedMore(200)
      const { rows: written } = await watcher.query('SELECT FROM run WHERE bench > 0 LIMIT 1')
      await replaceAll(on, count, { args })
      await sending.acknowledgedMore(200)
      isOver = true
      const { calls, failed } = await reading
      await sending.stop()
      const replaced: Figure[] = [
        ...refusals(sending.answers).flatMap(figure =>
          figure.name === 'events answered 503' ? { ...figure, must: 0 } : figure,
        ),
        { name: 'calls of REST to each node', value: calls },
        { name: 'of them failed', value: failed, must: 0 },
        { name: 'programs that wrote the new column', value: written.length, must: 1 },
      ]
      printFigures(`${count} nodes replaced one by one, by the next program and back`, replaced)

      const { inboundUrl: url, secret } = nodes.at(1)
      const toOld = sendSteadily({ url, secret, pauseMs, senders: 4, prefix: 'old' })
      await toOld.acknowledgedMore(20)
      await nodes.kill(0, 'SIGTERM')
      const starting = nodes.start(0, { args, sources: last })
      const removed = `SELECT FROM meta WHERE oldest_program > ${program}`
      while ((await watcher.query(removed)).rows.length === 0) await delay(readEveryMs)
      const removedAt = performance.now()
      await starting
      await delay(noticeMs + 2000)
      const accepted = toOld.answers
        .filter(({ status }) => status === 200)
        .map(({ answeredAt }) => answeredAt)
      const { line } = nodes.at(1)
      const { status } = await fetch(`${line.dashboardUrl}/readyz`)
      await nodes.kill(1, 'SIGTERM')
      const refused = await nodes.start(1, { args }).then(
        () => '',
        error => String(error),
      )
      for (let index = 1; index < count; index++) {
        if (index > 1) await nodes.kill(index, 'SIGTERM')
        await nodes.start(index, { args, sources: last })
      }
      const afterwards: Figure[] = [
        {
          ...{
            name: 'until a node of the program before refuses events',
            unit: ' s',
            target: noticeMs / 1000,
          },
          value: Math.max(0, ...accepted.map(at => at - removedAt)) / 1000,
        },
        { name: 'status of its /readyz', value: status, must: 503 },
        { name: 'refused to start again', value: Number(refused.includes('newer_database')), must: 1 },
        ...(await check(sending, toOld)),
      ]
      printFigures('a program came that removes what the one before uses', afterwards)
      return [...replaced, ...afterwards]
    })
  } finally {
    await watcher.end()
    await database.close()
    for (const folder of [next, last]) removeProgram(folder)
  }
}

/** @param sources the folder of the version before. */
async function fromEarlier(sources: string, count = 3): Promise<readonly Figure[]> {
  const database = await startDatabase()
  const earlier = { args, sources }
  try {
    return await withNodes({ count, url: database.url, setupOf: () => earlier, stepMs }, async on => {
      const { send, check } = on
      const sending = send(longPauseMs)
      let isOver = false
      const reading = readAll(on, count, () => isOver)
      for (const setup of [{ args }, earlier, { args }]) {
        await sending.acknowledgedMore(200)
        await replaceAll(on, count, setup)
      }
      await sending.acknowledgedMore(200)
      isOver = true
      const { calls, failed } = await reading
      const figures: Figure[] = [
        ...(await check(sending)),
        ...refusals(sending.answers),
        { name: 'calls of REST to each node', value: calls },
        { name: 'of them failed', value: failed, must: 0 },
      ]
      printFigures(`${count} nodes of the version before replaced by this one, back and again`, figures)
      return figures
    })
  } finally {
    await database.close()
  }
}

async function replaceAll({ nodes }: OnNodes, count: number, setup: NodeSetup): Promise<void> {
  for (let index = 0; index < count; index++) {
    await nodes.kill(index, 'SIGTERM')
    await nodes.start(index, setup)
  }
}

/** Reads and changes over REST on each node that runs, in turn. Returns how many calls there were, and how many failed. */
async function readAll({ nodes }: OnNodes, count: number, isOver: () => boolean) {
  const { connectionId } = nodes
  const known = (index: number) => {
    try {
      return nodes.at(index)
    } catch {
      return null // it is being replaced
    }
  }
  let [calls, failed] = [0, 0]
  for (let index = 0; !isOver(); index = (index + 1) % count) {
    const node = known(index)
    if (node !== null)
      for (const [method, path, body] of [
        ['GET', '/runs?limit=20'],
        ['GET', `/connections/${connectionId}/events?limit=20`],
        ['GET', '/nodes'],
        ['PATCH', `/connections/${connectionId}`, { name: `Bench ${calls}` }],
      ] as const) {
        calls++
        await node.call(method, path, body).catch(error => {
          // Its process may just have ended.
          if (known(index) !== node) return
          failed++
          console.error(`${method} ${path}: ${error}`)
        })
      }
    await delay(readEveryMs)
  }
  return { calls, failed }
}

/** Reads a bit of each table in one transaction, as a backup does, which takes its time. */
async function readTables(url: string): Promise<void> {
  const client = new Client(url)
  client.on('error', () => {}) // the benchmark has failed
  await client.connect()
  await client.query('BEGIN')
  for (const table of tables) await client.query(`SELECT FROM ${table} LIMIT 1`)
  await delay(backupMs)
  await client.query('COMMIT')
  await client.end()
}

if (import.meta.main) {
  const [, , first = ''] = process.argv
  if (first.includes('/')) await fromEarlier(resolve(first))
  else await run(givenNumbers('nodes'))
}
