import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createConnection } from '../../support/rest-client.ts'
import { adminToken } from '../../support/service-fixture.ts'
import { expectAccessible } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()

test('a first visit with the token in the fragment signs in, and leaves no token behind', async () => {
  const { page, service } = await open({ own: true, signedIn: false })
  await page.goto(`${service.dashboardUrl}/#token=${adminToken}`)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  expect(page.url()).not.toContain(adminToken)
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({
    name: `cc_session_${new URL(service.dashboardUrl).port}`,
    httpOnly: true,
    sameSite: 'Strict',
  })
  await page.goBack().catch(() => null)
  expect(page.url()).not.toContain(adminToken)
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(
    adminToken,
  )
})

test('without a token the page asks for it, says when it is wrong, and lets in with the right one', async () => {
  const { page } = await open({ signedIn: false })
  const token = page.getByLabel('Admin token', { exact: true })
  await token.fill('not-the-token')
  await page.getByRole('button', { name: 'Open the dashboard' }).click()
  await page.getByText('This is not the admin token of this service.').waitFor()
  await expectAccessible(page)
  await token.fill(adminToken)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
})

test('where it is not for the token that signing in fails, the page says what for', async () => {
  const { page } = await open({ signedIn: false })
  // As behind a proxy that does not pass the Host on.
  const origin = 'https://dashboard.example.com'
  await page.route('**/session', async route => {
    const headers = { ...route.request().headers(), origin }
    await route.fulfill({ response: await route.fetch({ headers }) })
  })
  await page.getByLabel('Admin token', { exact: true }).fill(adminToken)
  await page.getByRole('button', { name: 'Open the dashboard' }).click()
  await page.getByText('forbidden_origin').waitFor()
  expect(await page.getByText('This is not the admin token').count()).toBe(0)
})

test('a session goes on when the service is started again', async () => {
  const { page, service } = await open()
  await service.restart(Number(new URL(service.dashboardUrl).port))
  await page.goto(`${service.dashboardUrl}/#/connections`)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
})

test('another port of the same host gets the cookie, and can do nothing with it', async () => {
  const { page, service } = await open()
  await createConnection(service.rest, { name: 'Shop' })
  const cookies: string[] = []
  const devServer = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? '')
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>dev</title>')
  })
  onTestFinished(() => void devServer.close())
  await new Promise<void>(resolve => devServer.listen(0, '127.0.0.1', resolve))
  const address = devServer.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  await page.goto(`http://127.0.0.1:${address.port}/`)
  expect(cookies[0]).toMatch(/^cc_session_\d+=/)
  expect(await page.evaluate("localStorage.getItem('cc:session-key')")).toBeNull()

  const steal = async (path: string, method: string) => {
    const headers = { cookie: cookies[0] ?? '', 'x-csrf-token': 'orpc', 'content-type': 'application/json' }
    const body = method === 'POST' ? '{"json":{}}' : undefined
    const answer = await fetch(`${service.dashboardUrl}${path}`, { method, headers, ...(body && { body }) })
    const text = await answer.text()
    expect(text).not.toContain('Shop')
    return answer.status
  }
  expect(await steal('/rpc/connections/list', 'POST')).toBe(401)
  expect(await steal('/download/backup', 'POST')).toBe(401)
  expect(await steal('/api/v1/connections', 'GET')).toBe(401)
  await page.goto(`${service.dashboardUrl}/#/connections`)
  await page.getByRole('link', { name: 'Shop' }).first().waitFor()
})

