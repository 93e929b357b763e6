import { expect, test } from 'vitest'
import { adminToken } from '../../support/service-fixture.ts'
import { expectAccessible } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const open = dashboardTests()

test('a first visit with the token in the fragment signs in, and leaves no token behind', async () => {
  const { page } = await open()
  expect(page.url()).not.toContain(adminToken)
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ name: 'cc_session', httpOnly: true, sameSite: 'Strict' })
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

test('a session goes on when the service is started again', async () => {
  const { page, service } = await open()
  await service.restart()
  await page.goto(`${service.dashboardUrl}/#/connections`)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
})
