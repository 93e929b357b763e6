import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound, type ServiceFixture } from '../../support/service-fixture.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, pressInSequence, pressOnce } from './fixture.ts'

const { open } = dashboardTests()

/** Two connections: events of the first start two workflows, one of which calls an action that fails. */
async function fillMap({ rest }: ServiceFixture) {
  const system = await startExternalSystem(
    (request, response) => void response.writeHead(request.url === '/stock' ? 404 : 200).end('{}'),
  )
  const shop = await createConnection(rest, { name: 'Acme Orders ERP', baseUrl: system.url })
  const stock = await createConnection(rest, { name: 'Warehouse WMS', baseUrl: system.url })
  const actionOf = (name: string, path: string) =>
    createAction(rest, stock.connectionId, { name, toolName: name, path, method: 'POST' })
  const reserve = await actionOf('reserve_stock', '/stock')
  await actionOf('release_stock', '/release')
  const call = {
    ...{ key: 'call', type: 'action', connectionId: stock.connectionId, toolName: 'reserve_stock' },
    arguments: {},
  }
  const end = { key: 'end', type: 'stop', outcome: 'succeeded' }
  for (const [name, eventName, step] of [
    ['Paid order: reserve', 'order.paid', call],
    ['High-value review', 'order.paid', end],
    ['Stock correction', 'stock.adjusted', end],
  ] as const) {
    const trigger = { type: 'external.event', connectionId: shop.connectionId, eventName }
    const { status, text } = await rest('POST', '/workflows', { name, trigger, steps: [step] })
    expect(status, text).toBe(201)
  }
  for (const event of ['order.paid', 'order.paid', 'stock.adjusted', 'order.created'])
    expect((await postInbound(shop.credentials, `{"event":"${event}"}`, Date.now())).status).toBe(200)
  expect((await postInbound(stock.credentials, '{"event":"push"}', Date.now())).status).toBe(200)
  const failed = z.object({ calls: z.array(z.object({ failed: z.int() })) })
  await expect
    .poll(async () => failed.parse((await rest('GET', '/statistics/edges')).body))
    .toEqual({ calls: [{ failed: 2 }] })
  return { shop, stock, reserve }
}

const nodeOf = (page: Page, name: string | RegExp) =>
  page.getByRole('group', { name: /^Connections, event types/ }).getByRole('button', { name })
const focusedText = (page: Page) => page.evaluate('document.activeElement?.textContent')
const isFocused = (page: Page, text: string) => expect.poll(() => focusedText(page)).toContain(text)

test('the map is walked along its edges by keyboard, from what fails to its connection, and opened', async () => {
  const { page, service } = await open()
  await fillMap(service)
  await pressInSequence(page, 'g', 'm')
  await nodeOf(page, /^Paid order: reserve/).waitFor()
  await page.keyboard.press('F8')
  await isFocused(page, 'Paid order: reserve2 runs, 2 failed')
  const side = page.getByRole('region', { name: 'Chosen, and events that start nothing' })
  await side.getByRole('heading', { name: 'Paid order: reserve' }).waitFor()
  await side.getByText('2 of 2 calls').waitFor()
  await page.keyboard.press('ArrowRight')
  await isFocused(page, 'reserve_stock')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await isFocused(page, 'order.paid')
  await page.keyboard.press('ArrowDown')
  await isFocused(page, 'stock.adjusted')
  await page.keyboard.press('ArrowLeft')
  await isFocused(page, 'Acme Orders ERP')
  await page.keyboard.press('ArrowUp')
  await isFocused(page, 'Acme Orders ERP')
  await page.keyboard.press('Escape')
  await side.getByRole('heading', { name: 'Acme Orders ERP' }).waitFor({ state: 'hidden' })
  await isFocused(page, 'Acme Orders ERP')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /High-value review|Paid order: reserve/, level: 1 }).waitFor()
  await page.goBack()
  await nodeOf(page, /^Warehouse WMS/).press('Enter')
  await page.getByRole('heading', { name: 'Warehouse WMS', level: 1 }).waitFor()
})

