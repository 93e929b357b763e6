/**
 * The memory of a page of the dashboard after 200 navigations against that after 20, both once garbage is collected, while
 * 20 events a second arrive: its heap with and without compiled code, elements and listeners. Each round of 20 opens the
 * same screens, a dialog and the palette. Target: at most 1.2 times as much.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { z } from 'zod'
import { SigningKey } from '#main/signing/signing-key.ts'
import { createAction, testAction } from '../support/actions.ts'
import { createConnection, createRest, type Rest } from '../support/rest-client.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { buildDashboard, type OpenDashboard, openDashboard } from './support/open-dashboard.ts'
import { postSteadily, type Target } from './support/post-steadily.ts'
import { adminToken, newFolder, removeFolder, startServe } from './support/processes.ts'

const most = 1.2
const perSecond = 20
const collections = 20
/** Events before the first round, more than any list shows at once: the lists are as long then as in the last. */
const prepared = 600

/** Makes records of each noun. Returns the addresses of 20 screens, and where events go. */
async function prepare(rest: Rest, baseUrl: string) {
  const shops = []
  for (const name of ['Shop', 'Store']) shops.push(await createConnection(rest, { name, baseUrl }))
  const targets = shops.map(
    ({ credentials: { inboundUrl, signingSecret } }): Target => ({
      url: inboundUrl,
      key: new SigningKey(signingSecret),
    }),
  )
  const [shop, store] = shops
  if (shop === undefined || store === undefined) throw new Error('There are two connections.')
  const { connectionId } = shop
  await rest('PATCH', `/connections/${connectionId}`, { persistEvents: true })
  const action = await createAction(rest, connectionId)
  for (let call = 0; call < 5; call++) await testAction(rest, { ...action, connectionId })
  await rest('POST', `/connections/${connectionId}/event-types`, { eventName: 'order.created' })
  const workflow = await rest('POST', '/workflows', {
    name: 'Refunded',
    trigger: { type: 'external.event', connectionId, eventName: 'order.refunded' },
    steps: [{ key: 'tell', type: 'http', method: 'POST', url: baseUrl }],
  })
  const { workflowId } = Object(workflow.body)
  if (typeof workflowId !== 'string') throw new Error(`The workflow was refused: ${workflow.text}`)
  const shopPath = `/connections/${connectionId}`
  return {
    targets,
    storyOf: async () => {
      const events = await rest('GET', `${shopPath}/events?limit=1`)
      return String(Object(Object(events.body)[0] ?? Object(events.body).events?.[0]).eventId)
    },
    screens: (eventId: string) => [
      ...['/connections', '/activity', shopPath, `${shopPath}/activity`, `/story/${eventId}`],
      ...[`${shopPath}/actions?action=${action.actionId}`, `${shopPath}/actions?action=new`],
      ...[`${shopPath}/events`, `${shopPath}/sender?start=template`, '/map', '/alerts'],
      ...['/workflows', `/workflows/${workflowId}`, '/workflows/runs', '/assistant'],
      ...['/agent/voice', '/agent/languages', '/settings/limits', '/settings/listener'],
      `/connections/${store.connectionId}/activity`,
    ],
  }
}

const isIdle = `(() => {
  const { state, latestLocation } = window.__TSR_ROUTER__
  return state.status === 'idle' && state.resolvedLocation?.href === latestLocation.href
})()`

/** Waits in steps: the page's Content Security Policy forbids the browser to compile what Playwright would wait with. */
async function until(page: Page, isTrue: string): Promise<void> {
  while (!(await page.evaluate(isTrue))) await delay(20)
}

