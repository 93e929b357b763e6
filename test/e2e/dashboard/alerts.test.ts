import { expect, test } from 'vitest'
import { z } from 'zod'
import { eventually } from '../../support/eventually.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, sixFrames } from './fixture.ts'

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
  const table = page.getByRole('table', { name: 'Connections' })
  await table.getByText('100%').waitFor()
  await table.getByText('5 of 5').waitFor()
  await page.getByText(/^Checked (just now|\d+ s ago)$/).waitFor()
  await page.getByRole('heading', { name: '1 alert on 1 connection' }).waitFor()
  await page.keyboard.press('F8')
  const detail = page.getByRole('region', { name: 'Connection', exact: true })
  await detail.getByText('Billing Bridge has refused 5 of 5 requests of the last hour.').waitFor()
  // The list stays as it is beside its detail, and so does the focus in it.
  await sixFrames(page)
  await table.locator('a:focus', { hasText: 'Billing Bridge' }).waitFor()
  await expectAccessibleInBothSchemes(page)

  // The focus stays where the pressed button was.
  await detail.getByRole('button', { name: 'Mute for 1 hour' }).press('Enter')
  await detail.locator('button:focus', { hasText: 'Unmute' }).waitFor()
  await page.keyboard.press('Enter')
  await detail.locator('button:focus', { hasText: 'Mute for 1 hour' }).waitFor()
  await page.keyboard.press('Enter')
  await detail.locator('button:focus', { hasText: 'Unmute' }).waitFor()
  expect((await service.rest('GET', '/alerts')).body).toMatchObject([{ muted: true }])

  const limit = detail.getByLabel('Refused, of at least 5 in an hour, limit')
  await limit.fill('50')
  await limit.press('Tab')
  const watch = async () => (await service.rest('GET', `/connections/${connectionId}/watch`)).body
  await expect.poll(watch).toMatchObject({ refused: { percent: 50 } })
  await detail.getByLabel('Silent for more than', { exact: true }).press('Space')
  await expect.poll(watch).toMatchObject({ silent: { enabled: true } })
  await table.getByText('alert at 24 h').waitFor()

  // What is too large is brought to the most, and saved as it is shown; an empty field keeps its limit.
  const hours = detail.getByLabel('Silent for more than, limit')
  await hours.fill('900')
  await hours.press('Enter')
  await expect.poll(watch).toMatchObject({ silent: { hours: 720 } })
  await expect.poll(() => hours.inputValue()).toBe('720 h')
  await hours.fill('')
  await hours.press('Tab')
  await expect.poll(() => hours.inputValue()).toBe('720 h')
  await table.getByText('alert at 30 days').waitFor()

  await detail.getByLabel('Clock off by more than, limit').fill('90')
  await page.keyboard.press('Tab')
  await expect.poll(watch).toMatchObject({ clock: { seconds: 90 } })

  await page.getByLabel('Kind').selectOption('clock')
  await page.getByText('No connection has such an alert').waitFor()
  await page.getByLabel('Kind').selectOption('')
  await table.getByRole('link', { name: /^Billing Bridge/ }).waitFor()

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

test('a connection without an alert shows what differs, and its newest event becomes the sample', async () => {
  const { page, service, go } = await open({ own: true, path: '/alerts', width: 900, height: 600 })
  const { connectionId, credentials } = await createConnection(service.rest, {
    name: 'Warehouse WMS',
    persistEvents: true,
  })
  const type = { eventName: 'stock.adjusted', samplePayload: { level: 12, reason: 'recount' } }
  await service.rest('POST', `/connections/${connectionId}/event-types`, type)
  const sentAt = Date.now() - 112_000
  await postInbound(credentials, '{"event":"stock.adjusted","data":{"level":"12","bin":"A-14"}}', sentAt)
  const watch = async () => (await service.rest('GET', `/connections/${connectionId}/watch`)).body
  await expect.poll(watch).toMatchObject({ now: { payloads: [{ differing: 1 }] } })
  await go('/alerts')
  await page.getByRole('link', { name: 'Warehouse WMS' }).waitFor()
  await page.keyboard.press('ArrowDown')
  const detail = page.getByRole('region', { name: 'Connection', exact: true })
  await detail.getByText(/^Its clock is 1 min 5\d s behind$/).waitFor()
  const fields = detail.getByRole('table', { name: '3 fields' })
  await fields.getByText('"A-14"').waitFor()
  await expectAccessibleInBothSchemes(page)
  await detail.getByRole('button', { name: 'Mute for this event' }).press('Enter')
  await fields.waitFor({ state: 'hidden' })
  await detail.locator(':focus').waitFor()
  await detail.getByRole('button', { name: 'Compare again' }).press('Enter')
  await fields.waitFor()
  await page.keyboard.press('s')
  await fields.waitFor({ state: 'hidden' })
  await expect.poll(watch).toMatchObject({ now: { payloads: null } })
})

test('a webhook that was not told of an alert is named', async () => {
  const { page, service, go } = await open({ own: true, path: '/alerts' })
  const system = await startExternalSystem((_request, response) => response.writeHead(410).end())
  await service.rest('PUT', '/environment/HOOK_SECRET', { value: `whsec_${'a'.repeat(43)}=` })
  const webhook = { url: system.url, secretVariable: 'HOOK_SECRET', alerts: true }
  await service.rest('PATCH', '/workspaces/default', { webhook })
  await service.rest('POST', '/backups/note', { at: Date.now() - 3 * 24 * 3_600_000 })
  await eventually(async () => {
    await service.service.alerts.step()
    expect(system.requests).toHaveLength(1)
  })
  await go('/alerts')
  await page.getByText('1 message of alerts did not reach the webhook').waitFor()
  await page.getByRole('heading', { name: '1 alert of workflows and this service' }).waitFor()
  const alert = page.getByRole('button', { name: /newest good backup/ })
  expect(await alert.getAttribute('aria-current')).toBeNull()
  await alert.press('Enter')
  await page.locator('button[aria-current="true"]', { hasText: 'newest good backup' }).waitFor()
  const days = page.getByRole('region', { name: 'Alert', exact: true }).getByLabel(/backup is older.*limit/)
  await expect.poll(() => days.inputValue()).toBe('2 days')
  await expectAccessibleInBothSchemes(page)
})

test('a passing second renders its words, not the table beside them', async () => {
  const { page, service, go } = await open({ path: '/alerts' })
  await createConnection(service.rest, { name: 'Billing Bridge' })
  await go('/alerts')
  await page.getByRole('link', { name: 'Billing Bridge' }).waitFor()
  const checked = page.getByText(/^Checked (just now|\d+ s ago)$/)
  /** Returns the words, and whether the table has been rendered since the last call. */
  const look = async () => ({
    words: await checked.textContent(),
    rendered: await page.evaluate(tableRendered),
  })
  let { words } = await look()
  // Answers of the service render it too: there is a second without one.
  await expect
    .poll(async () => {
      const now = await look()
      const isLater = now.words !== words
      words = now.words
      return isLater && !now.rendered
    })
    .toBe(true)
})

/** Runs in the page. React gives an element new props each time that its component is rendered. */
const tableRendered = `(() => {
  const table = document.querySelector('table[aria-label="Connections"]')
  const props = table[Object.keys(table).find(key => key.startsWith('__reactProps$'))]
  const wasRendered = globalThis.lastProps !== props
  globalThis.lastProps = props
  return wasRendered
})()`
