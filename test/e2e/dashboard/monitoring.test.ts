import { expect, test } from 'vitest'
import { MetricsToken } from '#shared/model/metrics.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { clipboard, dashboardTests, startRealTimeService } from './fixture.ts'

const { open } = dashboardTests()

test('the metrics token is created, shown once, replaced and revoked, by keyboard alone', async () => {
  const { page, service, go } = await open({ own: true, path: '/settings/monitoring' })
  const metrics = page.getByRole('region', { name: 'Metrics' })
  const tokenOf = async () => MetricsToken.parse((await service.rest('GET', '/metrics/token')).body)
  const scrape = async (token: string) =>
    (await fetch(`${service.dashboardUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status
  await metrics.getByText('Not scraped since the start').waitFor()
  await expectAccessibleInBothSchemes(page)

  await metrics.getByRole('button', { name: 'Create token' }).press('Enter')
  await metrics.getByText('This token is shown only once').waitFor()
  const field = metrics.getByLabel('Token', { exact: true })
  const first = await field.inputValue()
  expect(await scrape(first)).toBe(200)
  await metrics.getByRole('button', { name: 'Copy the token' }).press('Enter')
  await expect.poll(() => clipboard(page)).toBe(first)
  await expectAccessibleInBothSchemes(page)

  await metrics.getByRole('button', { name: 'Replace the token' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Replace token' }).press('Enter')
  await expect.poll(() => field.inputValue()).not.toBe(first)
  const second = await field.inputValue()
  expect([await scrape(first), await scrape(second)]).toEqual([401, 200])

  await go('/settings/limits')
  await go('/settings/monitoring')
  await expect.poll(() => field.inputValue()).toMatch(/^ccm_•+$/)
  await metrics.getByText(/^Scraped /).waitFor()
  expect(await page.content()).not.toContain(second)

  await metrics.getByRole('button', { name: 'Revoke the token' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).press('Enter')
  await metrics.getByText('Without one, only the admin token reads the metrics.').waitFor()
  expect(await tokenOf()).toMatchObject({ source: null })
  expect(await scrape(second)).toBe(401)
})

test('the scrape address and a configuration for Prometheus are copied', async () => {
  const { page, service } = await open({ path: '/settings/monitoring' })
  const { host } = new URL(service.dashboardUrl)
  const address = page.getByLabel('Scrape address')
  expect(await address.inputValue()).toBe(`${service.dashboardUrl}/metrics`)
  await page.getByRole('button', { name: 'Copy the address' }).click()
  await expect.poll(() => clipboard(page)).toBe(`${service.dashboardUrl}/metrics`)
  await page.getByRole('button', { name: 'Copy scrape config' }).click()
  await expect.poll(() => clipboard(page)).toContain(`- targets: ['${host}']`)
})

test('thresholds of the service are changed by keyboard alone', async () => {
  const { page, service } = await open({ path: '/settings/monitoring' })
  const alerts = page.getByRole('region', { name: 'Alerts of workflows and this service' })
  const watch = async () => (await service.rest('GET', '/watch')).body
  await alerts.getByLabel('A run is due and has not begun for', { exact: true }).press('Space')
  await expect.poll(watch).toMatchObject({ runsStuck: { enabled: false, minutes: 15 } })
  const count = alerts.getByLabel('Runs of a workflow failed in an hour, limit')
  await count.fill('5')
  await page.keyboard.press('Tab')
  await expect.poll(watch).toMatchObject({ runsFailing: { enabled: true, count: 5 } })
  await expect.poll(() => count.inputValue()).toBe('5 runs')
  await alerts.getByText('The disk has less free than 5 %, at least 1 GiB').waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('a token that was given at the start is not changed here', async () => {
  const at = await startRealTimeService({ metricsToken: 'given-at-the-start-1' })
  const { page } = await open({ at, path: '/settings/monitoring' })
  await page.getByText('The token was given when the service was started').waitFor()
  expect(await page.getByRole('button', { name: /token$/i }).count()).toBe(0)
  await expectAccessibleInBothSchemes(page)
})
