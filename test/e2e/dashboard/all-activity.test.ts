import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { Credentials } from '#shared/model/connection.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound, type ServiceFixture } from '../../support/service-fixture.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, pressInSequence } from './fixture.ts'

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
    if (width < 1000) await page.getByRole('button', { name: 'Back to the list' }).click()
    await expectAccessibleInBothSchemes(page)
    await row(page, 'INV-7').click()
  }
  await page.setViewportSize({ width: 320, height: 700 })
  expect(await sideways(page)).toBe(0)
  await go(`/activity?connection=${billing.connectionId}`)
  await row(page, 'INV-7').waitFor()
  expect(await sideways(page)).toBe(0)
  expect(await feed(page).getByRole('option').count()).toBe(1)
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
