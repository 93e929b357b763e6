import { expect, test } from 'vitest'
import { createConnection } from '../../support/rest-client.ts'
import { dashboardTests, holdCalls } from './fixture.ts'

const { open, sharedService } = dashboardTests()

test.each([
  {
    form: 'Overview',
    path: '/connections/{id}',
    procedure: 'connections/update',
    first: { label: 'Name', value: ' Shop ' },
    next: { label: 'Base URL', value: 'https://api.example.com' },
  },
  {
    form: 'Limits',
    path: '/settings/limits',
    procedure: 'settings/update',
    first: { label: 'Open connections', value: '200' },
    next: { label: 'Largest body', value: '3' },
  },
  {
    form: 'Retention',
    path: '/settings/retention',
    procedure: 'settings/update',
    first: { label: 'Events', value: '500' },
    next: { label: 'Days', value: '7' },
  },
  {
    form: 'Public URL',
    path: '/settings/public-url',
    procedure: 'workspaces/update',
    first: { label: 'Public URL', value: 'https://hooks.example.com' },
    next: { label: 'Public URL', value: 'https://hooks.example.com/in' },
  },
])(
  'text typed into $form during a save stays as an unsaved change',
  async ({ path, procedure, first, next }) => {
    const service = await sharedService()
    const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
    const { page } = await open({ at: service, path: path.replace('{id}', connectionId) })
    const field = (label: string) => page.getByRole('textbox', { name: label, exact: true })
    const { held, letGo } = await holdCalls(page, procedure)
    await field(first.label).fill(first.value)
    await page.keyboard.press('Control+s')
    await held()
    await field(next.label).fill(next.value)
    const answered = page.waitForResponse(`**/rpc/${procedure}`)
    await letGo()
    await (await answered).finished()
    // The second change can be saved when the first save has ended.
    const save = page.getByRole('button', { name: 'Save' })
    await save.and(page.locator(':enabled:not([data-loading])')).waitFor()
    await expect.poll(() => field(next.label).inputValue()).toContain(next.value)
    await save.click()
    await save.waitFor({ state: 'detached' })
    await expect.poll(() => field(next.label).inputValue()).toContain(next.value)
    if (first.label !== next.label)
      await expect.poll(() => field(first.label).inputValue()).toContain(first.value.trim())
  },
)
