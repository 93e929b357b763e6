import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createAction, testAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()

const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
const rowNames = (page: Page) => page.locator('[data-row] td:first-child a').allTextContents()

/** Creates a connection whose calls fail, one that rejects, and one on which nothing happened. */
async function createThree(rest: Rest) {
  const system = await startExternalSystem((_request, response) => void response.writeHead(401).end('{}'))
  const acme = await createConnection(rest, { name: 'Acme', baseUrl: system.url, persistEvents: true })
  const { connectionId } = acme
  const { toolName, actionId } = await createAction(rest, connectionId)
  await rest('POST', '/workflows', {
    name: 'Look up',
    trigger: { type: 'external.event', connectionId, eventName: 'order.paid' },
    steps: [{ key: 'call', type: 'action', connectionId, toolName, arguments: {}, onFailure: 'stop' }],
  })
  const billing = await createConnection(rest, { name: 'Billing', baseUrl: 'https://billing.example' })
  const sender = { scheme: 'template', verify: 'none', eventName: { path: 'type' }, data: 'body' }
  await createConnection(rest, { name: 'Clinic', sender })
  for (let order = 1; order <= 4; order++) {
    const body = `{"event":"order.paid","data":{"order":${order}}}`
    expect((await postInbound(acme.credentials, body, Date.now())).status).toBe(200)
  }
  // In none of the figures of failed calls: one that was not made, and those of a check.
  const keyed = await createAction(rest, connectionId, {
    toolName: 'keyed',
    headers: { 'x-key': '{{NO_KEY}}' },
  })
  await testAction(rest, { connectionId, actionId: keyed.actionId })
  const check = { arguments: {}, allowEffects: true }
  expect((await rest('POST', `/connections/${connectionId}/actions/${actionId}/check`, check)).status).toBe(
    200,
  )
  const wrong = { ...billing.credentials, signingSecret: 'whsec_wrong' }
  for (let time = 0; time < 5; time++)
    expect((await postInbound(wrong, `{"event":"x${time}"}`, Date.now())).status).toBe(401)
  return { acme, billing }
}

test('the list, the sidebar and the overview say what fails, in which direction', async () => {
  const { page, service, go } = await open({ own: true, width: 1440, height: 900 })
  const { acme } = await createThree(service.rest)

  await go('/connections?sort=worst')
  await page.getByRole('heading', { name: '1 connection fails, 1 needs attention' }).waitFor()
  await expect.poll(() => rowNames(page)).toEqual(['Acme', 'Billing', 'Clinic'])
  await rowOf(page, 'Acme').getByText('4 calls failed').waitFor()
  await rowOf(page, 'Billing').getByText('5 rejected this hour').waitFor()
  await rowOf(page, 'Clinic').getByText('No base URL', { exact: true }).waitFor()
  await rowOf(page, 'Clinic').getByText('unsigned', { exact: true }).waitFor()
  await expect.poll(() => page.getByText('unsigned', { exact: true }).count()).toBe(1)
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await navigation.getByRole('link', { name: 'Connections 2 need attention' }).waitFor()
  await navigation.getByRole('link', { name: 'Workflows 1 failing' }).waitFor()
  await expectAccessibleInBothSchemes(page)

  // By keyboard: from one that asks for something to the next, and from its figure to its list.
  const focused = () => page.evaluate('document.activeElement.textContent')
  await page.keyboard.press('F8')
  await expect.poll(focused).toBe('Acme')
  await page.keyboard.press('F8')
  await expect.poll(focused).toBe('Billing')
  await page.keyboard.press('F8')
  await expect.poll(focused).toBe('Acme')
  await page.keyboard.press('Tab')
  await expect.poll(focused).toBe('4 failed')
  await page.keyboard.press('Enter')
  // Its list has just these: not the one that was not made, nor those of the check.
  await page.waitForURL(/show=outbound&outcome=failed&calls=sent&since=/)
  await expect.poll(() => page.getByRole('option').count()).toBe(4)
  await page.getByRole('button', { name: /^Period: Since / }).waitFor()
  await page.getByRole('button', { name: 'Only calls that were sent' }).press('Enter')
  await expect.poll(() => page.getByRole('option').count()).toBeGreaterThan(5)
  await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('listbox')

  await page.setViewportSize({ width: 900, height: 600 })
  await go('/connections?sort=worst')
  await rowOf(page, 'Billing').getByText('5 rejected this hour').waitFor()
  await expectAccessibleInBothSchemes(page)
  await rowOf(page, 'Billing').getByRole('link', { name: '5 rejected', exact: true }).click()
  await page.waitForURL(/show=rejected/)
  await page.setViewportSize({ width: 1440, height: 900 })
  await go(`/connections/${acme.connectionId}`)
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('4 calls failed').waitFor()
  const figures = page.getByRole('region', { name: 'Last 24 hours', exact: true })
  await figures.getByRole('link', { name: '4 failed' }).waitFor()
  await figures.getByText('0 succeeded').waitFor()
  await page.getByText(/^Calls fail since /).waitFor()
  const causes = page.getByRole('table', { name: 'Failed calls, by cause' })
  await causes.getByText('Unauthorized').waitFor()
  await causes.getByText('look_up', { exact: true }).waitFor()
  const unmade = page.getByRole('table', { name: 'Calls not made, by cause' })
  await unmade.getByText('keyed', { exact: true }).waitFor()
  await unmade.getByRole('button', { name: 'Set NO_KEY' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('F8')
  await expect.poll(focused).toMatch(/^401/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/cause=http_401/)
  await expect.poll(() => page.getByRole('option').count()).toBe(4)
  await page.getByRole('button', { name: 'Cause: http_401' }).waitFor()
})
