import { expect, test } from 'vitest'
import { z } from 'zod'
import { eventually } from '../../support/eventually.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()

test('an alert is found, muted and its threshold changed, by keyboard alone', async () => {
  const { page, service, go } = await open({ own: true, path: '/alerts' })
  await page.getByRole('heading', { name: 'No alert is open' }).waitFor()
  const { connectionId, credentials } = await createConnection(service.rest, { name: 'Billing Bridge' })
  const wrong = { ...credentials, signingSecret: `whsec_${'a'.repeat(43)}=` }
  for (let count = 0; count < 5; count++) await postInbound(wrong, '{"event":"a"}', Date.now())
  // A step that comes too soon after the last one does nothing.
  await eventually(async () => {
    await service.service.alerts.step()
    expect((await service.rest('GET', '/alerts')).body).toHaveLength(1)
  })
  await go('/connections')
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Alerts/ })
    .press('Enter')
  await page.getByRole('button', { name: /Billing Bridge has refused 5 of 5/ }).press('Enter')
  const detail = page.getByRole('region', { name: 'Alert', exact: true })
  await detail.getByText('Refused requests').waitFor()
  await expectAccessibleInBothSchemes(page)

  await detail.getByRole('button', { name: 'Mute for 1 hour' }).press('Enter')
  await detail.getByRole('button', { name: 'Unmute' }).waitFor()
  expect((await service.rest('GET', '/alerts')).body).toMatchObject([{ muted: true }])

  const limit = detail.getByLabel('Refused, of at least 5 in an hour, limit')
  await limit.fill('50')
  await limit.press('Tab')
  const watch = async () => (await service.rest('GET', `/connections/${connectionId}/watch`)).body
  await expect.poll(watch).toMatchObject({ refused: { percent: 50 } })
  await detail.getByLabel('Silent for more than', { exact: true }).press('Space')
  await expect.poll(watch).toMatchObject({ silent: { enabled: true } })

  await page.getByRole('button', { name: 'Quiet for 1 hour' }).press('Enter')
  await page.getByRole('button', { name: 'End quiet' }).waitFor()
  expect((await service.rest('GET', '/settings')).body).toMatchObject({
    alertsQuietUntil: expect.any(String),
  })
})

test('a workflow is started by alerts of this service', async () => {
  const { page, service } = await open({ path: '/workflows/new' })
  const body = {
    name: 'Page',
    trigger: { type: 'external.event', connectionId: 'conn_service', eventName: 'service.*' },
    steps: [{ key: 'end', type: 'stop', outcome: 'succeeded' }],
  }
  const { workflowId } = z
    .object({ workflowId: z.string() })
    .parse((await service.rest('POST', '/workflows', body)).body)
  await page.goto(`${service.dashboardUrl}/#/workflows/${workflowId}`)
  await page.getByText('This service', { exact: true }).first().waitFor()
  expect(await page.getByText('does not exist').count()).toBe(0)
})
