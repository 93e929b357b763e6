import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { RunDetails, RunPage } from '#shared/model/run.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import type { ServiceFixture } from '../../support/service-fixture.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { clipboard, dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

async function post(rest: Rest, path: string, body: object): Promise<unknown> {
  const answer = await rest('POST', path, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
  return answer.body
}

/** The next attempt follows 3 to 5 minutes after so many, so that a run does not go on by itself. */
const failedAttempts = 4

/** Sends an order that starts two runs: one ends, the other waits because its calls are answered with 503. */
async function tellStory({ rest }: ServiceFixture) {
  const state = { status: 503 }
  const system = await startExternalSystem((_request, response) => {
    const body = state.status === 200 ? { reservation: 'rsv_1' } : { error: 'maintenance' }
    response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const orders = await createConnection(rest, { name: 'Orders', persistEvents: true })
  const stock = await createConnection(rest, { name: 'Warehouse', baseUrl: system.url })
  await post(rest, `/connections/${stock.connectionId}/actions`, {
    ...{ name: 'Reserve stock', toolName: 'reserve_stock', description: 'Reserves.', path: '/reservations' },
    parameters: [{ name: 'order_id', type: 'string', description: 'The order.', required: true }],
  })
  const trigger = { type: 'external.event', connectionId: orders.connectionId, eventName: 'order.paid' }
  await post(rest, '/workflows', {
    ...{ name: 'High-value order review', trigger },
    steps: [{ key: 'tell_team', type: 'notify', message: 'Paid: {{order_id}}' }],
  })
  await post(rest, '/workflows', {
    ...{ name: 'Paid order: reserve', trigger },
    steps: [
      {
        ...{ key: 'reserve_stock', type: 'action', connectionId: stock.connectionId },
        ...{ toolName: 'reserve_stock', arguments: { order_id: '{{order_id}}' } },
      },
    ],
  })
  await post(rest, `/connections/${orders.connectionId}/send`, {
    ...{ event: 'order.paid', data: { order_id: 'ORD-20414' } },
  })
  const waiting = async () =>
    RunPage.parse((await rest('GET', '/runs?status=waiting')).body).runs.find(
      run => run.connectionId === orders.connectionId,
    )
  for (let attempt = 1; attempt <= failedAttempts; attempt++) {
    await expect.poll(async () => (await waiting())?.attempt).toBe(attempt)
    const { runId } = RunDetails.pick({ runId: true }).parse(await waiting())
    if (attempt < failedAttempts) await post(rest, `/runs/${runId}/retry`, {})
  }
  const { runId, eventId } = RunDetails.pick({ runId: true, eventId: true }).parse(await waiting())
  const details = RunDetails.parse((await rest('GET', `/runs/${runId}`)).body)
  const callId = details.steps[0]?.attempts.at(-1)?.callId ?? ''
  return { state, orders, runId, eventId: eventId ?? '', callId }
}

const tree = (page: Page) => page.getByRole('tree', { name: 'What happened, in order' })
const row = (page: Page, text: string | RegExp) => tree(page).getByRole('treeitem').filter({ hasText: text })
const chosen = (page: Page, text: string | RegExp) =>
  tree(page).getByRole('treeitem', { selected: true }).filter({ hasText: text })
const hasFocus = (page: Page) => tree(page).and(page.locator(':focus')).waitFor()

test('an event’s story is opened from the activity, a run and an id, and read with the pointer', async () => {
  const service = await sharedService()
  const { orders, runId, eventId, callId } = await tellStory(service)
  const { page, go } = await open({ at: service, width: 1440, height: 900 })
  await go(`/connections/${orders.connectionId}/activity?item=${eventId}`)
  await page.getByRole('link', { name: 'Show the story' }).click()
  await row(page, 'Request').waitFor()
  const titles = [
    ...[
      'Request',
      'Token known',
      'Connection enabled',
      'Encoding and size',
      'Timestamp',
      'Signature',
      'Body',
    ],
    ...['Stored', 'High-value order review', 'Notify', 'Paid order: reserve', 'Reserve stock'],
    ...['Call 1', 'Call 2', 'Call 3', 'Call 4', 'Attempt 5'],
  ]
  for (const title of titles) await row(page, title).waitFor()
  await expect.poll(() => tree(page).getByRole('treeitem').count()).toBe(titles.length)
  await page.getByText('2 runs', { exact: true }).waitFor()
  await page.getByText('4 calls', { exact: true }).waitFor()
  await row(page, 'Call 4').click()
  const call = page.getByRole('region', { name: 'Call 4', exact: true })
  await call.getByText('"maintenance"').waitFor()
  await call.getByRole('table', { name: 'Where its values come from' }).getByText('{{order_id}}').waitFor()
  await expectAccessibleInBothSchemes(page)

  // The same from the ids of the run and of the call.
  await call.getByRole('link', { name: 'Open the run' }).click()
  await page.getByRole('button', { name: 'Show the story of its event' }).click()
  await chosen(page, 'Paid order: reserve').waitFor()
  await go(`/story/${callId}`)
  await chosen(page, 'Call 4').waitFor()
  await row(page, 'Request').click()
  await page.getByRole('region', { name: 'Request', exact: true }).getByText('"ORD-20414"').waitFor()

  await page.setViewportSize({ width: 900, height: 600 })
  await row(page, 'Call 4').click()
  await page.getByRole('region', { name: 'Call 4', exact: true }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Back to the story' }).click()
  await row(page, 'Call 4').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.setViewportSize({ width: 320, height: 700 })
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  await go(`/story/${runId}`)
})

test('an event’s story is read, copied and taken up again by keyboard', async () => {
  const service = await sharedService()
  const { state, eventId } = await tellStory(service)
  const { page } = await open({ at: service, path: '/connections' })
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill(eventId)
  await page.getByRole('option', { name: /^Show the story/ }).waitFor()
  while (
    (await page.getByRole('option', { selected: true }).textContent())?.startsWith('Show the story') !== true
  )
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await chosen(page, 'Request').waitFor()
  // The first arrow works wherever the focus is, and brings it to the rows.
  await page.keyboard.press('ArrowDown')
  await chosen(page, 'Token known').waitFor()
  await hasFocus(page)
  await page.keyboard.press('ArrowLeft')
  await chosen(page, 'Request').waitFor()
  await page.keyboard.press('ArrowLeft')
  await row(page, 'Token known').waitFor({ state: 'detached' })
  await hasFocus(page)
  await page.keyboard.press('ArrowRight')
  await row(page, 'Token known').waitFor()
  await page.keyboard.press('F8')
  await chosen(page, 'Call 1').waitFor()
  await hasFocus(page)
  await page.keyboard.press('F8')
  await chosen(page, 'Call 2').waitFor()
  await page.keyboard.press('c')
  await page.getByText('Story copied').waitFor()
  const text = await clipboard(page)
  expect(text).toContain('order.paid')
  expect(text).toMatch(/^ {4}Call 2 · Failed/m)
  state.status = 200
  await page.keyboard.press('Control+Enter')
  await page.getByText('Run continued').waitFor()
  await row(page, 'Call 5').waitFor()
  await hasFocus(page)
})

test('an event that started nothing starts a workflow with W', async () => {
  const service = await sharedService()
  const { rest } = service
  const { connectionId } = await createConnection(rest, { name: 'Orders', persistEvents: true })
  await post(rest, `/connections/${connectionId}/send`, { event: 'order.refunded', data: {} })
  const { page, go } = await open({ at: service })
  await go(`/connections/${connectionId}/activity`)
  await page.getByRole('option').filter({ hasText: 'order.refunded' }).click()
  await page.getByRole('link', { name: 'Show the story' }).press('Enter')
  await page.getByText('It started nothing: no workflow takes this event.').waitFor()
  await page.keyboard.press('w')
  await expect.poll(() => page.url()).toContain('/workflows/new')
})

test('of an event with many runs, twenty are shown at first, and few are open', async () => {
  const service = await sharedService()
  const { rest } = service
  const { connectionId } = await createConnection(rest, { name: 'Orders', persistEvents: true })
  const trigger = { type: 'external.event', connectionId, eventName: 'order.paid' }
  const steps = [{ key: 'tell_team', type: 'notify', message: 'Paid' }]
  for (let number = 1; number <= 22; number++)
    await post(rest, '/workflows', { name: `Workflow ${number}`, trigger, steps })
  await post(rest, `/connections/${connectionId}/send`, { event: 'order.paid', data: {} })
  const runs = async () =>
    RunPage.parse((await rest('GET', `/runs?connectionId=${connectionId}`)).body).runs.filter(
      ({ status }) => status === 'succeeded',
    )
  await expect.poll(async () => (await runs()).length).toBe(22)
  const { page } = await open({ at: service, path: `/story/${(await runs())[0]?.eventId}` })
  const ofRuns = tree(page)
    .getByRole('treeitem')
    .filter({ hasText: /Workflow \d/ })
  await expect.poll(() => ofRuns.count()).toBe(20)
  await expect.poll(() => row(page, 'Notify').count()).toBe(3)
  await page.getByText('22 runs', { exact: true }).first().waitFor()
  await tree(page).focus()
  await page.keyboard.press('End')
  await chosen(page, '2 more runs').waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => ofRuns.count()).toBe(22)
  await hasFocus(page)
})

test('an id of nothing that is kept says so', async () => {
  const { page } = await open({ path: '/story/evt_01JD7PK3T2AAAAAAAAAAAAAAAA' })
  await page.getByRole('heading', { name: 'This story is no longer kept' }).waitFor()
})