async function visit(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.evaluate(`location.hash = ${JSON.stringify(path)}`)
    await until(page, `location.hash === ${JSON.stringify(`#${path}`)} && ${isIdle}`)
    await page.waitForLoadState('networkidle', { timeout: 300 }).catch(() => {})
    await delay(100)
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('shop')
  await page.keyboard.press('Escape')
  await page.evaluate("location.hash = '/connections'")
  await page
    .getByRole('button', { name: /^New connection/ })
    .first()
    .click()
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

const Snapshot = z.object({
  snapshot: z.object({
    meta: z.object({ node_fields: z.array(z.string()), node_types: z.array(z.unknown()) }),
  }),
  nodes: z.array(z.number()),
})

/** Returns the bytes of the heap by the type of what is there, such as `code`. */
async function sizesOf(devTools: CDPSession): Promise<ReadonlyMap<string, number>> {
  const chunks: string[] = []
  const add = ({ chunk }: { readonly chunk: string }) => void chunks.push(chunk)
  devTools.on('HeapProfiler.addHeapSnapshotChunk', add)
  await devTools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  devTools.off('HeapProfiler.addHeapSnapshotChunk', add)
  const { snapshot, nodes } = Snapshot.parse(JSON.parse(chunks.join('')))
  const { node_fields: fields, node_types: types } = snapshot.meta
  const names = z.array(z.string()).parse(types[0])
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')]
  const sizes = new Map<string, number>()
  for (let at = 0; at < nodes.length; at += fields.length) {
    const name = names[nodes[at + type] ?? -1] ?? ''
    sizes.set(name, (sizes.get(name) ?? 0) + (nodes[at + size] ?? 0))
  }
  return sizes
}

/** Returns what a page holds once all that can be freed has been. */
async function held({ page, devTools }: OpenDashboard) {
  await page.evaluate("location.hash = '/settings/appearance'")
  await until(page, isIdle)
  await delay(1000)
  // V8 keeps compiled code until it was not used for several collections.
  for (let round = 0; round < collections; round++) await devTools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devTools.send('Performance.getMetrics')
  const byType = await sizesOf(devTools)
  const metricOf = (name: string) => metrics.find(metric => metric.name === name)?.value ?? Number.NaN
  return {
    heap: metricOf('JSHeapUsedSize') / 1024 ** 2,
    // What the browser compiles of the page grows until all of it is as fast as it can be.
    data: (metricOf('JSHeapUsedSize') - (byType.get('code') ?? 0)) / 1024 ** 2,
    elements: metricOf('Nodes'),
    listeners: metricOf('JSEventListeners'),
  }
}

export async function run({ rounds = 10 } = {}): Promise<readonly Figure[]> {
  await buildDashboard()
  const folder = newFolder()
  const receiver = createServer((_, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1')
  const service = await startServe(folder)
  const { dashboardUrl } = service.line
  const rest = createRest(() => dashboardUrl, adminToken)
  try {
    const { port } = receiver.address() as AddressInfo
    const { targets, storyOf, screens } = await prepare(rest, `http://127.0.0.1:${port}/`)
    const burst = postSteadily(targets, 200)
    while (burst.accepted() < prepared) await delay(100)
    await burst.stop()
    const posting = postSteadily(targets, perSecond)
    const dashboard = await openDashboard(dashboardUrl, '/connections')
    try {
      await dashboard.devTools.send('Performance.enable')
      const paths = screens(await storyOf())
      await visit(dashboard.page, paths)
      const first = await held(dashboard)
      const figures: Figure[] = []
      for (let round = 2; round <= rounds; round++) {
        await visit(dashboard.page, paths)
        if (round % 3 !== 1 && round !== rounds) continue
        const now = await held(dashboard)
        const count = round * paths.length
        const target = round === rounds ? { target: most } : {}
        figures.push(
          {
            name: `heap after ${count} navigations against ${paths.length}`,
            value: now.heap / first.heap,
            ...target,
          },
          { name: '  heap', value: now.heap, unit: ' MiB' },
          { name: '  heap without compiled code, against', value: now.data / first.data, ...target },
          { name: '  elements, against', value: now.elements / first.elements, ...target },
          { name: '  listeners, against', value: now.listeners / first.listeners, ...target },
        )
      }
      printFigures('What a page holds', [
        { name: 'heap after one round', value: first.heap, unit: ' MiB' },
        { name: '  without compiled code', value: first.data, unit: ' MiB' },
        { name: '  elements', value: first.elements },
        { name: '  listeners', value: first.listeners },
        ...figures,
        { name: 'events accepted', value: posting.accepted() },
      ])
      return figures
    } finally {
      await posting.stop()
      await dashboard.close()
    }
  } finally {
    await service.stop()
    receiver.close()
    removeFolder(folder)
  }
}

if (import.meta.main) {
  const [rounds] = process.argv.slice(2).map(Number)
  await run(rounds === undefined ? {} : { rounds })
}
