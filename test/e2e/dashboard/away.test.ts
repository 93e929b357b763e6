import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { expectAccessible } from './accessibility.ts'
import { type Dashboard, dashboardTests } from './fixture.ts'

const { open } = dashboardTests()

/** Opens a screen without the service: nothing is loaded but what the page asks for. */
async function openAway(page: Page, path: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`)
  await page.locator('main').waitFor()
}

async function stopService({ page, service }: Dashboard): Promise<number> {
  const port = Number(new URL(service.dashboardUrl).port)
  await service.stop()
  await page.getByText(/does not answer\. Reconnecting/).waitFor()
  return port
}

const reason = 'The service does not answer. Nothing can be changed until it is back.'

describe('while the service does not answer', () => {
  test('lists that were read stay, on each screen that is opened again', async () => {
    const dashboard = await open({ own: true, loadsAhead: true })
    const { page, service, go } = dashboard
    const { connectionId, credentials } = await createConnection(service.rest, {
      name: 'Shop',
      persistEvents: true,
    })
    await service.rest('POST', '/workflows', {
      name: 'Paid order',
      trigger: { type: 'external.event', connectionId, eventName: 'order.paid' },
      steps: [{ key: 'end', type: 'stop', outcome: 'succeeded' }],
    })
    await postInbound(credentials, '{"event":"order.paid","data":{"order_id":"ORD-7"}}', Date.now())
    const screens = {
      '/connections': page.getByRole('link', { name: 'Shop' }).first(),
      '/activity': page.getByRole('option', { name: /order\.paid/ }),
      [`/connections/${connectionId}/activity`]: page.getByRole('option', { name: /order\.paid/ }),
      '/workflows': page.getByRole('link', { name: 'Paid order' }).first(),
      '/workflows/runs': page.getByRole('option', { name: /Paid order/ }),
    }
    for (const [path, row] of Object.entries(screens)) {
      await go(path)
      await row.waitFor()
    }
    await stopService(dashboard)
    for (const [path, row] of Object.entries(screens)) {
      await openAway(page, path)
      await row.waitFor()
      expect(await page.locator('main .mantine-Skeleton-root').count()).toBe(0)
    }
  })

  test('what changes something is inactive and says why, keeps the focus, and works again with the service', async () => {
    const dashboard = await open({ own: true, loadsAhead: true })
    const { page, service, go } = dashboard
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    await go(`/connections/${connectionId}`)
    await page.getByLabel('Name', { exact: true }).first().fill('Shop in Oslo')
    const save = page.getByRole('button', { name: /^Save/ })
    await save.focus()
    const enabled = page.getByRole('switch', { name: 'Connection enabled' })
    const port = await stopService(dashboard)
    for (const control of [save, enabled]) {
      await expect.poll(() => control.getAttribute('aria-disabled')).toBe('true')
      expect(await control.getAttribute('title')).toBe(reason)
    }
    expect(await save.evaluate((one: { matches(selector: string): boolean }) => one.matches(':focus'))).toBe(
      true,
    )
    await page.keyboard.press('Enter')
    await enabled.press(' ')
    expect(await enabled.isChecked()).toBe(true)
    await expectAccessible(page)
    expect(await page.getByRole('alert').count()).toBe(0)

    await service.restart(port)
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe(null)
    await save.press('Enter')
    await page.getByRole('heading', { name: 'Shop in Oslo' }).waitFor()
    await enabled.press(' ')
    await expect
      .poll(async () => (await service.rest('GET', `/connections/${connectionId}`)).body)
      .toMatchObject({ name: 'Shop in Oslo', enabled: false })
  })

  test('a dialog that deletes something does not delete', async () => {
    const dashboard = await open({ own: true, path: '/settings/environment', loadsAhead: true })
    const { page, service, go } = dashboard
    await service.rest('PUT', '/environment/SHOP_KEY', { value: 'secret' })
    await go('/settings/environment')
    await page.getByRole('button', { name: 'Remove SHOP_KEY' }).press('Enter')
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove variable' })
    await remove.waitFor()
    const port = await stopService(dashboard)
    await expect.poll(() => remove.getAttribute('title')).toBe(reason)
    await remove.press('Enter')
    await remove.waitFor()
    await service.restart(port)
    await expect.poll(() => remove.getAttribute('title')).toBe(null)
    await remove.press('Enter')
    await page.getByText('SHOP_KEY').waitFor({ state: 'detached' })
  })
})

test('code that is cut off has a button that shows more of it, until its end', async () => {
  const { page, service, go } = await open()
  const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
  await go(`/connections/${connectionId}`)
  await page.getByRole('tab', { name: 'Java' }).click()
  const more = page.getByRole('button', { name: /^More of / })
  await more.waitFor()
  const isAtEnd = () =>
    page
      .locator('figure pre')
      .first()
      .evaluate(
        (pre: { scrollHeight: number; scrollTop: number; clientHeight: number }) =>
          pre.scrollHeight - pre.scrollTop - pre.clientHeight < 12,
      )
  expect(await isAtEnd()).toBe(false)
  for (let press = 0; press < 9 && (await more.count()) > 0; press++) {
    const before = await page
      .locator('figure pre')
      .first()
      .evaluate((pre: { scrollTop: number }) => pre.scrollTop)
    await more.press('Enter')
    await expect
      .poll(() =>
        page
          .locator('figure pre')
          .first()
          .evaluate((pre: { scrollTop: number }) => pre.scrollTop),
      )
      .toBeGreaterThan(before)
    await expect.poll(async () => ((await more.count()) === 0) === (await isAtEnd())).toBe(true)
  }
  expect(await isAtEnd()).toBe(true)
  expect(
    await page.evaluate("document.activeElement.matches('figure pre')"),
    'the focus is on the code',
  ).toBe(true)
})
