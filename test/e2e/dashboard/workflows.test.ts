import { expect, test } from 'vitest'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessible, inBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()

test('the sidebar counts the workflows and shows their runs while inside', async () => {
  const { page, service } = await open()
  await service.rest('POST', '/workflows', { name: 'Tell the team', trigger: { type: 'external.event' } })
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await navigation.getByRole('link', { name: 'Workflows 1' }).waitFor()
  expect(await navigation.getByRole('link', { name: 'Runs' }).count()).toBe(0)
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
  await navigation.getByRole('link', { name: 'Runs' }).click()
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
  await inBothSchemes(page, () => expectAccessible(page))
})

test('G then R goes to the runs on a screen where R alone replays the open event', async () => {
  const { page, service, go } = await open()
  const { connectionId } = await createConnection(service.rest, { persistEvents: true })
  await service.rest('POST', `/connections/${connectionId}/send`, { event: 'order.created', data: {} })
  await go(`/connections/${connectionId}/activity`)
  await page.getByRole('option', { name: /order\.created/ }).click()
  await page.getByRole('region', { name: 'order.created' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await expect.poll(() => page.url()).toContain('/workflows/runs')
})
