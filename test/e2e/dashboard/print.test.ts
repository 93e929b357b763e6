import { expect, test } from 'vitest'
import { Credentials } from '#shared/model/connection.ts'
import { createAction, testAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

test('on paper a refusal is alone, whole, and black on white in the dark scheme too', async () => {
  const service = await sharedService()
  const { connectionId } = await createConnection(service.rest, { name: 'Acme Orders ERP' })
  const { inboundUrl } = Credentials.parse(
    (await service.rest('GET', `/connections/${connectionId}/credentials`)).body,
  )
  const { status } = await fetch(inboundUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"event":"order.paid","data":{}}',
  })
  expect(status).toBe(401)
  const { page } = await open({
    at: service,
    path: `/connections/${connectionId}/activity`,
    scheme: 'dark',
    height: 500,
  })
  await page
    .getByRole('option', { name: /rejected/i })
    .first()
    .click()
  const refusal = page.getByRole('region', { name: 'Rejected attempt' })
  await refusal.waitFor()
  await page.emulateMedia({ media: 'print' })
  await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'hidden' })
  await page.getByRole('listbox').first().waitFor({ state: 'hidden' })
  await refusal.waitFor()
  const cut = `[...document.querySelectorAll('main, main *')].filter(one =>
    one.checkVisibility() && one.closest('svg, .sr') === null && one.clientHeight > 2 &&
    getComputedStyle(one).overflowY !== 'visible').map(one => one.className)`
  expect(await page.evaluate(cut)).toEqual([])
  expect(
    await refusal.evaluate((one: unknown) => {
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle(of: unknown): { readonly color: string }
      }
      return getComputedStyle(one).color
    }),
  ).toBe('rgb(0, 0, 0)')
  // The screen has the body behind a choice.
  await refusal.getByText('"order.paid"', { exact: true }).waitFor()
  await page.emulateMedia({ media: null })
})

test('on paper a call has its request, and every line of a long response', async () => {
  const rows = Array.from({ length: 300 }, (_, row) => ({ sku: `KB-${row}`, inner: { quantity: row } }))
  const system = await startExternalSystem((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ rows }))
  })
  const service = await sharedService()
  const { connectionId } = await createConnection(service.rest, { name: 'Stock', baseUrl: system.url })
  const { actionId } = await createAction(service.rest, connectionId, { toolName: 'list_stock' })
  await testAction(service.rest, { connectionId, actionId })
  const { page } = await open({ at: service, path: `/connections/${connectionId}/activity`, height: 500 })
  await page.getByRole('option', { name: /list_stock/ }).click()
  const call = page.getByRole('region', { name: 'list_stock' })
  await call.getByRole('tree', { name: 'Response' }).waitFor()
  expect(await call.getByText('KB-299').count()).toBe(0)
  await page.emulateMedia({ media: 'print' })
  await call.getByText('"KB-299"').waitFor()
  await call.getByText('"quantity": 299').waitFor()
  await call.getByRole('tree').waitFor({ state: 'hidden' })
  await call.getByRole('table', { name: 'Header fields of the request' }).waitFor()
  await page.emulateMedia({ media: null })
  await call.getByRole('tree', { name: 'Response' }).waitFor()
  await call.getByText('"KB-299"').waitFor({ state: 'detached' })
  // The browser announces that it prints before it changes the medium: 300 rows of 5 lines take more than 20 pages.
  const pages = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g)
  expect(pages?.length).toBeGreaterThan(20)
})
