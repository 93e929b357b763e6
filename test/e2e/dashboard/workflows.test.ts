import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import type { ServiceFixture } from '../../support/service-fixture.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { chooseByKey, dashboardTests, isShown, pressInSequence, pressOnce } from './fixture.ts'

const { open } = dashboardTests()

const tell = { key: 'tell', type: 'notify', message: 'Hello' }

async function createWorkflow(
  rest: Rest,
  name: string,
  eventName: string,
  more: object = {},
): Promise<string> {
  const trigger = { type: 'external.event', connectionId: null, eventName }
  const { body } = await rest('POST', '/workflows', { name, trigger, steps: [tell], ...more })
  return z.object({ workflowId: z.string() }).parse(body).workflowId
}

/** Creates a workflow that succeeds, one that fails, one that waits and one that is off. @returns their ids. */
async function createFour({ rest }: ServiceFixture) {
  return {
    paid: await createWorkflow(rest, 'Paid orders', 'order.paid'),
    stock: await createWorkflow(rest, 'Stock correction', 'stock.adjusted', {
      steps: [{ key: 'refuse', type: 'stop', outcome: 'failed', message: 'No such shelf' }],
    }),
    later: await createWorkflow(rest, 'Remind later', 'order.created', {
      steps: [{ key: 'pause', type: 'wait', seconds: 3600 }, tell],
    }),
    cart: await createWorkflow(rest, 'Abandoned carts', 'cart.abandoned', { enabled: false }),
  }
}

test('the sidebar counts the workflows and shows their runs while inside', async () => {
  const { page, service } = await open()
  await createWorkflow(service.rest, 'Tell the team', 'order.paid')
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await navigation.getByRole('link', { name: 'Workflows 1' }).waitFor()
  expect(await navigation.getByRole('link', { name: 'Runs' }).count()).toBe(0)
  await pressInSequence(page, 'g', 'w')
  await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
  await navigation.getByRole('link', { name: 'Runs' }).click()
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
})

test('G then R goes to the runs on a screen where R alone replays the open event', async () => {
  const { page, service, go } = await open()
  const { connectionId } = await createConnection(service.rest, { persistEvents: true })
  await service.rest('POST', `/connections/${connectionId}/send`, { event: 'order.created', data: {} })
  await go(`/connections/${connectionId}/activity`)
  await page.getByRole('option', { name: /order\.created/ }).click()
  await page.getByRole('region', { name: 'order.created' }).waitFor()
  await pressInSequence(page, 'g', 'r')
  await expect.poll(() => page.url()).toContain('/workflows/runs')
})

