import { expect, test } from 'vitest'
import { z } from 'zod'
import { newFolder } from '../../storage/config-fixtures.ts'
import { isSigned, startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { askAgain, dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()
/** The first heading of each page. */
const headings = {
  listener: 'Listener',
  'public-url': 'Public URL',
  environment: 'Environment variables',
  workspaces: 'Workspaces',
  webhook: 'Webhook',
  monitoring: 'Metrics',
  limits: 'Limits',
  retention: 'Retention',
  appearance: 'Appearance',
  'data-folder': 'Data folder',
}

test('every page of Settings is accessible, light and dark', async () => {
  const { page, service, go } = await open()
  await service.rest('PUT', '/environment/ACME_API_KEY', {
    name: 'ACME_API_KEY',
    value: 'value-of-the-variable',
  })
  for (const [section, name] of Object.entries(headings)) {
    await go(`/settings/${section}`)
    await page.getByRole('heading', { name, level: 2, exact: true }).waitFor()
    await expectAccessibleInBothSchemes(page)
  }
})

test('Retention says that it is for new connections, and leads to the limits of existing ones', async () => {
  const service = await sharedService()
  await createConnection(service.rest, { name: 'Acme', persistEvents: true })
  const { page } = await open({ at: service, path: '/settings/retention' })
  await page.getByText('For new connections only: existing ones keep their own limits.').waitFor()
  await page.getByRole('link', { name: 'Acme' }).click()
  await page.getByRole('button', { name: 'Timeout and retention' }).waitFor()
})

test('the listener moves to another port, and events arrive there', async () => {
  const { page, service } = await open({ own: true, path: '/settings/listener' })
  const before = new URL(service.listenerUrl).port
  await page.getByLabel('Port', { exact: true }).fill('0')
  await page.getByText(`Unsaved: 127.0.0.1:${before} → 127.0.0.1:0`).waitFor()
  await page.keyboard.press('Control+s')
  await page.getByText('The listener has moved').waitFor()
  const shownPort = () => page.getByLabel('Port', { exact: true }).inputValue()
  await expect.poll(shownPort).not.toBe('0')
  const port = await shownPort()
  expect(port).not.toBe(before)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  await expect(fetch(`http://127.0.0.1:${before}/`)).rejects.toThrow()
})

test('a port in use is refused with its code, and the old port stays open', async () => {
  const taken = new URL((await startExternalSystem()).url).port
  const { page, service } = await open({ path: '/settings/listener' })
  await page.getByLabel('Port', { exact: true }).fill(taken)
  await page.getByRole('button', { name: 'Save and move the listener' }).click()
  const toast = page.getByRole('alert').filter({ hasText: 'The listener was not moved' })
  await toast.getByText('port_in_use').waitFor()
  expect((await fetch(service.listenerUrl)).status).toBe(404)
})

test('leaving with something unsaved asks first, and offers to save it', async () => {
  const { page, service } = await open({ path: '/settings/limits' })
  await page.getByLabel('Open connections').fill('2048')
  await page.getByRole('link', { name: 'Retention' }).click()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  expect(page.url()).toContain('/settings/limits')
  await page.getByRole('link', { name: 'Retention' }).click()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('heading', { name: 'Retention', level: 2 }).waitFor()

  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await page.getByRole('link', { name: 'Limits' }).click()
  for (const [connections, place] of [
    ['1', '/settings/limits'],
    ['2048', '/settings/retention'],
  ] as const) {
    await page.getByLabel('Open connections').fill(connections)
    await page.getByRole('link', { name: 'Retention' }).click()
    await question.getByRole('button', { name: 'Save', exact: true }).click()
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => page.url()).toContain(place)
    if (connections === '1') await page.locator('[aria-invalid="true"]').waitFor()
  }
  const { body } = await service.rest('GET', '/settings')
  expect(body).toMatchObject({ maxConnections: 2048 })
})

test('a variable is set, shown as used and never shown again', async () => {
  const { page, service } = await open({ path: '/settings/environment' })
  const { connectionId } = await createConnection(service.rest, { baseUrl: 'https://api.example.com' })
  await service.rest('POST', `/connections/${connectionId}/actions`, {
    name: 'Look up',
    description: 'Find it.',
    path: '/x',
    headers: { 'X-Api-Key': '{{SHOP_KEY}}' },
  })
  const row = page.getByRole('row').filter({ hasText: 'SHOP_KEY' })
  await row.getByText('Not set').waitFor()
  await row.getByRole('button', { name: 'Set value' }).click()
  await page.getByLabel('Value', { exact: true }).fill('a-secret-value-of-the-shop')
  await page.keyboard.press('Enter')
  await row.getByText('Settings').waitFor()
  await row.getByText('1 action').waitFor()
  expect(await page.content()).not.toContain('a-secret-value-of-the-shop')
})

test('the problem of a new variable is shown at its field', async () => {
  const { page } = await open({ path: '/settings/environment' })
  await page.getByRole('button', { name: 'Add variable' }).click()
  const dialog = page.getByRole('dialog', { name: 'New variable' })
  await dialog.getByLabel('Name').fill('1ST')
  await page.keyboard.press('Enter')
  await dialog.getByText('A name is letters, digits and _, not beginning with a digit.').waitFor()
  await dialog.getByText('A value has at least one character.').waitFor()
  await dialog.getByLabel('Name').fill('FIRST')
  await dialog.getByLabel('Value', { exact: true }).fill('value-of-the-first')
  await page.keyboard.press('Enter')
  await page.getByRole('row').filter({ hasText: 'FIRST' }).getByText('Settings').waitFor()
})

test('the check of a public URL says that something else answers there', async () => {
  const other = await startExternalSystem((_request, response) => void response.end('hello'))
  const { page, service } = await open({ path: '/settings/public-url' })
  const field = page.getByRole('textbox', { name: 'Public URL' })
  await field.fill(other.url)
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('other_server').waitFor()
  await field.fill(service.listenerUrl)
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('Answered 200').waitFor()
})

test('a workspace is made, renamed and deleted', async () => {
  const { page } = await open({ path: '/settings/workspaces' })
  await page.getByRole('button', { name: 'New workspace' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Southwind')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Workspace: Southwind. Switch' }).waitFor()
  await page.getByRole('button', { name: 'Workspace: Southwind. Switch' }).click()
  await page.getByRole('menuitem', { name: 'Rename and public URLs' }).click()
  await page.getByLabel('Name of Southwind').fill('Eastwind')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'Workspace: Eastwind. Switch' }).waitFor()
  await page.getByRole('button', { name: 'Delete Eastwind' }).click()
  await page.getByText('agents with their knowledge files').waitFor()
  await page.getByRole('button', { name: 'Delete workspace' }).click()
  await page.getByText('Workspace “Eastwind” deleted').waitFor()
})

