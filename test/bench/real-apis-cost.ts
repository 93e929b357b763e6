/**
 * The actions of GitHub with the schemas of its document, against as many plain ones. Targets: a PATCH, a start, a list of
 * the actions, `tools/list` and an import cost at most 1.5 times as much.
 *
 * REAL_APIS is a folder with `github.json`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import {
  adminToken,
  newFolder,
  type RunningService,
  removeFolder,
  startService,
} from './support/processes.ts'
import { median } from './support/statistics.ts'
import { printHead, printRow } from './support/table.ts'
import { allTools } from './support/tools-of.ts'

const Actions = z.array(z.looseObject({ actionId: z.string(), toolName: z.string() }))
const times = 15
const target = { ratio: 1.5 }

/** Runs something several times. @returns the median milliseconds. */
async function timed(act: () => Promise<unknown>, count = times): Promise<number> {
  const milliseconds: number[] = []
  for (let left = count; left > 0; left--) {
    const startedAt = performance.now()
    await act()
    milliseconds.push(performance.now() - startedAt)
  }
  return median(milliseconds)
}

/** @returns the milliseconds of each kind of work with the actions in a folder. */
async function measure(folder: string): Promise<Record<string, number>> {
  const startMs = await timed(async () => (await startService(folder)).stop(), 5)
  const service = await startService(folder)
  try {
    const { connectionId, call } = service
    const list = () => call('GET', `/connections/${connectionId}/actions`)
    const [first] = Actions.parse(await list())
    if (first === undefined) throw new Error('There are no actions.')
    let changes = 0
    const client = await connect(service)
    const tools = () => allTools(client)
    await tools()
    const measured = {
      'a start and an end': startMs,
      'a PATCH of an action': await timed(() =>
        call('PATCH', `/connections/${connectionId}/actions/${first.actionId}`, {
          description: `D ${changes++}`,
        }),
      ),
      'a list of the actions': await timed(list),
      'tools/list': await timed(tools),
    }
    await client.close()
    return measured
  } finally {
    await service.stop()
  }
}

async function connect({ line, connectionId }: RunningService): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const headers = { authorization: `Bearer ${adminToken}` }
  const url = new URL(`${line.dashboardUrl}/mcp/${connectionId}`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
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
    await github.stop()
    const other = await startService(plain)
    await other.call('POST', '/import', {
      connectionId: other.connectionId,
      text: JSON.stringify({ actions: actions.map((one, index) => plainAction(one, index)) }),
    })
    await other.stop()
    const [before, after] = [await measure(plain), await measure(real)]
    const results: Record<string, readonly number[]> = {}
    printHead(`${actions.length} actions`, ['plain', 'of GitHub'])
    for (const [name, value] of Object.entries(before)) {
      const values = [value, after[name] ?? Number.NaN]
      results[name] = values
      printRow({ name, values }, target)
    }
    return results
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