describe('the list of workflows', () => {
  test('says which fail, wait and are off, and which events start nothing', async () => {
    const { page, service, go } = await open({ own: true })
    const { paid, stock } = await createFour(service)
    const { connectionId } = await createConnection(service.rest, { name: 'Acme', persistEvents: true })
    const events = [
      'order.paid',
      'order.paid',
      'stock.adjusted',
      'order.created',
      'cart.abandoned',
      'order.new',
    ]
    for (const event of events)
      await service.rest('POST', `/connections/${connectionId}/send`, { event, data: { order_id: 'ORD-1' } })
    await go('/workflows')
    const table = page.getByRole('table', { name: 'Workflows' })
    const row = (name: string) => table.getByRole('row').filter({ hasText: name })
    await row('Paid orders').getByText('All succeeded').waitFor()
    await row('Stock correction').getByText('1 failed this hour').waitFor()
    await row('Remind later').getByText('1 waiting').waitFor()
    await row('Abandoned carts').getByText('Disabled').waitFor()
    await row('Paid orders')
      .getByRole('img', { name: /^Runs in the last 24 hours: 2 succeeded/ })
      .waitFor()
    await page.getByText('4 workflows · 3 runs in 24 hours').waitFor()
    await expectAccessibleInBothSchemes(page)

    // The filters, by address too.
    await page.getByRole('radiogroup', { name: 'Status' }).getByText('Failing 1').click()
    await expect.poll(() => table.getByRole('link').allTextContents()).toEqual(['Stock correction'])
    await page.getByRole('radiogroup', { name: 'Status' }).getByText('All 4').click()
    await page.keyboard.press('/')
    await page.keyboard.type('order.paid')
    await expect.poll(() => table.getByRole('link').allTextContents()).toEqual(['Paid orders'])
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox', { name: 'Filter workflows' }).blur()

    // Its runs, by keys.
    await go('/workflows?sort=name')
    await expect
      .poll(() => table.getByRole('link').allTextContents())
      .toEqual(['Abandoned carts', 'Paid orders', 'Remind later', 'Stock correction'])
    for (const key of ['ArrowDown', 'ArrowDown', 'r']) await page.keyboard.press(key)
    await expect.poll(() => page.url()).toContain(`/workflows/runs?workflow=${paid}`)
    await page.goBack()
    await isShown(page)
    await table.getByRole('link', { name: 'Stock correction' }).waitFor()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter'])
      await page.keyboard.press(key)
    await expect.poll(() => page.url()).toContain(`/workflows/${stock}`)
    await page.goBack()

    const unhandled = page.getByRole('table', { name: 'Events that start nothing' })
    await unhandled.getByRole('button', { name: 'Enable workflow on cart.abandoned' }).click()
    await page.getByText('Abandoned carts enabled').waitFor()
    await unhandled
      .getByRole('button', { name: 'Enable workflow on cart.abandoned' })
      .waitFor({ state: 'detached' })
    await page.keyboard.press('w')
    await expect
      .poll(() => page.evaluate('document.activeElement.ariaLabel'))
      .toBe('New workflow on order.new')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.url())
      .toContain(`/workflows/new?connectionId=${connectionId}&eventName=order.new`)
  })

  test('enables, duplicates and deletes with undo or a question, by keyboard alone', async () => {
    const { page, service, go } = await open()
    await createWorkflow(service.rest, 'Paid orders', 'order.paid')
    await go('/workflows')
    const enabled = page.getByRole('switch', { name: 'Enable Paid orders' })
    await enabled.waitFor()
    for (const key of ['ArrowDown', 'e']) await page.keyboard.press(key)
    await page.getByText('Paid orders disabled').waitFor()
    await expect.poll(() => enabled.isChecked()).toBe(false)
    await page.keyboard.press('Control+z')
    await page.getByText('Paid orders enabled').waitFor()
    await expect.poll(() => enabled.isChecked()).toBe(true)

    await pressOnce(page.getByRole('button', { name: 'More for Paid orders' }))
    await chooseByKey(page, 'Duplicate')
    await page.getByText('Workflow “Paid orders (copy)” created').waitFor()
    await expect.poll(() => page.url()).toMatch(/\/workflows\/wf_/)
    await go('/workflows')
    const copy = page.getByRole('switch', { name: 'Enable Paid orders (copy)' })
    await copy.waitFor()
    expect(await copy.isChecked()).toBe(false)

    await pressOnce(page.getByRole('button', { name: 'More for Paid orders (copy)' }))
    await chooseByKey(page, 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete Paid orders (copy)' })
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Delete workflow' }).press('Enter')
    await copy.waitFor({ state: 'detached' })
  })

  test('shows no figures before they are known, and says that they cannot be', async () => {
    const { page, service, go } = await open()
    await createWorkflow(service.rest, 'Paid orders', 'order.paid')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/rpc/workflows/overview', async route => {
      await released
      await route.fulfill({ status: 500, body: '' })
    })
    await go('/workflows')
    // The sidebar has read them before.
    await page.reload()
    await page.getByRole('status', { name: 'Loading workflows' }).waitFor()
    release()
    await page.getByText('The runs and the received events cannot be shown').waitFor()
    const table = page.getByRole('table', { name: 'Workflows' })
    await table.getByRole('row', { name: /Paid orders/ }).waitFor()
    await expect.poll(() => table.getByText('not known yet').count()).toBeGreaterThan(2)
    expect(await page.getByText('runs in 24 hours').count()).toBe(0)
    await expectAccessible(page)
  })
})