test('a backup is downloaded by a link that works once', async () => {
  const { page } = await open({ path: '/settings/data-folder' })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download a backup' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^custom-connection-backup-.*\.tar\.gz$/)
  expect(await download.failure()).toBeNull()
  const key = z.string().parse(await page.evaluate("localStorage.getItem('cc:session-key')"))
  expect(download.url()).not.toContain(key)
  expect((await page.context().request.get(download.url())).status()).toBe(410)
})

test('a schedule of backups is set by keys alone, says what is wrong, and shows when the next comes', async () => {
  const { page, service } = await open({ path: '/settings/data-folder', own: true })
  const schedule = page.getByRole('region', { name: 'Backups on a schedule' })
  await schedule.getByText('Every day', { exact: true }).waitFor()
  await page.getByText('No backups are known yet').waitFor()
  await schedule.getByRole('radio', { name: 'Never' }).press('ArrowRight')
  await schedule.getByLabel('Folder').fill('/nowhere/backups')
  await schedule.getByLabel('Time').fill('04:30')
  await page.keyboard.press('Control+s')
  const problem = schedule.getByText('Nothing can be written to the folder /nowhere/backups')
  await problem.waitFor()
  await expectAccessibleInBothSchemes(page)

  const folder = await newFolder()
  await schedule.getByLabel('Folder').fill(folder)
  await schedule.getByLabel('Backups to keep').fill('3')
  await page.keyboard.press('Control+s')
  await page.getByText('Schedule saved').waitFor()
  const backup = { every: 'day', at: '04:30', folder, keep: 3 }
  expect((await service.rest('GET', '/settings')).body).toMatchObject({ backup })
  await schedule.getByText('Next backup').waitFor()
  await schedule.getByText(/:[03]0\b/).waitFor()

  await schedule.getByRole('radio', { name: 'Every day' }).press('ArrowLeft')
  await page.getByText('Unsaved: how often').waitFor()
  await page.keyboard.press('Control+s')
  await schedule.getByText('Next backup').waitFor({ state: 'detached' })
  expect((await service.rest('GET', '/settings')).body).toMatchObject({ backup: null })
})

