/**
 * The actions of GitHub with the schemas of its document, against as many plain ones. Targets: a PATCH, a start, a list of
 * the actions, `tools/list` and an import cost at most 1.5 times as much.
 *
 * REAL_APIS is a folder with `github.json`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { newFolder, type RunningService, removeFolder, startService } from './support/processes.ts'
import { median } from './support/statistics.ts'
import { printHead, printRow } from './support/table.ts'
import { allTools, connectClient } from './support/tools-of.ts'

const Actions = z.array(z.looseObject({ actionId: z.string(), toolName: z.string() }))
const times = 15
const target = { ratio: 1.5 }

/** Runs each in turn, so that a busy moment meets both. @returns the median milliseconds of each. */
async function timed(acts: readonly (() => Promise<unknown>)[], count = times): Promise<number[]> {
  const milliseconds = acts.map((): number[] => [])
  for (let left = count; left > 0; left--)
    for (const [index, act] of acts.entries()) {
      const startedAt = performance.now()
      await act()
      milliseconds[index]?.push(performance.now() - startedAt)
    }
  return milliseconds.map(median)
}

/** @returns the milliseconds of each kind of work with the actions in each folder. */
async function measure(folders: readonly string[]): Promise<Record<string, number[]>> {
  const starts = await timed(
    folders.map(folder => async () => (await startService(folder)).stop()),
    5,
  )
  const services = await Promise.all(folders.map(folder => startService(folder)))
  try {
    const works = await Promise.all(services.map(worksOf))
    const names = Object.keys(works[0] ?? {}) as (keyof (typeof works)[number])[]
    const measured: Record<string, number[]> = { 'a start and an end': starts }
    for (const name of names) measured[name] = await timed(works.map(one => one[name]))
    return measured
  } finally {
    await Promise.all(services.map(service => service.stop()))
  }
}

/** Returns what is measured of a service. */
async function worksOf(service: RunningService) {
  const { connectionId, call } = service
  const list = () => call('GET', `/connections/${connectionId}/actions`)
  const actions = Actions.parse(await list())
  const [first] = actions
  const client = await connectClient(service)
  const tools = () => allTools(client)
  if (first === undefined || (await tools()).length !== actions.length)
    throw new Error('Not each action is a tool.')
  let changes = 0
  const path = `/connections/${connectionId}/actions/${first.actionId}`
  return {
    'a PATCH of an action': () => call('PATCH', path, { description: `D ${changes++}` }),
    'a list of the actions': list,
    'tools/list': tools,
  }
}

export async function run(): Promise<Record<string, readonly number[]>> {
  const documents = process.env.REAL_APIS
  if (documents === undefined) {
    console.log('Left out: REAL_APIS names no folder of OpenAPI documents.')
    return {}
  }
  const [plain, real] = [newFolder(), newFolder()]
  try {
    const github = await startService(real)
    const text = readFileSync(join(documents, 'github.json'), 'utf8')
    await github.call('POST', '/import', { connectionId: github.connectionId, text })
    const actions = Actions.parse(await github.call('GET', `/connections/${github.connectionId}/actions`))
    const baseUrl = 'http://127.0.0.1:9'
    await github.call('PATCH', `/connections/${github.connectionId}`, { baseUrl })
    await github.stop()
    const other = await startService(plain)
    await other.call('POST', '/import', {
      connectionId: other.connectionId,
      text: JSON.stringify({ actions: actions.map((one, index) => plainAction(one, index)) }),
    })
    await other.call('PATCH', `/connections/${other.connectionId}`, { baseUrl })
    await other.stop()
    const measured = await measure([plain, real])
    printHead(`${actions.length} actions`, ['plain', 'of GitHub'])
    for (const [name, values] of Object.entries(measured)) printRow({ name, values }, target)
    return measured
  } finally {
    removeFolder(plain)
    removeFolder(real)
  }
}

/** Returns an action with the same names and texts, without a schema, a place or a list. */
function plainAction(action: Record<string, unknown>, index: number) {
  const Plain = z.object({
    ...{ name: z.string(), toolName: z.string(), description: z.string(), method: z.string() },
    parameters: z.array(
      z.object({ name: z.string(), type: z.string(), description: z.string(), required: z.boolean() }),
    ),
  })
  return { ...Plain.parse(action), path: `/plain/${index}` }
}

if (import.meta.main) await run()
