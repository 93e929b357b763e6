/**
 * 1,000 cases of 100 actions run by one command, against the start of that command and the same calls as `call` makes
 * them, one after another in one process (target: at most 1.5 times), and a change of a connection with and without
 * 1,000 cases (target: at most 1.1 times). Rounds alternate.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { z } from 'zod'
import { askService } from '#main/cli/service-client.ts'
import { listenOn } from '#main/lib/listen-on.ts'
import { contract } from '#shared/contract/index.ts'
import { newFolder, removeFolder } from './support/processes.ts'
import { median } from './support/statistics.ts'
import { printHead, printRow } from './support/table.ts'
import { startWatched } from './support/watched-service.ts'

const rounds = 5
const patches = 200
const [actionCount, casesEach] = [100, 10]
const [mostTimes, mostPatchTimes] = [1.5, 1.1]

const Imported = z.object({ connectionId: z.string() })

const parameters = [{ name: 'order_id', type: 'string', description: 'The order.', required: true }]
const fields = [
  { path: 'order.id', rule: 'equals', value: 'A-1' },
  { path: 'order.lines', rule: 'count', value: 2 },
]
const cases = Array.from({ length: casesEach }, (_, index) => ({
  name: `Case ${index}`,
  arguments: { order_id: `A-${index}` },
  expect: { status: 200, fields },
}))

const documentWith = (baseUrl: string, ofAction: object) => ({
  connection: { name: 'cases' in ofAction ? 'With cases' : 'Without', baseUrl },
  actions: Array.from({ length: actionCount }, (_, index) => ({
    ...{ name: `Look up ${index}`, description: 'Finds an order.', method: 'GET', path: `/orders/${index}` },
    ...{ parameters, ...ofAction },
  })),
})

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await act()
  return performance.now() - from
}

/** Runs `custom-connection test`, and waits for its end. Without cases it fails. */
async function runCommand(folder: string, connection: string, expected: number): Promise<void> {
  const program = join(import.meta.dirname, '../../src-main/cli/main.ts')
  const child = spawn(process.execPath, [program, 'test', connection, '--data', folder], {
    stdio: 'ignore',
  })
  const [status] = await once(child, 'close')
  if (status !== expected) throw new Error(`The command has ended with ${status}.`)
}

/** Calls each action ten times over the service's socket, as `call` does. */
function callEach(folder: string, connectionId: string): Promise<void> {
  return askService(folder, async service => {
    for (const { actionId } of await service.call(contract.actions.list, { connectionId }))
      for (const { arguments: given } of cases)
        await service.call(contract.actions.test, { connectionId, actionId, arguments: given, source: 'cli' })
  })
}

export async function run(): Promise<void> {
  const system = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"order":{"id":"A-1","lines":[1,2],"total":12.5}}')
  })
  const { port } = await listenOn(system, '127.0.0.1', 0)
  const folder = await newFolder()
  const service = await startWatched(folder)
  try {
    const create = async (ofAction: object) => {
      const document = documentWith(`http://127.0.0.1:${port}`, ofAction)
      return Imported.parse(await service.call('POST', '/import', { text: JSON.stringify(document) }))
        .connectionId
    }
    const [plain, withCases] = [await create({}), await create({ cases })]
    const change = async (id: string) => {
      for (let n = 0; n < patches; n++)
        await service.call('PATCH', `/connections/${id}`, { timeoutMs: 20_000 + n })
    }
    const found = { calls: [0], start: [0], command: [0], without: [0], patched: [0] }
    for (const list of Object.values(found)) list.length = 0
    await callEach(folder, plain)
    for (let round = 0; round < rounds; round++) {
      found.calls.push(await timed(() => callEach(folder, plain)))
      found.start.push(await timed(() => runCommand(folder, 'Without', 1)))
      found.command.push(await timed(() => runCommand(folder, 'With cases', 0)))
      found.without.push((await timed(() => change(plain))) / patches)
      found.patched.push((await timed(() => change(withCases))) / patches)
    }
    printHead('1,000 cases of 100 actions', ['without', 'with cases'])
    const row = (name: string, values: readonly number[][], ratio?: number) =>
      printRow({ name, values: values.map(median) }, ratio === undefined ? {} : { ratio })
    const together = found.calls.map((ms, round) => ms + (found.start[round] ?? 0))
    row('all of them, against start and `call`, ms', [together, found.command], mostTimes)
    row('the start, and the calls alone, ms', [found.start, found.calls])
    row('a change of the connection, ms', [found.without, found.patched], mostPatchTimes)
  } finally {
    await service.stop()
    system.close()
    await removeFolder(folder)
  }
}