test('the backups so far are listed with why one failed, and further ones are shown', async () => {
  const { page, service } = await open({ path: '/settings/data-folder', own: true })
  const { backupList } = service.service
  const at = Date.UTC(2026, 10, 30)
  const file = { bytes: 12_345_678, label: 'custom-connection-backup.tar.gz', error: null }
  await backupList.put({ ...file, at, source: 'schedule', ok: true })
  const error = 'The disk is full.'
  await backupList.put({ ...file, at: at + 1, source: 'schedule', ok: false, bytes: null, error })
  await service.rest('POST', '/backups/note', { label: 'pg_dump', at: at + 2 })
  await page.reload()
  const table = page.getByRole('region', { name: 'Backups so far' })
  const rows = table.getByRole('row')
  await rows.filter({ hasText: 'pg_dump' }).filter({ hasText: 'Noted' }).getByText('not known yet').waitFor()
  await rows.filter({ hasText: 'Failed' }).getByText(error).waitFor()
  await rows.filter({ hasText: 'Good' }).getByText('12 MB').waitFor()
  expect(await rows.count()).toBe(4)
  await expectAccessibleInBothSchemes(page)
  for (let n = 3; n < 13; n++) await service.rest('POST', '/backups/note', { at: at + n })
  const more = table.getByRole('button', { name: 'Show more' })
  await more.waitFor()
  expect(await rows.count()).toBe(11)
  await more.press('Enter')
  await expect.poll(() => rows.count()).toBe(14)
  await more.waitFor({ state: 'detached' })
})

test('the theme that is chosen is there at once, and after a reload', async () => {
  const { page } = await open({ path: '/settings/appearance' })
  await page.getByText('Dark', { exact: true }).click()
  const scheme = page.locator('html[data-mantine-color-scheme="dark"]')
  await scheme.waitFor()
  await page.reload()
  await scheme.waitFor()
})

test('the licenses of bundled software are read in place, and Escape goes back to the button', async () => {
  const { page } = await open({ path: '/settings/listener' })
  const button = page.getByRole('button', { name: 'Licenses' })
  await button.click()
  const dialog = page.getByRole('dialog', { name: 'Licenses' })
  await dialog.getByText('SIL OPEN FONT LICENSE').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => button.evaluate('document.activeElement?.textContent')).toBe('Licenses')
})

test('Settings lists the shortcuts, and Escape goes back to its button', async () => {
  const { page } = await open({ path: '/settings/listener' })
  const button = page.getByRole('button', { name: 'Shortcuts', exact: true })
  await button.click()
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.getByText('Go to connections').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await button.and(page.locator(':focus')).waitFor()
})

