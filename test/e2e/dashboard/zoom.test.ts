import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessible } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

/** A window of 1280 × 800 at 200 % zoom, in CSS pixels. */
const zoomed = { width: 640, height: 400 }

/** Returns the texts of what is in sight and does not show all of its text. */
const clipped = (page: Page, selector: string): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter(one => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
    .map(one => one.textContent)`)
const expectWhole = (page: Page, selector: string) => expect.poll(() => clipped(page, selector)).toEqual([])
const labels = '.mantine-Button-label, .mantine-SegmentedControl-label'

describe('at 200 % zoom', () => {
  test('the Test panel shows the response below the arguments, and the connection keeps its name', async () => {
    const system = await startExternalSystem(
      (_request, response) => void response.end('{"order":{"id":"ORD-1","status":"paid"}}'),
    )
    const service = await sharedService()
    const name = 'Acme Orders ERP'
    const { connectionId } = await createConnection(service.rest, { name, baseUrl: system.url })
    const parameters = ['order_id', 'status', 'note'].map(name => ({
      name,
      type: 'string',
      description: `The ${name} of the order`,
      required: false,
    }))
    const { actionId } = await createAction(service.rest, connectionId, { parameters })
    const path = `/connections/${connectionId}/actions?action=${actionId}&panel=test`
    const { page } = await open({ at: service, path, ...zoomed })
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await expectWhole(page, 'h1')
    await page.getByLabel('note').fill('x')
    await page.getByRole('button', { name: /^Send \w+ request/ }).click()
    await page.getByText('200 OK').waitFor()
    const tree = page.getByRole('tree', { name: 'Response' })
    await tree.scrollIntoViewIfNeeded()
    await expect.poll(async () => (await tree.boundingBox())?.height).toBeGreaterThan(120)
    await expect.poll(async () => (await tree.boundingBox())?.width).toBeGreaterThan(400)
    await expectWhole(page, labels)
    await expectAccessible(page)
  })

  test('the import can be read and pressed from its document to its end', async () => {
    const { page } = await open(zoomed)
    await page.keyboard.press('i')
    const dialog = page.getByRole('dialog', { name: 'Import' })
    await dialog.getByLabel('Text to import').click()
    const actions = Array.from({ length: 12 }, (_, index) => ({
      name: `Find order ${index}`,
      description: 'Finds an order.',
      path: '/orders',
      headers: { 'X-Key': '{{ACME_KEY}}' },
    }))
    const events = [{ eventName: 'order.paid' }, { eventName: 'order.shipped' }]
    const connection = { name: 'Acme Orders', baseUrl: 'https://api.acme-erp.com' }
    await page.keyboard.insertText(JSON.stringify({ connection, actions, events }))
    await dialog.getByText('12 actions and 2 event types to create.').waitFor()
    await expectWhole(page, labels)
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByRole('button', { name: 'Import 12 actions and 2 event types' }).waitFor()
    await expectWhole(page, labels)
    await expectAccessible(page)
    await dialog.getByLabel('Send their values to api.acme-erp.com').check()
    await dialog.getByLabel('Import order.shipped').uncheck()
    await dialog.getByRole('button', { name: 'Import 12 actions and 1 event type' }).click()
    await dialog.getByRole('heading', { name: /^Acme Orders created/ }).waitFor()
    await expectWhole(page, labels)
    await expectAccessible(page)
  })

  test('a setting keeps its name and its place among the pages', async () => {
    const service = await sharedService()
    await service.rest('PUT', '/environment/ACME_API_KEY', { name: 'ACME_API_KEY', value: 'a-long-value' })
    const { page, go } = await open({ at: service, path: '/settings/environment', ...zoomed })
    await page.getByText('ACME_API_KEY').waitFor()
    await expectWhole(page, 'td, a')
    await expectAccessible(page)
    await go('/settings/data-folder')
    const link = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Data folder' })
    await link.waitFor()
    const end = async () => {
      const box = await link.boundingBox()
      return (box?.x ?? 0) + (box?.width ?? 0)
    }
    await expect.poll(end).toBeLessThan(zoomed.width)
    await expectWhole(page, labels)
  })
})
