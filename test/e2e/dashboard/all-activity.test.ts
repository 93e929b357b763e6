import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { Credentials } from '#shared/model/connection.ts'
import { testMs } from '../../support/patience.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound, type ServiceFixture } from '../../support/service-fixture.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, holdCalls, pressInSequence, startRealTimeService } from './fixture.ts'

const { open } = dashboardTests()

const feed = (page: Page) => page.getByRole('listbox', { name: 'Events and calls, newest first' })
const row = (page: Page, text: string) => feed(page).getByRole('option').filter({ hasText: text })
const isFocused = (element: ReturnType<Page['locator']>) =>
  element.evaluate((one: { matches(selector: string): boolean }) => one.matches(':focus'))
const sideways = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth')

type Sender = {
  readonly connectionId: string
  send(event: string, data: object): Promise<void>
  /** Posts one that is signed with another secret. */
  sendWrongly(event: string): Promise<void>
}

async function addSender(service: ServiceFixture, name: string): Promise<Sender> {
  const { connectionId } = await createConnection(service.rest, { name, persistEvents: true })
  const credentials = Credentials.parse(
    (await service.rest('GET', `/connections/${connectionId}/credentials`)).body,
  )
  const post = async (event: string, data: object, signingSecret: string) =>
    (await postInbound({ ...credentials, signingSecret }, JSON.stringify({ event, data }), Date.now())).status
  return {
    connectionId,
    send: async (event, data) => expect(await post(event, data, credentials.signingSecret)).toBe(200),
    sendWrongly: async event => expect(await post(event, {}, `whsec_${'0'.repeat(64)}`)).toBe(401),
  }
}

test('all connections’ activity is one list: found, narrowed and opened with the pointer', async () => {
  const { page, service, go } = await open({ own: true })
  const [acme, billing] = [await addSender(service, 'Acme Orders'), await addSender(service, 'Billing')]
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor()
  await acme.send('order.paid', { order_id: 'ORD-20418' })
  await billing.send('invoice.paid', { order_id: 'INV-7' })
  await acme.sendWrongly('order.paid')
  await row(page, 'ORD-20418 · Not declared · Acme Orders').waitFor()
  await row(page, 'Billing').waitFor()

  await page.getByRole('button', { name: 'Outcome: Any outcome' }).click()
  await page.getByRole('menuitemradio', { name: 'Failed' }).click()
  await row(page, 'ORD-20418').waitFor({ state: 'detached' })
  await feed(page).getByRole('option').click()
  await page.getByRole('region', { name: 'Rejected attempt' }).waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await row(page, 'INV-7').click()
  await page.getByRole('region', { name: 'invoice.paid' }).getByText('INV-7').first().waitFor()
  for (const width of [1440, 900, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await expectAccessibleInBothSchemes(page)
    if (width >= 1000) continue
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await expectAccessibleInBothSchemes(page)
    await row(page, 'INV-7').click()
  }
  await page.setViewportSize({ width: 320, height: 700 })
  expect(await sideways(page)).toBe(0)
  await go(`/activity?connection=${billing.connectionId}`)
  await row(page, 'INV-7').waitFor()
  expect(await sideways(page)).toBe(0)
  await expect.poll(() => feed(page).getByRole('option').count()).toBe(1)
})

test('all connections’ activity is reached, searched and read by keyboard', async () => {
  const { page, service } = await open({ own: true })
  const acme = await addSender(service, 'Acme Orders')
  for (const order of ['ORD-1', 'ORD-2', 'ORD-3']) await acme.send('order.paid', { order_id: order })
  await pressInSequence(page, 'g', 'v')
  await row(page, 'ORD-3').waitFor()
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox', { name: 'Search activity' })
  expect(await isFocused(search)).toBe(true)
  await page.keyboard.type('ORD-2')
  await row(page, 'ORD-3').waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  expect(await isFocused(feed(page))).toBe(true)
  await page.keyboard.press('ArrowDown')
  await page.getByRole('region', { name: 'order.paid' }).waitFor()
  expect(await isFocused(feed(page))).toBe(true)
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'order.paid' }).waitFor({ state: 'detached' })
  expect(await isFocused(feed(page))).toBe(true)
})

const saved = async (page: Page, press: () => Promise<void>): Promise<string> => {
  const [download] = await Promise.all([page.waitForEvent('download'), press()])
  return await readFile(await download.path(), 'utf8')
}