test('a webhook is set with a new variable, tested, and shows its deliveries', async () => {
  const { page, service } = await open({ path: '/settings/webhook' })
  const state = { status: 503 }
  const system = await startExternalSystem((_request, response) => response.writeHead(state.status).end())
  await page.getByText('None yet.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Send an example' }).isDisabled()).toBe(true)
  await page.getByLabel('URL', { exact: true }).fill('nowhere')
  await page.keyboard.press('Control+s')
  await page.getByText('Choose the variable with the secret.').waitFor()
  await page.getByRole('combobox', { name: 'Signing secret' }).click()
  await page.getByRole('option', { name: 'New variable…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('HOOK_SECRET')
  await dialog.getByLabel('Value').fill('whsec_of-the-webhook-0123456789')
  await dialog.getByRole('button', { name: 'Set variable' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+s')
  await page.getByText('Write an absolute URL that begins with https:// or http://.').waitFor()
  await page.getByLabel('URL', { exact: true }).fill(`${system.url}/in`)
  await page.keyboard.press('Control+s')
  await page.getByText('Webhook saved').waitFor()
  await page.getByRole('button', { name: 'Send an example' }).click()
  await page
    .getByText(/answered 503/)
    .first()
    .waitFor()
  state.status = 204
  await page.getByRole('button', { name: 'Send an example' }).click()
  await page.getByText('Your system has received the example.').waitFor()
  await service.rest('POST', '/conversations', {})
  const rows = page.getByRole('row')
  await rows.filter({ hasText: 'Succeeded' }).filter({ hasText: '1 of 8' }).waitFor()
  await expect.poll(() => rows.count()).toBe(4)
  expect(system.requests.every(request => isSigned(request, 'whsec_of-the-webhook-0123456789'))).toBe(true)
  await expectAccessibleInBothSchemes(page)
  await rows.filter({ hasText: 'Failed' }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Webhook', level: 2 }).waitFor()
  await page.getByRole('button', { name: 'Open the webhook' }).click()
  await page.getByLabel('URL', { exact: true }).fill('')
  await page.keyboard.press('Control+s')
  await page.getByText('Webhook deleted').waitFor()
})

test('a webhook says that the variable of its secret is not set, and sets it', async () => {
  const { page, service } = await open({ path: '/settings/webhook', own: true })
  const webhook = { url: 'https://example.com/', secretVariable: 'LATER_SECRET' }
  await service.rest('PATCH', '/workspaces/default', { webhook })
  await page.reload()
  await page.getByText('LATER_SECRET is not set, so every delivery fails.').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Set it' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set LATER_SECRET' })
  await dialog.getByLabel('Value').fill('whsec_of-the-webhook-0123456789')
  await dialog.getByRole('button', { name: 'Set variable' }).click()
  await page.getByText('LATER_SECRET is not set').waitFor({ state: 'hidden' })
})

test.each([
  ['limits', 'settings/get', 'The limits could not be read', 'Limits'],
  ['retention', 'settings/get', 'The retention could not be read', 'Retention'],
  ['environment', 'environment/list', 'The variables could not be read', 'No variables yet'],
  ['listener', 'service/get', 'The listener’s address could not be read', 'Listener'],
  ['data-folder', 'service/get', 'The data folder could not be read', 'Backup'],
  ['data-folder', 'settings/get', 'The schedule could not be read', 'Backups on a schedule'],
  ['data-folder', 'backups/list', 'The backups could not be read', 'Backups so far'],
])('the page %s says that it could not be read, and tries again', async (section, call, failed, known) => {
  const { page, go } = await open({ path: '/connections' })
  await page.route(`**/rpc/${call}`, route => route.fulfill({ status: 500, body: '{}' }))
  await go(`/settings/${section}`)
  await page.reload()
  const alert = page.getByRole('alert').filter({ hasText: failed })
  await alert.waitFor()
  await page.unrouteAll()
  const heading = page.getByRole('heading', { name: known, level: 2, exact: true })
  await askAgain(alert.getByRole('button', { name: 'Try again' }), heading)
  await alert.waitFor({ state: 'detached' })
})