test('an exported workflow can be imported again, and a wrong document says what to change', async () => {
  const { page, service, go } = await open()
  const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
  await createWorkflow(service.rest, 'Paid orders', 'order.paid', {
    trigger: { type: 'external.event', connectionId, eventName: 'order.paid' },
  })
  await go('/workflows')
  await page.getByRole('button', { name: 'More for Paid orders' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export as JSON' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('paid-orders.json')
  const exported = await readFile(await download.path(), 'utf8')
  expect(JSON.parse(exported)).toMatchObject({ workflow: { trigger: { connection: 'Acme' } } })

  await page.keyboard.press('i')
  const dialog = page.getByRole('dialog', { name: 'Import a workflow' })
  const file = (text: string) => ({ name: 'w.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  await dialog.getByLabel('File to import').setInputFiles(file(exported.replace('notify', 'shout')))
  await dialog.getByText('shout').waitFor()
  await page.keyboard.press('Control+Enter')
  await dialog.getByText('There is no type "shout".').first().waitFor()
  await expectAccessible(page)
  await dialog
    .getByLabel('File to import')
    .setInputFiles(file(exported.replace('Paid orders', 'From a file')))
  await dialog.getByText('From a file').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByText('Workflow “From a file” imported').waitFor()
  await expect.poll(() => page.url()).toMatch(/\/workflows\/wf_/)
})

test('a declared event type names the workflows that it starts, and offers another', async () => {
  const { page, service, go } = await open()
  const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
  const events = `/connections/${connectionId}/events`
  await service.rest('POST', `/connections/${connectionId}/event-types`, { eventName: 'order.paid' })
  await createWorkflow(service.rest, 'All of orders', 'order.*')
  await createWorkflow(service.rest, 'Something else', 'stock.low')
  await go(events)
  const section = page.getByRole('region', { name: 'Workflows' })
  await section.getByRole('link', { name: 'All of orders' }).waitFor()
  await expect.poll(() => section.getByRole('link').count()).toBe(1)
  await expectAccessible(page)
  await section.getByRole('button', { name: 'Start a workflow' }).click()
  await expect
    .poll(() => page.url())
    .toContain(`/workflows/new?connectionId=${connectionId}&eventName=order.paid`)
})

test('the palette finds workflows by name and runs by what is in their events', async () => {
  const { page, service } = await open()
  const { connectionId } = await createConnection(service.rest, { persistEvents: true })
  await createWorkflow(service.rest, 'Paid orders', 'order.paid')
  await service.rest('POST', `/connections/${connectionId}/send`, {
    event: 'order.paid',
    data: { order_id: 'ORD-77001' },
  })
  const input = page.getByRole('combobox', { name: 'Search or run' })
  await page.keyboard.press('Control+k')
  await input.fill('ord-77001')
  const run = page.getByRole('group', { name: 'Runs' }).getByRole('option', { name: /Paid orders/ })
  await run.waitFor()
  await expectAccessible(page)
  await run.click()
  await expect.poll(() => page.url()).toMatch(/\/workflows\/runs\?run=run_/)
  await page.keyboard.press('Control+k')
  await input.fill('paid ord')
  await page
    .getByRole('group', { name: 'Workflows' })
    .getByRole('option', { name: /Paid orders/ })
    .click()
  await expect.poll(() => page.url()).toMatch(/\/workflows\/wf_/)
})

describe('the first workflow', () => {
  test('is one of three starters: without a connection it brings the sample, and opens switched off', async () => {
    const { page, service, go } = await open({ path: '/workflows' })
    await page.getByRole('heading', { name: 'No workflows yet' }).waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.keyboard.press('1')
    await expect.poll(() => page.url()).toMatch(/\/workflows\/wf_/)
    expect((await service.rest('GET', '/workflows')).body).toMatchObject([
      { name: 'Tell me about large orders', enabled: false, issues: [] },
    ])
    expect((await service.rest('GET', '/connections')).body).toMatchObject([{ name: 'Sample order system' }])
    await go('/workflows')
    await page.getByRole('table', { name: 'Workflows' }).waitFor()
  })

  test('at 900 × 600 and at 200 % zoom nothing is cut off sideways', async () => {
    const { page, service } = await open({ path: '/workflows' })
    await page.getByRole('heading', { name: 'No workflows yet' }).waitFor()
    const fits = async () => {
      for (const size of [
        { width: 900, height: 600 },
        { width: 640, height: 400 },
      ]) {
        await page.setViewportSize(size)
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth'))
          .toBeLessThanOrEqual(size.width)
      }
    }
    await fits()
    await createFour(service)
    await page.getByRole('table', { name: 'Workflows' }).waitFor()
    await fits()
    await expectAccessible(page)
  })
})