test('a second tab is signed in too, and one that was signed out goes on when the other signs in', async () => {
  const { page, service } = await open()
  const other = await page.context().newPage()
  onTestFinished(() => other.close())
  await other.goto(`${service.dashboardUrl}/#/connections`)
  await other.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.goto(`${service.dashboardUrl}/#/settings/data-folder`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await other.getByText('You are signed out').waitFor()
  await page.getByLabel('Admin token', { exact: true }).fill(adminToken)
  await page.getByRole('button', { name: 'Open the dashboard' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await other.getByRole('navigation', { name: 'Main' }).waitFor()
})

describe('when the session is over', () => {
  /** Ends the page's session, as another tab would. */
  const signOutElsewhere = (page: Page) =>
    page.evaluate(
      "fetch('session', { method: 'DELETE', headers: { 'x-csrf-token': 'orpc', 'x-session-key': localStorage['cc:session-key'] } })",
    )

  async function signInAgain(page: Page): Promise<void> {
    await page.getByText('You are signed out').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Admin token', { exact: true }).fill(adminToken)
    await page.getByRole('button', { name: 'Open the dashboard' }).click()
  }

  test('a call that is refused brings the sign-in page, and signing in the same screen', async () => {
    const { page, service, go } = await open({ path: '/settings/appearance' })
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    // Without the live stream, which learns of it by itself.
    await page.route('**/rpc/live/follow', route => route.abort())
    await page.reload()
    await page.getByRole('heading', { name: 'Appearance' }).first().waitFor()
    await signOutElsewhere(page)
    const path = `/connections/${connectionId}/actions?action=new&name=Look+up`
    await go(path)
    await signInAgain(page)
    await expect.poll(() => page.getByLabel('Name', { exact: true }).first().inputValue()).toBe('Look up')
    expect(page.url()).toBe(`${service.dashboardUrl}/#${path}`)
  })

  test('an address opened meanwhile is the screen after signing in', async () => {
    const { page, service, go } = await open({ path: '/settings/appearance' })
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    await page.evaluate("window.dispatchEvent(new Event('cc:session-ended'))")
    await page.getByText('You are signed out').waitFor()
    await go(`/connections/${connectionId}`)
    await signInAgain(page)
    await page.getByRole('heading', { name: 'Shop' }).waitFor()
  })

  test('a page that nobody touches shows so at once, without what was on it, and goes on with what is new', async () => {
    const { page, service, go } = await open()
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    await go(`/connections/${connectionId}`)
    await page.getByRole('heading', { name: 'Shop' }).waitFor()
    await signOutElsewhere(page)
    await page.getByText('You are signed out').waitFor()
    expect(await page.locator('body').innerText()).not.toContain('Shop')
    await service.rest('PATCH', `/connections/${connectionId}`, { name: 'Store' })
    await signInAgain(page)
    await page.getByRole('heading', { name: 'Store' }).waitFor()
    expect(page.url()).toBe(`${service.dashboardUrl}/#/connections/${connectionId}`)
  })

  test('what was typed into a form or a dialog stays, with the focus, and nothing of the page can be reached meanwhile', async () => {
    const { page, service, go } = await open()
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    await go(`/connections/${connectionId}`)
    const name = page.getByLabel('Name', { exact: true }).first()
    await name.fill('Shop in Oslo')
    await page.keyboard.press('Control+k')
    const find = page.getByRole('dialog').getByRole('combobox')
    await find.fill('lamp')
    await find.press('ArrowLeft')
    await signOutElsewhere(page)
    await page.getByText('You are signed out').waitFor()
    expect(await page.title()).not.toContain('Shop')
    expect(await page.locator('body').innerText()).not.toMatch(/Shop|lamp/)
    expect(await page.ariaSnapshot()).not.toMatch(/Shop|lamp/)
    expect(await page.locator('#root').getAttribute('inert')).toBe('')
    const token = page.getByLabel('Admin token', { exact: true })
    for (const key of ['Escape', 'Escape', 'Control+k', 'Control+s']) await page.keyboard.press(key)
    for (const _ of 'abcdef') {
      await page.keyboard.press('Tab')
      expect(await page.evaluate("document.activeElement.closest('#root')")).toBeNull()
    }
    await page.mouse.click(5, 5)
    await token.fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('This is not the admin token').waitFor()
    await signInAgain(page)
    await page.getByText('You are signed out').waitFor({ state: 'detached' })
    expect(await find.inputValue()).toBe('lamp')
    expect(await find.evaluate((one: { matches(selector: string): boolean }) => one.matches(':focus'))).toBe(
      true,
    )
    await page.keyboard.type('s')
    expect(await find.inputValue()).toBe('lamsp')
    await page.keyboard.press('Escape')
    expect(await name.inputValue()).toBe('Shop in Oslo')
    await page.keyboard.press('Control+s')
    await page.getByRole('heading', { name: 'Shop in Oslo' }).waitFor()
  })

  test('nothing of the page can be printed, nor decided by a key on the form, and no address opens what was on it', async () => {
    const { page, service, go } = await open({ own: true })
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    await createConnection(service.rest, { name: 'Bakery' })
    await go(`/connections/${connectionId}`)
    const name = page.getByLabel('Name', { exact: true }).first()
    await name.fill('Shop in Oslo')
    await signOutElsewhere(page)
    await page.getByText('You are signed out').waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('body').innerText()).not.toMatch(/Shop|Oslo/)
    await page.emulateMedia({ media: 'screen' })
    // What asks whether to leave the form names the record.
    await page.evaluate("location.hash = '/connections'")
    await page.getByRole('button', { name: 'Open the dashboard' }).focus()
    for (const key of ['n', 'a', 'x', 't', '?', 'g', 'c', 'Escape']) await page.keyboard.press(key)
    expect(await page.locator('body').innerText()).not.toMatch(/Shop|Oslo|Bakery/)
    expect(await page.ariaSnapshot()).not.toMatch(/Shop|Oslo|Bakery/)
    expect(await page.title()).toBe('Custom Connection')
    await signInAgain(page)
    await page.getByText('You are signed out').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Keep editing' }).press('Enter')
    expect(await name.inputValue()).toBe('Shop in Oslo')
  })

  test('because the service does not know it any more after a restart, the page says so', async () => {
    const { page, service } = await open()
    await rm(join(service.dataFolder, 'sessions.json'))
    await service.restart(Number(new URL(service.dashboardUrl).port))
    await signInAgain(page)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  })

  test('an address with the token, opened in the same tab, signs in', async () => {
    const { page, service } = await open({ signedIn: false })
    await page.getByLabel('Admin token', { exact: true }).waitFor()
    await page.evaluate(`location.hash = 'token=${adminToken}'`)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(page.url()).not.toContain(adminToken)
    expect(page.url()).toContain(service.dashboardUrl)
  })

  test('signing out brings the sign-in page, which a reload does not get past', async () => {
    const { page } = await open({ path: '/settings/data-folder' })
    await page.getByRole('button', { name: 'Sign out' }).click()
    const token = page.getByLabel('Admin token', { exact: true })
    await token.waitFor()
    await page.reload()
    await token.waitFor()
  })
})
