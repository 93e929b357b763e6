import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createConnection } from '../../support/rest-client.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()

/** Returns the accessible name of the focused element, or its tag name. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(e => e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? (e.matches('button') ? e.textContent : e.tagName))(document.activeElement)`,
  )

describe('the focus stays in its place', () => {
  test('when changes are discarded, saved or refused', async () => {
    const { page } = await open({ path: '/settings/limits' })
    const field = page.getByLabel('Open connections')
    await field.fill('2048')
    await page.getByLabel('Largest body').focus()
    await page.getByRole('button', { name: 'Discard' }).press('Enter')
    await page.getByText('Unsaved').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Largest body')

    await field.fill('1')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByRole('alert').or(page.locator('[aria-invalid="true"]')).first().waitFor()
    // On the pressed button, unless it was disabled long enough to lose the focus.
    await expect.poll(() => focused(page)).toMatch(/^(Open connections|Save.*)$/)

    await field.fill('4096')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByText('Limits saved').waitFor()
    await expect.poll(() => focused(page)).toBe('Open connections')
  })

  test('when a new item is saved and its editor is replaced', async () => {
    const { page, service, go } = await open()
    const { connectionId } = await createConnection(service.rest)
    await go(`/connections/${connectionId}/events`)
    await page.getByRole('region', { name: 'Event types' }).waitFor()
    await page.keyboard.press('n')
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('order.paid')
    await page.getByRole('button', { name: 'Declare event type' }).press('Enter')
    await page.getByText('Event type “order.paid” declared').waitFor()
    await expect.poll(() => focused(page)).not.toBe('BODY')
    await expect
      .poll(() => page.evaluate(`document.querySelector('main').contains(document.activeElement)`))
      .toBe(true)
  })

  test('when a deletion is undone from its toast', async () => {
    const { page, service, go } = await open()
    const { connectionId } = await createConnection(service.rest)
    await service.rest('POST', `/connections/${connectionId}/event-types`, { eventName: 'order.paid' })
    await go(`/connections/${connectionId}/events`)
    await page.getByRole('button', { name: 'Delete event type' }).press('Enter')
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.press('Enter')
    await page.getByText('Event type “order.paid” is back').waitFor()
    await undo.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).not.toBe('BODY')
    await expect
      .poll(() => page.evaluate(`document.querySelector('main').contains(document.activeElement)`))
      .toBe(true)
  })

  test('when the button that sets a variable is replaced', async () => {
    const { page, service, go } = await open({ path: '/settings/environment' })
    const { connectionId } = await createConnection(service.rest, { baseUrl: 'https://api.example.com' })
    await service.rest('POST', `/connections/${connectionId}/actions`, {
      name: 'Look up',
      description: 'Find it.',
      path: '/x',
      headers: { 'X-Api-Key': '{{SHOP_KEY}}' },
    })
    await go('/settings/environment')
    await page.getByRole('button', { name: 'Set value' }).press('Enter')
    await page.getByLabel('Value', { exact: true }).fill('a-secret-value-of-the-shop')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Replace SHOP_KEY')
  })

  test('when a workspace is renamed, and when one is deleted', async () => {
    const { page, service, go } = await open()
    await service.rest('POST', '/workspaces', { name: 'Southwind' })
    await go('/settings/workspaces')
    await page.getByLabel('Name of Southwind').fill('Eastwind')
    await page.getByRole('button', { name: 'Rename' }).press('Enter')
    await page.getByRole('button', { name: 'Rename' }).waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Name of Eastwind')
    await page.getByRole('button', { name: 'Delete Eastwind' }).press('Enter')
    await page.getByRole('button', { name: 'Delete workspace' }).press('Enter')
    await page.getByLabel('Name of Eastwind').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('New workspace')
  })
})
