/**
 * How the processor time of reading untrusted texts grows with their length, that of calls with the size of the response,
 * and that of REST with the number of actions. Targets: at most six times for four times the text and for a response
 * that decodes to forty times the limit, at most twenty times for ten times the actions. A time too short to compare
 * counts as the shortest that is not.
 */
import { createServer, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { listenOn } from '#main/lib/listen-on.ts'
import { readDocument, worstDocuments } from '../growth/documents.ts'
import { type Compared, growthOf } from '../growth/growth-of.ts'
import { scanners } from '../growth/scanners.ts'
import { createAction, testAction } from '../support/actions.ts'
import { cpuMs } from '../support/cpu-ms.ts'
import { createConnection } from '../support/rest-client.ts'
import { openService } from '../support/service-fixture.ts'

export type GrowthBench = Readonly<Record<string, number>>

const mebibyte = 1024 * 1024
const maxGrowth = 6
const maxOfActions = 20

export async function run(): Promise<GrowthBench> {
  const found: Record<string, number> = {}
  const measure = async (name: string, compared: Compared) => {
    const growth = await growthOf(compared)
    found[name] = Math.max(found[name] ?? 0, growth)
    if (growth > compared.most)
      console.log(`  ABOVE ITS TARGET OF ${compared.most}: ${name}: ${growth.toFixed(1)}`)
  }
  const inThread = { most: maxGrowth, timeOf: cpuMs }

  for (const [name, { scan, worst, most = mebibyte }] of Object.entries(scanners))
    for (const make of worst) {
      const [quarter, whole] = [make(most / 4), make(most)]
      const works = { small: () => scan(quarter), large: () => scan(whole) }
      await measure(`scan: ${name}`, { ...inThread, ...works, leastMs: 40 })
    }
  for (const [name, format, make] of worstDocuments) {
    const [quarter, whole] = [make(mebibyte / 4), make(mebibyte)]
    const works = { small: () => readDocument(quarter, format), large: () => readDocument(whole, format) }
    await measure(`import: ${name}`, { ...inThread, ...works, leastMs: 20 })
  }
  await measureResponses(measure)
  await measureActions(measure)

  const largest = Object.entries(found)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 8)
  console.log(`  ${Object.keys(found).length} cases. The largest growths:`)
  for (const [name, growth] of largest) console.log(`    ${growth.toFixed(1).padStart(5)}  ${name}`)
  return found
}

type Measure = (name: string, compared: Compared) => Promise<void>

/** Calls of an action whose response is decoded up to a limit, and of one whose response is masked. */
async function measureResponses(measure: Measure): Promise<void> {
  const maxBytes = 5 * mebibyte
  const row = { id: 1, note: 'nothing "special" here', list: [1.5, true, null] }
  const rows = (count: number) => JSON.stringify(Array.from({ length: count }, () => row))
  const bomb = (bytes: number) => gzipSync(Buffer.alloc(bytes), { level: 1 })
  const bodies: Readonly<Record<string, string | Buffer>> = {
    '/rows/small': rows(15_000),
    '/rows/large': rows(60_000),
    '/gzip/small': bomb(maxBytes + 1),
    '/gzip/large': bomb(200 * mebibyte),
    '/gzip-twice/small': gzipSync(bomb(maxBytes + 1)),
    '/gzip-twice/large': gzipSync(bomb(200 * mebibyte)),
  }
  const answer: RequestListener = ({ url = '' }, response) => {
    if (url.startsWith('/gzip/')) response.setHeader('content-encoding', 'gzip')
    if (url.startsWith('/gzip-twice/')) response.setHeader('content-encoding', 'gzip, gzip')
    response.end(bodies[url])
  }
  const server = createServer(answer)
  const { port } = await listenOn(server, '127.0.0.1', 0)
  const { rest, close } = await openService()
  await rest('PUT', '/environment/SHOP_KEY', { value: 'sk_live_0123456789abcdef' })
  const { connectionId } = await createConnection(rest, { baseUrl: `http://127.0.0.1:${port}` })
  const call = async (path: string) => {
    const fields = {
      name: path,
      path,
      headers: { 'X-Key': '{{SHOP_KEY}}' },
      toolName: `call${path.replaceAll(/\W/g, '_')}`,
    }
    const { actionId } = await createAction(rest, connectionId, fields)
    return () => testAction(rest, { connectionId, actionId })
  }
  for (const what of ['rows', 'gzip', 'gzip-twice']) {
    const [small, large] = [await call(`/${what}/small`), await call(`/${what}/large`)]
    await measure(`response: ${what}`, { small, large, most: maxGrowth, leastMs: 20 })
  }
  await close()
  server.close()
}

/** REST over a thousand actions and over ten thousand. */
async function measureActions(measure: Measure): Promise<void> {
  const withActions = async (count: number) => {
    // A service for each number: the tools and variables are those of all connections.
    const { rest, close } = await openService()
    const { connectionId } = await createConnection(rest, { baseUrl: 'https://api.example.com' })
    const path = `/connections/${connectionId}/actions`
    const parameters = [{ name: 'order_id', type: 'string', description: 'Which.', required: true }]
    const { actionId } = await createAction(rest, connectionId, { parameters })
    const actions = Array.from({ length: count - 1 }, (_, index) => ({
      ...{ name: `Action ${index}`, path: `/things/${index}`, parameters },
      description: 'When somebody asks for it, whatever it may be.',
    }))
    await rest('POST', '/import', { text: JSON.stringify({ actions }), connectionId })
    return {
      list: () => rest('GET', path),
      tools: () => rest('GET', '/tools'),
      change: () => rest('PATCH', `${path}/${actionId}`, { isEnabled: true }),
      environment: () => rest('GET', '/environment'),
      close,
    }
  }
  const [thousand, all] = [await withActions(1000), await withActions(10_000)]
  for (const what of ['list', 'tools', 'change', 'environment'] as const)
    await measure(`actions: ${what}`, {
      small: thousand[what],
      large: all[what],
      most: maxOfActions,
      leastMs: 5,
    })
  await thousand.close()
  await all.close()
}

if (import.meta.main) await run()
