import { expect, test } from 'vitest'
import { Credentials } from '#shared/model/connection.ts'
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
  await page.emulateMedia({ media: null })
})