test('with the pointer, a period is chosen on the chart, a cause is opened, and rows are exported', async () => {
  const { page, service } = await open({ own: true, path: '/activity' })
  const acme = await addSender(service, 'Acme Orders')
  for (const order of ['ORD-1', 'ORD-2', '=1+2']) await acme.send('order.paid', { order_id: order })
  await acme.sendWrongly('order.paid')
  await acme.sendWrongly('order.shipped')
  const cause = row(page, '2 × The request could not be verified')
  await cause.waitFor()
  await page.getByRole('region', { name: 'Activity of the last 24 hours' }).getByText('Refused 2').waitFor()

  await cause.click()
  await page.getByRole('region', { name: 'Rejected attempt' }).waitFor()
  await page.getByRole('button', { name: 'Show all of them' }).click()
  await expect.poll(() => feed(page).getByRole('option').count()).toBe(2)
  await page.getByRole('button', { name: 'Only refused requests' }).click()
  await page.getByRole('button', { name: 'Clear' }).click()

  const until = page.getByRole('slider', { name: 'Until' })
  const chart = await until.locator('..').boundingBox()
  if (chart === null) throw new Error('There is no chart')
  const at = (share: number) => [chart.x + chart.width * share, chart.y + 10] as const
  await page.mouse.move(...at(0.2))
  await page.mouse.down()
  await page.mouse.move(...at(0.5))
  await page.mouse.up()
  await page.getByRole('heading', { name: 'Nothing in this period' }).waitFor()
  await page.getByRole('button', { name: 'Show any time' }).click()
  await row(page, 'ORD-2').waitFor()

  const box = (text: string) => row(page, text).locator('[data-checked]')
  await box('ORD-1').click()
  await box('=1+2').click()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByText('2 rows selected').waitFor()
  await expectAccessibleInBothSchemes(page)
  await bar.getByRole('button', { name: 'Export…' }).click()
  const csv = await saved(page, () => page.getByRole('menuitem', { name: 'CSV' }).click())
  expect(csv.split('\r\n').filter(line => line !== '')).toHaveLength(3)
  expect(csv).toContain("order.paid,'=1+2")
  await bar.getByRole('button', { name: /^All 5/ }).click()
  await bar.getByText('All 5 selected').waitFor()
  await bar.getByRole('button', { name: 'Export…' }).click()
  const lines = await saved(page, () => page.getByRole('menuitem', { name: 'JSON Lines' }).click())
  expect(lines.trim().split('\n')).toHaveLength(5)
})

test('by keyboard, a period is chosen on the chart, a cause is opened, and rows are checked', async () => {
  const { page, service } = await open({ own: true, path: '/activity' })
  const acme = await addSender(service, 'Acme Orders')
  for (const order of ['ORD-1', 'ORD-2', 'ORD-3']) await acme.send('order.paid', { order_id: order })
  await acme.sendWrongly('order.paid')
  await row(page, '1 × The request could not be verified').waitFor()
  await row(page, 'ORD-3').waitFor()

  const until = page.getByRole('slider', { name: 'Until' })
  await until.focus()
  await page.keyboard.press('PageDown')
  await page.getByRole('heading', { name: 'Nothing in this period' }).waitFor()
  expect(await isFocused(until)).toBe(true)
  await page.keyboard.press('Escape')
  await row(page, 'ORD-3').waitFor()
  expect(await isFocused(until)).toBe(true)

  await page.keyboard.press('/')
  await page.keyboard.press('ArrowDown')
  expect(await isFocused(feed(page))).toBe(true)
  await page.keyboard.press('Home')
  await page.getByRole('region', { name: 'Rejected attempt' }).waitFor()
  await page.keyboard.press('Enter')
  await row(page, 'ORD-3').waitFor({ state: 'detached' })
  expect(await isFocused(feed(page))).toBe(true)
  await page.getByRole('button', { name: 'Clear' }).press('Enter')
  await row(page, 'ORD-3').waitFor()
  expect(await isFocused(feed(page))).toBe(true)

  await page.keyboard.press('End')
  await page.getByRole('region', { name: 'order.paid' }).waitFor()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowUp')
  await page.getByRole('region', { name: 'Selection' }).getByText('2 rows selected').waitFor()
  expect(await isFocused(feed(page))).toBe(true)
  expect(await row(page, 'ORD-2').getAttribute('aria-checked')).toBe('true')
  expect(await row(page, 'ORD-3').getAttribute('aria-checked')).toBe('false')
  await page.keyboard.press('ControlOrMeta+a')
  await page.getByText('All 4 selected').waitFor()
  await page.getByRole('button', { name: 'Clear the selection' }).press('Enter')
  await page.getByText('All 4 selected').waitFor({ state: 'detached' })
  expect(await isFocused(feed(page))).toBe(true)
})

test('the palette searches on until it has found an order, or has reached the end', async () => {
  const at = await startRealTimeService({ searchBounds: { rows: 20, ms: testMs } })
  const { page } = await open({ at })
  const [acme, billing] = [await addSender(at, 'Acme Orders'), await addSender(at, 'Billing')]
  await acme.send('order.paid', { order_id: 'ORD-20418' })
  for (let sent = 0; sent < 60; sent++) await billing.send('invoice.paid', { number: sent })
  await page.keyboard.press('Control+k')
  const input = page.getByRole('combobox', { name: 'Search or run' })
  await input.fill('ORD-20419')
  await page.getByText('Nothing matches “ORD-20419”').waitFor()
  // While it reads on, another text takes the place of the search.
  const { held, letGo } = await holdCalls(page, 'activity/list')
  await input.fill('ORD-99999')
  await held()
  await input.fill('ORD-20418')
  await letGo()
  await page.getByRole('option', { name: /order\.paid.*Acme Orders/ }).waitFor()
  expect(await isFocused(input)).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'order.paid' }).getByText('ORD-20418').first().waitFor()
})