test('the map is filtered, searched and used by mouse, and a workflow starts from an event without one', async () => {
  const { page, service, go } = await open()
  const { shop } = await fillMap(service)
  await go('/map')
  await page.getByText('5 events · 5 runs · 2 calls').waitFor()
  const side = page.getByRole('region', { name: 'Chosen, and events that start nothing' })
  const startNothing = side.getByRole('list', { name: 'Events that start nothing' })
  await expect
    .poll(() => startNothing.getByRole('listitem').locator('code').allTextContents())
    .toEqual(expect.arrayContaining(['order.created', 'push']))
  const uncalled = side.getByRole('list', { name: 'Actions that nothing calls' })
  await uncalled.getByText('release_stock').waitFor()
  expect(await uncalled.getByRole('listitem').count()).toBe(1)

  const show = page.getByRole('radiogroup', { name: 'Show' }).locator('label')
  await show.filter({ hasText: 'Failing' }).click()
  await nodeOf(page, /^stock\.adjusted/).waitFor({ state: 'hidden' })
  await nodeOf(page, /reserve_stock/).click()
  await side.getByText('2 of 2 calls').waitFor()
  await show.filter({ hasText: /^All$/ }).click()
  await page.getByLabel('Find in the map').fill('adjusted')
  await nodeOf(page, /^stock\.adjusted/).waitFor()
  await nodeOf(page, /^Warehouse WMS/).waitFor({ state: 'hidden' })
  await page.getByLabel('Find in the map').fill('warehouse')
  await nodeOf(page, /^Warehouse WMS/).waitFor()
  await page.getByLabel('Find in the map').fill('nowhere')
  // What is chosen stays, whatever is searched for.
  await nodeOf(page, /reserve_stock/).waitFor()
  await side.getByRole('button', { name: 'Clear the choice' }).click()
  await page.getByRole('button', { name: 'Show all' }).click()
  await nodeOf(page, /^Acme Orders ERP/).click()
  await side.getByText('Start nothing', { exact: true }).waitFor()
  await side.getByRole('button', { name: 'Start a workflow from order.created' }).click()
  await page.waitForURL(`**/#/workflows/new?connectionId=${shop.connectionId}&eventName=order.created`)
})

test('the map is accessible at each size, and scrolls in itself at 320 pixels', async () => {
  const { page, service, go } = await open({ width: 320, height: 640 })
  await fillMap(service)
  await go('/map')
  await nodeOf(page, /^Paid order: reserve/).waitFor()
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(overflow)).toBe(0)
  expect(
    await page.evaluate(
      "document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth",
    ),
  ).toBe(true)

  for (const [width, height] of [
    [390, 844],
    [900, 600],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    await go('/connections')
    await go('/map')
    await nodeOf(page, /^Paid order: reserve/).click()
    await expectAccessibleInBothSchemes(page)
    if (width >= 1000) continue
    await page.getByRole('button', { name: 'Start nothing 2' }).press('Enter')
    await page.getByRole('list', { name: 'Events that start nothing' }).getByText('push').waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.keyboard.press('Escape')
    await nodeOf(page, /^Paid order: reserve/).waitFor()
  }
})

test('a map that cannot be read is read again, and is empty with the way to a workflow', async () => {
  const { page, go } = await open({ width: 320, height: 640 })
  const isEdges = (url: URL) => url.pathname.endsWith('/statistics/edges')
  await page.route(isEdges, route => route.fulfill({ status: 500, body: '{}' }))
  await go('/map')
  await page.getByRole('heading', { name: 'The map could not be read' }).waitFor()
  await page.unroute(isEdges)
  await pressOnce(page.getByRole('button', { name: 'Try again' }))
  await page.getByRole('heading', { name: 'Nothing happened in the last 24 hours' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await pressOnce(page.getByRole('button', { name: /^Start nothing/ }))
  await page.getByRole('heading', { name: 'No workflow yet' }).waitFor()
  await page.getByRole('link', { name: 'Choose a starter' }).waitFor()
})
