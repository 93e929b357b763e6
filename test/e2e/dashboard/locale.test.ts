import { expect, test } from 'vitest'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

test('numbers in fields are written as the reader writes them', async () => {
  const { page, service, go } = await open({ locale: 'de-DE' })
  const { connectionId } = await createConnection(service.rest)
  await go(`/connections/${connectionId}`)
  await page.getByRole('button', { name: 'Timeout and retention' }).click()
  const kept = page.getByLabel('Events kept')
  await kept.fill('25000')
  await expect.poll(() => kept.inputValue()).toBe('25.000')
  const timeout = page.getByLabel('Call timeout')
  await timeout.fill('1,5')
  await page.keyboard.press('Control+s')
  await page.getByText('all changes saved').waitFor()
  const { body } = await service.rest('GET', `/connections/${connectionId}`)
  expect(body).toMatchObject({ timeoutMs: 1500, retention: { maxEvents: 25_000 } })

  await go('/settings/limits')
  const connections = page.getByLabel('Open connections')
  await connections.fill('2048')
  await expect.poll(() => connections.inputValue()).toBe('2.048')
  await page.getByRole('button', { name: 'Discard' }).click()
  await go('/settings/retention')
  await expect.poll(() => page.getByLabel('Events', { exact: true }).inputValue()).toMatch(/^\d+\.000$/)
})

test('numbers and times are written as the reader’s own locale has them', async () => {
  const { page, service, go } = await open({ locale: 'de-DE' })
  const { connectionId, credentials } = await createConnection(service.rest)
  await Promise.all(
    Array.from({ length: 1200 }, (_, index) =>
      postInbound(credentials, `{"event":"order.paid","data":{"n":${index}}}`, Date.now()),
    ),
  )
  await go(`/connections/${connectionId}`)
  await page.getByText('1.200', { exact: true }).first().waitFor()
})

test('a test that takes long shows its time in the format of the locale', async () => {
  const system = await startExternalSystem(() => {})
  const service = await sharedService()
  const { connectionId } = await createConnection(service.rest, { baseUrl: system.url })
  const { actionId } = await createAction(service.rest, connectionId)
  const path = `/connections/${connectionId}/actions?action=${actionId}&panel=test`
  const { page } = await open({ at: service, path, locale: 'de-DE' })
  await page.getByRole('button', { name: /^Send GET request/ }).click()
  await page.getByText(/^\d+,\d s$/).waitFor()
})
